import type { FastifyRequest } from "fastify";
import { type AdminScope, adminScopes } from "../../domain/business/admin-scope.ts";
import { keyScopes } from "../../domain/business/api-key.ts";
import type { ConsoleLedger } from "../../domain/console/console-ledger.ts";
import {
  digestOf,
  type FoundSession,
  keyBehind,
  nameOf,
  type SessionOrigin,
  seenEveryMs,
  sessionOver,
} from "../../domain/console/session.ts";
import { Fault } from "../../domain/fault.ts";
import { keysOf } from "../../domain/keys-of.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type Administrators, requireRole, requireScope } from "../auth/administrator.ts";
import { type Authentication, requireOpenBusiness } from "../auth/authenticate.ts";
import { covers, requireWithin } from "../auth/key-limits.ts";
import type { Limits } from "../auth/rate-limit.ts";
import type { Trusted } from "../auth/trusted.ts";
import { isAlone } from "./background.ts";
import type { SessionCookie } from "./cookie.ts";
import { requireSameOrigin, requireToken } from "./same-origin.ts";

export type ConsoleGuardDeps = Pick<ConsoleLedger, "findSession" | "noteSeen"> & {
  cookie: SessionCookie;
  /**
   * The credential of sessions that begin at an identity provider now: those with another one are
   * over. Null: operators do not sign in there.
   */
  openIdCredential: string | null;
  authentication: Authentication;
  administrators: Administrators;
  /** The trusted secrets of sessions and links. */
  secrets: Trusted;
  limits: Pick<Limits, "request">;
  clock: Pick<Clock, "now">;
};

/** Passes a request whose cookie has an open session, or throws. */
export type ConsoleGuard = {
  /** Passes any open session, whatever it may do. Counts in the limits of its business. */
  anybody: (request: FastifyRequest) => Promise<void>;
  /** Passes a session of a business that may do this. `path` is without the console's prefix. */
  business: (request: FastifyRequest, path: string) => Promise<void>;
  /** Passes a session of an operator who may do this. */
  operator: (request: FastifyRequest) => Promise<void>;
  /**
   * The scopes of a session that began in this way; none: all that its role may do. Null: the
   * session is over. Its admin token is gone or has other rights, or the settings of the sign-in
   * have changed.
   */
  scopesOf: (origin: SessionOrigin) => readonly AdminScope[] | null;
  /**
   * The rights of a session now. A request that needs another right is refused.
   * @param address the address of the request
   */
  rightsOf: (session: FoundSession, address: string) => Promise<readonly Right[]>;
};

const rightsOfBusiness = [...keysOf(keyScopes), "unlimited"] as const;
const rightsOfOperator = [...keysOf(adminScopes), "unlimited"] as const;

/**
 * The rights that a session may have: scopes, and `unlimited`. That one is to make and revoke keys
 * and links, and to end the sessions of others.
 */
export const rights = [...new Set([...rightsOfBusiness, ...rightsOfOperator])] as const;

type Right = (typeof rights)[number];

/**
 * Looks the session up at each request, so that ending it takes effect at once everywhere. Also
 * checks the key or token that the session began with, or the key behind its link. All functions
 * throw Faults `console_session_over` and `console_request_refused`. They throw `rate_limited` if
 * the address has sent too many cookies without a session.
 */
export function createConsoleGuard(deps: ConsoleGuardDeps): ConsoleGuard {
  const { cookie, authentication, administrators, secrets, limits, clock } = deps;

  async function open(request: FastifyRequest): Promise<FoundSession> {
    requireSameOrigin(request);
    const secret = cookie.read(request);
    if (secret === null) throw sessionOver();
    const digest = digestOf(secret);
    const session = await secrets.lookUp({ digest, address: request.ip }, () =>
      deps.findSession(digest, new Date(clock.now())),
    );
    if (session === null) throw sessionOver();
    requireToken(request, secret);
    request.session = session;
    return session;
  }

  /**
   * Notes that a session is in use. Requests that a page makes by itself do not keep its session
   * open.
   */
  async function noteSeen(request: FastifyRequest, { id, seenAt }: FoundSession): Promise<void> {
    const nowMs = clock.now();
    if (isAlone(request) || nowMs - seenAt.getTime() < seenEveryMs) return;
    await deps.noteSeen(id, new Date(nowMs));
  }

  async function requireCredential(
    session: FoundSession,
    asked: Parameters<Authentication["holderOfKeyId"]>[1],
  ): Promise<void> {
    const { origin, business, subject } = session;
    if (business !== null) requireOpenBusiness(business);
    const keyId = keyBehind(origin);
    if (keyId !== null) await authentication.holderOfKeyId(keyId, asked);
    else if (business !== null) requireWithin(noLimits, { ...asked, url: asked.path }, clock.now());
    if (scopesOf(origin) === null) throw sessionOver();
    requireRole(subject.role, asked);
  }

  function scopesOf(origin: SessionOrigin): readonly AdminScope[] | null {
    if (origin.way === "oidc")
      return origin.credential !== null && origin.credential === deps.openIdCredential ? [] : null;
    if (origin.way !== "admin_token") return [];
    return administrators.byCredential(origin.credential)?.scopes ?? null;
  }

  async function heldRights(
    { origin, subject: { kind } }: FoundSession,
    ip: string,
  ): Promise<readonly Right[]> {
    if (kind === "operator") {
      const scopes = scopesOf(origin);
      if (scopes === null) throw sessionOver();
      return scopes.length === 0 ? rightsOfOperator : scopes;
    }
    const keyId = keyBehind(origin);
    const reading = { method: "GET", ip, path: "/" };
    const limits = keyId === null ? noLimits : await authentication.holderOfKeyId(keyId, reading);
    return rightsOfBusiness.filter((right) => covers(limits, right));
  }

  async function admit(request: FastifyRequest, kind: "business" | "operator", path: string) {
    const session = await open(request);
    const { subject, origin } = session;
    if (subject.kind !== kind) {
      throw new Fault("role_missing", `This is for a session of ${kinds[kind]}.`);
    }
    await requireCredential(session, { method: request.method, ip: request.ip, path });
    await noteSeen(request, session);
    if (subject.kind === "operator") {
      requireScope(scopesOf(origin) ?? [], request);
      request.administrator = nameOf(session);
    } else {
      request.businessId = subject.businessId;
      request.keyId = origin.way === "api_key" ? origin.keyId : session.id;
    }
  }

  return {
    async anybody(request) {
      const session = await open(request);
      // A viewer may read, and may sign out.
      await requireCredential(session, { method: "GET", ip: request.ip, path: "/" });
      const { subject } = session;
      if (subject.kind === "business") await limits.request(request, subject.businessId);
      await noteSeen(request, session);
    },
    business: (request, path) => admit(request, "business", path),
    operator: (request) => admit(request, "operator", "/"),
    scopesOf,
    async rightsOf(session, address) {
      const held = await heldRights(session, address);
      return session.subject.role === "viewer" ? held.filter((one) => one === "read") : held;
    },
  };
}

/** The session of the request. Call it only after the guard has passed the request. */
export function sessionOf({ session }: FastifyRequest): FoundSession {
  if (session !== null) return session;
  throw new Fault("invariant_broken", "A route of the console was reached without a session.");
}

/** A session without a key behind it may do what a key without limits may. */
const noLimits = { scopes: [], networks: [], expiresAt: null };

const kinds = { business: "a business", operator: "an operator" } as const;
