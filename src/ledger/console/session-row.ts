import type {
  ConsoleSession,
  SessionOrigin,
  SessionSubject,
} from "../../domain/console/session.ts";
import type { ConsoleSession as Row } from "../generated/client.ts";

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
}: Pick<Row, "way" | "holder" | "credential">): SessionOrigin {
  if (credential !== null) return { way: "admin_token", name: holder, credential };
  if (way === "oidc") return { way, name: holder };
  return way === "api_key" ? { way, keyId: holder } : { way: "link", madeBy: holder };
}
