import type {
  ConsoleSession,
  SessionOrigin,
  SessionSubject,
} from "../../domain/console/session.ts";
import { Prisma, type ConsoleSession as Row } from "../generated/client.ts";

/**
 * A condition: the API key `k` behind a link or a session works at a moment, or there is none. It
 * needs `LEFT JOIN api_key k`.
 */
export const keyWorksAt = (at: Date): Prisma.Sql =>
  Prisma.sql`(k.id IS NULL OR k.revoked_at IS NULL AND COALESCE(k.expires_at > ${at}, true))`;

/** A session as it is stored. */
export function toSession(row: Row): ConsoleSession {
  const { id, address, createdAt, seenAt, expiresAt } = row;
  const origin = toOrigin(row);
  return { id, subject: toSubject(row), origin, address, createdAt, seenAt, expiresAt };
}

/** The database's CHECK allows only these roles. */
export function toSubject({ businessId, role }: Pick<Row, "businessId" | "role">): SessionSubject {
  const isViewer = role === "viewer";
  return businessId === null
    ? { kind: "operator", role: isViewer ? "viewer" : "operator" }
    : { kind: "business", businessId, role: isViewer ? "viewer" : "developer" };
}

/** The credential that a session began with. */
export function toOrigin({
  way,
  holder,
  credential,
  keyId,
}: Pick<Row, "way" | "holder" | "credential" | "keyId">): SessionOrigin {
  if (way === "oidc") return { way, name: holder, credential };
  if (credential !== null) return { way: "admin_token", name: holder, credential };
  return way === "api_key" ? { way, keyId: holder } : { way: "link", madeBy: holder, keyId };
}
