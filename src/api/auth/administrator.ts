import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminScope } from "../../domain/business/admin-scope.ts";
import { Fault } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Web } from "../http/web.ts";
import { type FailedCredentials, networkOf } from "./failed-credentials.ts";
import { createRecent } from "./recent.ts";

/** The audit trail shows the name. Without scopes, the token may do all that its role may. */
export type AdminToken = {
  name: string;
  token: string;
  role: "operator" | "viewer";
  scopes: readonly AdminScope[];
};

declare module "fastify" {
  interface FastifyRequest {
    /** The operator whose token the request has. Null: it has none. */
    administrator: string | null;
  }
  interface FastifySchema {
    /** The scope that an admin token with scopes must have. Only routes of operators have this. */
    scope?: AdminScope;
  }
}

/** The operator who sent the request. Call it only after the guard has passed the request. */
export function administratorOf(request: Pick<FastifyRequest, "administrator">): string {
  if (request.administrator !== null) return request.administrator;
  throw new Fault("invariant_broken", "An admin route was reached without its guard.");
}

export type AdministrationDeps = {
  /** The present tokens, which may be replaced while the API runs. */
  tokens: () => readonly AdminToken[];
  failed: FailedCredentials;
  /** Adds an audit entry for a wrong token. */
  recordRefusal: (refusal: { address: string }) => Promise<void>;
  clock: Pick<Clock, "elapsed">;
  log: Logger;
};

/** Finds the operator who owns an admin token. */
export type Administrators = {
  /** Null: nobody has this token. */
  byToken: (token: string) => Administrator | null;
  /**
   * Finds the operator by a stored `credential`. Null: that token is gone, or has another name or
   * other rights now.
   */
  byCredential: (credential: string) => Administrator | null;
  /**
   * Counts one more wrong token from this address. The audit trail gets only the first in an hour.
   * The log gets all that are not limited.
   */
  refuse: (request: FastifyRequest) => Promise<Fault>;
};

/** `credential`: the SHA-256 of the token with its name and its rights, in hex. */
type Administrator = Omit<AdminToken, "token"> & { credential: string };

/** The time in which an address has one entry in the audit trail, in ms. */
const recordedEveryMs = 60 * 60_000;

/**
 * Makes the look-up of operators by token. Its `refuse` throws Fault `rate_limited` for an address
 * with too many wrong tokens.
 */
export function createAdministrators(deps: AdministrationDeps): Administrators {
  const { tokens, failed, clock, log } = deps;
  const recordedAtMs = createRecent<number>();
  // All wrong tokens of one guesser would fill the audit trail. So would a program that has an old
  // token. The count of wrong credentials does not decide, since wrong keys count there too.
  const record = async (address: string) => {
    const [name, nowMs] = [networkOf(address), clock.elapsed()];
    const lastMs = recordedAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - lastMs < recordedEveryMs) return;
    recordedAtMs.set(name, nowMs);
    try {
      await deps.recordRefusal({ address });
    } catch (error) {
      recordedAtMs.forget(name);
      throw error;
    }
  };
  const known = remembering(tokens);
  // Compares the digests of all tokens each time, so that the time taken reveals nothing.
  const byToken = (token: string) => {
    const digest = digestOf(token);
    return known().filter((entry) => timingSafeEqual(entry.digest, digest))[0] ?? null;
  };
  return {
    byToken,
    byCredential: (credential) => known().find((entry) => entry.credential === credential) ?? null,
    async refuse(request) {
      const { ip: address } = request;
      await record(address);
      failed.refuse(address);
      log.warn({ address, requestId: request.id }, "admin.refused");
      failed.note(address);
      return new Fault(
        "invalid_admin_token",
        "The admin token is not valid: send one of CHAINBELL_ADMIN_TOKENS.",
      );
    },
  };
}

type Known = Administrator & { digest: Buffer };

/** The digests of the tokens. They are computed once for each list of tokens. */
function remembering(tokens: () => readonly AdminToken[]): () => readonly Known[] {
  let list: readonly AdminToken[] = [];
  let known: readonly Known[] = [];
  return () => {
    if (list !== tokens()) {
      list = tokens();
      known = list.map(toKnown);
    }
    return known;
  };
}

function toKnown({ token, ...rest }: AdminToken): Known {
  const { name, role, scopes } = rest;
  const whole = JSON.stringify([token, name, role, [...scopes].sort()]);
  return { ...rest, digest: digestOf(token), credential: digestOf(whole).toString("hex") };
}

/** Refuses all requests that are not an operator's. */
export function guardAdministration(web: Web, administrators: Administrators): void {
  web.addHook("onRequest", async (request: FastifyRequest) => {
    const administrator = administrators.byToken(bearerIn(request));
    if (administrator === null) throw await administrators.refuse(request);
    request.administrator = administrator.name;
    requireRole(administrator.role, request);
    requireScope(administrator.scopes, request);
  });
}

/** @throws Fault `scope_missing` if there are scopes, and the route's is not one of them */
export function requireScope(
  scopes: readonly AdminScope[],
  { routeOptions }: FastifyRequest,
): void {
  const scope = routeOptions.schema?.scope;
  if (scopes.length === 0 || (scope !== undefined && scopes.includes(scope))) return;
  throw new Fault(
    "scope_missing",
    `The admin token lacks the scope '${scope ?? "none"}': use a token that has it.`,
  );
}

/** @throws Fault `role_missing` if a viewer asks for a change */
export function requireRole(role: string, { method }: Pick<FastifyRequest, "method">): void {
  if (role !== "viewer" || isReading(method)) return;
  throw new Fault("role_missing", "A viewer may not change anything: use a token without @viewer.");
}

export function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Logs each request of this scope in which an operator changed something, or tried to. */
export function logAdministration(web: Web, log: Logger): void {
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

function bearerIn({ headers }: FastifyRequest): string {
  if (headers.authorization === undefined) {
    throw new Fault("missing_credentials", "Send the header Authorization: Bearer <admin token>.");
  }
  return /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1] ?? "";
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
