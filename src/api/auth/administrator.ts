import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../domain/fault.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Web } from "../http/web.ts";

/** The name goes into the audit trail. */
export type AdminToken = { name: string; token: string };

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

/** Lets only operators pass, and leaves a line of whatever one of them changed or tried to change. */
export function guardAdministration(web: Web, tokens: readonly AdminToken[], log: Logger): void {
  const known = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  web.addHook("onRequest", async (request: FastifyRequest) => {
    request.administrator = nameOf(request.headers.authorization, known);
  });
  web.addHook("onResponse", async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === "GET" || request.administrator === null) return;
    log.info(
      {
        administrator: request.administrator,
        method: request.method,
        path: request.url,
        status: reply.statusCode,
        requestId: request.id,
      },
      "admin.acted",
    );
  });
}

function nameOf(
  header: string | undefined,
  known: readonly { name: string; digest: Buffer }[],
): string {
  if (header === undefined) {
    throw new Fault("missing_credentials", "Send the header Authorization: Bearer <admin token>.");
  }
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  const digest = digestOf(token);
  // Every token is compared, and digests are: the time taken says nothing about any of them.
  const matching = known.filter((entry) => timingSafeEqual(entry.digest, digest));
  const name = matching[0]?.name;
  if (name === undefined) throw new Fault("invalid_admin_token", "The admin token is not valid.");
  return name;
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
