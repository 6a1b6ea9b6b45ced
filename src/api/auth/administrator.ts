import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../domain/fault.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Web } from "../http/web.ts";
import type { FailedCredentials } from "./failed-credentials.ts";

/** The name goes into the audit trail. */
export type AdminToken = { name: string; token: string; role: "operator" | "viewer" };

declare module "fastify" {
  interface FastifyRequest {
    /** The operator whose token was shown; null elsewhere. */
    administrator: string | null;
  }
}

/** Whose request it is, after the guard has let it pass. */
export function administratorOf(request: Pick<FastifyRequest, "administrator">): string {
  if (request.administrator !== null) return request.administrator;
  throw new Fault("invariant_broken", "An admin route was reached without its guard.");
}

export type AdministrationDeps = {
  tokens: readonly AdminToken[];
  failed: FailedCredentials;
  /** Puts a wrong token on record. */
  recordRefusal: (refusal: { address: string }) => Promise<void>;
  log: Logger;
};

/**
 * Lets only operators pass, and leaves a line of whatever one of them changed or tried to change. The first wrong token of an
 * address goes into the audit trail, all of them into the log.
 */
export function guardAdministration(web: Web, deps: AdministrationDeps): void {
  const { tokens, failed, log } = deps;
  const known = tokens.map(({ name, role, token }) => ({ name, role, digest: digestOf(token) }));
  web.addHook("onRequest", async (request: FastifyRequest) => {
    const { ip: address } = request;
    const administrator = findIn(known, request.headers.authorization);
    if (administrator === null) {
      failed.refuse(address);
      log.warn({ address, requestId: request.id }, "admin.refused");
      // All of a guesser's would fill the trail.
      if (failed.note(address) === 1) await deps.recordRefusal({ address });
      throw new Fault("invalid_admin_token", "The admin token is not valid.");
    }
    request.administrator = administrator.name;
    if (administrator.role === "viewer" && !["GET", "HEAD"].includes(request.method)) {
      throw new Fault("role_missing", "This admin token may only look: use an operator's.");
    }
  });
  web.addHook("onResponse", async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === "GET" || request.administrator === null) return;
    log.info(
      {
        administrator: request.administrator,
        method: request.method,
        path: request.url,
        address: request.ip,
        status: reply.statusCode,
        requestId: request.id,
      },
      "admin.acted",
    );
  });
}

type Known = Pick<AdminToken, "name" | "role"> & { digest: Buffer };

function findIn(known: readonly Known[], header: string | undefined): Known | null {
  if (header === undefined) {
    throw new Fault("missing_credentials", "Send the header Authorization: Bearer <admin token>.");
  }
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  const digest = digestOf(token);
  // Every token is compared, and digests are: the time taken says nothing about any of them.
  const matching = known.filter((entry) => timingSafeEqual(entry.digest, digest));
  return matching[0] ?? null;
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
