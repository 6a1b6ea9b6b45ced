import type { FastifyRequest } from "fastify";
import { isApiKeyForm, type KeyHolder, recordOfApiKey } from "../../domain/business/api-key.ts";
import type { AuditedFor } from "../../domain/business/audit.ts";
import type { BusinessLedger } from "../../domain/business/business-ledger.ts";
import type { ConsoleLedger } from "../../domain/console/console-ledger.ts";
import { type FoundSession, sessionOver } from "../../domain/console/session.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type AccessTokens, type ReadToken, tokenExpired } from "./access-token.ts";
import type { FailedCredentials } from "./failed-credentials.ts";
import { type LimitedRequest, requireWithin } from "./key-limits.ts";
import { createRecent } from "./recent.ts";
import { createTrusted } from "./trusted.ts";

/** Finds the holder of a key. Null: no such key. */
export type FindKeyHolder = BusinessLedger["findKeyHolder"];

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The business that the key or token belongs to. Null before authentication, and without one.
     */
    businessId: string | null;
    /**
     * The key of the request, or the key that its token or session began with. A session that began
     * with a link has its own id here.
     */
    keyId: string | null;
    /** The session of the console. Null outside of the console. */
    session: FoundSession | null;
    /** The access token of the request. Null: it has a key, or no credential. */
    accessToken: ReadToken | null;
  }
}

/**
 * The time for which the state of a key is cached, in ms. Half of the 2 s within which a revocation
 * or suspension must take effect everywhere.
 */
const cacheMs = 1_000;

type Cached = { holder: KeyHolder; untilMs: number };

/** Passes a request and notes its business in it, or throws. */
type Authenticate = (request: FastifyRequest) => Promise<void>;

/** `path` is the path of the route, without the console's prefix. */
type AskedPath = Pick<LimitedRequest, "method" | "ip"> & { path: string };

export type Authentication = {
  byKey: Authenticate;
  byToken: Authenticate;
  byKeyOrToken: Authenticate;
  /** The holder of a key. Throws if the key may not do what is asked. */
  holderOfKey: (key: string, asked: AskedPath) => Promise<KeyHolder>;
  /**
   * The same for the id of a key that was shown earlier.
   * @throws Fault `key_revoked`, also if the key no longer exists
   */
  holderOfKeyId: (keyId: string, asked: AskedPath) => Promise<KeyHolder>;
};

/**
 * Makes the ways to authenticate. `byKey` takes only an API key, `byToken` only an access token,
 * and `byKeyOrToken` either. A token may do what its key may do at that moment.
 *
 * They throw Faults `missing_credentials`, `invalid_api_key`, `invalid_access_token`,
 * `access_token_expired`, `key_revoked`, `key_expired`, `network_refused`, `scope_missing`,
 * `business_unverified` and `business_suspended`. They throw `rate_limited` if the address has sent
 * too many wrong credentials.
 */
export function createAuthenticate(deps: {
  findKeyHolder: FindKeyHolder;
  isTokenEnded: BusinessLedger["isTokenEnded"];
  listUsedKeys: BusinessLedger["listUsedKeys"];
  accessTokens: AccessTokens;
  failed: FailedCredentials;
  clock: Pick<Clock, "now" | "elapsed">;
}): Authentication {
  const { failed } = deps;
  const cache = createRecent<Cached>();
  const keys = createTrusted({ ...deps, listUsed: deps.listUsedKeys });
  const ended = createRecent<{ isEnded: boolean; untilMs: number }>();

  async function holderOf(key: { digest: string } | { id: string }): Promise<KeyHolder | null> {
    const name = Object.values(key).join();
    const askedMs = deps.clock.elapsed();
    const cached = cache.get(name);
    if (cached !== undefined && askedMs < cached.untilMs) return cached.holder;
    const holder = await deps.findKeyHolder(key);
    if (holder === null) return null;
    // Counts from before the query, so that a slow answer does not make the entry live longer.
    cache.set(name, { holder, untilMs: askedMs + cacheMs });
    return holder;
  }

  async function byKey(request: FastifyRequest): Promise<void> {
    const key = apiKeyIn(request);
    if (key === null) {
      throw new Fault("missing_credentials", "Send the API key in the header x-api-key.");
    }
    admit(request, await holderOfKey(key, request.ip), deps.clock.now());
  }

  async function holderOfKey(key: string, address: string): Promise<KeyHolder> {
    const { digest } = recordOfApiKey(key);
    const holder = await keys.lookUp({ digest, address }, async () =>
      isApiKeyForm(key) ? holderOf({ digest }) : null,
    );
    if (holder === null)
      throw new Fault("invalid_api_key", "The API key is not valid: send a valid one.");
    return holder;
  }

  async function byToken(request: FastifyRequest): Promise<void> {
    const token = await readToken(request);
    const [holder, isEnded] = await Promise.all([holderOf({ id: token.keyId }), isOver(token.id)]);
    if (holder === null) {
      throw new Fault(
        "invalid_access_token",
        "The key of this access token does not exist: use another key.",
      );
    }
    if (isEnded) throw tokenEnded();
    request.accessToken = token;
    admit(request, holder, deps.clock.now());
  }

  /**
   * Verifies the token first, since that needs no query. Only a wrong token counts for its address.
   */
  async function readToken(request: FastifyRequest): Promise<ReadToken> {
    const bearer = bearerIn(request);
    try {
      return await deps.accessTokens.read(bearer);
    } catch (error) {
      if (faultIn(error)?.code !== "invalid_access_token") throw error;
      failed.refuse(request.ip);
      failed.note(request.ip);
      throw error;
    }
  }

  async function isOver(tokenId: string): Promise<boolean> {
    const askedMs = deps.clock.elapsed();
    const known = ended.get(tokenId);
    if (known !== undefined && (known.isEnded || askedMs < known.untilMs)) return known.isEnded;
    const isEnded = await deps.isTokenEnded(tokenId);
    ended.set(tokenId, { isEnded, untilMs: askedMs + cacheMs });
    return isEnded;
  }

  return {
    byKey,
    byToken,
    byKeyOrToken: (request) => (apiKeyIn(request) === null ? byToken(request) : byKey(request)),
    holderOfKey: async (key, asked) =>
      within(await holderOfKey(key, asked.ip), asked, deps.clock.now()),
    async holderOfKeyId(id, asked) {
      const holder = await holderOf({ id });
      if (holder === null) throw keyGone();
      return within(holder, asked, deps.clock.now());
    },
  };
}

/**
 * Finds which of these requests would now be refused, and with which fault. They passed when they
 * began. Asks one query for all keys and tokens, and one for all sessions of the console. Asks one
 * more for each key that is refused.
 */
export type FindOver = (requests: readonly FastifyRequest[]) => Promise<Map<FastifyRequest, Fault>>;

export function createFindOver(deps: {
  findClosed: BusinessLedger["findClosed"];
  /** Null: there is no console, so no request has a session. */
  findOpen: ConsoleLedger["findOpen"] | null;
  findKeyHolder: FindKeyHolder;
  clock: Pick<Clock, "now">;
}): FindOver {
  async function faultOf(request: FastifyRequest, nowMs: number): Promise<Fault> {
    try {
      const holder = await deps.findKeyHolder({ id: keyOf(request) });
      if (holder !== null) admit(request, holder, nowMs);
      return keyGone();
    } catch (error) {
      const fault = faultIn(error);
      if (fault === undefined) throw error;
      return fault;
    }
  }

  /** The open ones among the sessions of these requests. */
  async function openSessions(requests: readonly FastifyRequest[], at: Date): Promise<Set<string>> {
    const ids = new Set(requests.flatMap(({ session }) => session?.id ?? []));
    const open = ids.size === 0 ? [] : ((await deps.findOpen?.([...ids], at)) ?? []);
    return new Set(open.map(({ id }) => id));
  }

  return async (requests) => {
    const nowMs = deps.clock.now();
    const at = new Date(nowMs);
    const shown = requests.filter(({ session }) => session === null);
    const [open, closed] = await Promise.all([
      openSessions(requests, at),
      deps.findClosed({
        keyIds: [...new Set(shown.map(keyOf))],
        tokenIds: shown.flatMap(({ accessToken }) => accessToken?.id ?? []),
        at,
      }),
    ]);
    const over = new Map<FastifyRequest, Fault>();
    for (const request of requests)
      if (request.session !== null && !open.has(request.session.id))
        over.set(request, sessionOver());
    for (const request of shown) {
      const { accessToken: token } = request;
      if (token !== null && token.expiresAt.getTime() <= nowMs) over.set(request, tokenExpired());
      else if (token !== null && closed.has(token.id)) over.set(request, tokenEnded());
      else if (closed.has(keyOf(request))) over.set(request, await faultOf(request, nowMs));
    }
    return over;
  };
}

const keyGone = () =>
  new Fault("key_revoked", "The API key does not exist any more: use another one.");

const tokenEnded = () =>
  new Fault(
    "invalid_access_token",
    "The access token was ended: get another one from POST /auth/token.",
  );

function apiKeyIn(request: FastifyRequest): string | null {
  const key = request.headers["x-api-key"];
  return typeof key === "string" && key !== "" ? key : null;
}

function bearerIn(request: FastifyRequest): string {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw new Fault(
      "missing_credentials",
      "Send the API key in the header x-api-key, or an access token as Authorization: Bearer.",
    );
  }
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token !== undefined) return token;
  throw new Fault(
    "invalid_access_token",
    "Send the access token as Authorization: Bearer <token>.",
  );
}

function admit(request: FastifyRequest, holder: KeyHolder, nowMs: number): void {
  const { method, ip, routeOptions } = request;
  within(holder, { method, ip, path: routeOptions.url ?? "" }, nowMs);
  request.businessId = holder.businessId;
  request.keyId = holder.keyId;
}

function within(holder: KeyHolder, { path: url, ...asked }: AskedPath, nowMs: number): KeyHolder {
  requireOpen(holder);
  requireWithin(holder, { ...asked, url }, nowMs);
  return holder;
}

function requireOpen(holder: KeyHolder): void {
  if (holder.isRevoked) {
    throw new Fault("key_revoked", "The API key was revoked: use another one.");
  }
  requireOpenBusiness(holder);
}

/** @throws Fault `business_suspended`, `business_unverified` */
export function requireOpenBusiness(business: { isVerified: boolean; isSuspended: boolean }): void {
  if (business.isSuspended) {
    throw new Fault("business_suspended", "The business is suspended: ask the operator.");
  }
  if (!business.isVerified) {
    throw new Fault("business_unverified", "The business is not verified yet: ask the operator.");
  }
}

/** The business that sent the request. Call it only after authentication has passed the request. */
export function businessOf(request: Pick<FastifyRequest, "businessId">): string {
  return requireKnown(request.businessId);
}

/** The key of the request. Call it only after authentication has passed the request. */
export function keyOf(request: FastifyRequest): string {
  return requireKnown(request.keyId);
}

/** The token of the request. Call it only after authentication by token has passed the request. */
export function tokenOf(request: Pick<FastifyRequest, "accessToken">): ReadToken {
  return requireKnown(request.accessToken);
}

/** The actor of the request, for the audit trail. */
export function actorOf(request: FastifyRequest): Parameters<AuditedFor<never>>[0] {
  const { ip: address, claim, session } = request;
  const sessionId = session?.id ?? null;
  return { businessId: businessOf(request), keyId: keyOf(request), sessionId, address, claim };
}

function requireKnown<T>(known: T | null): T {
  if (known !== null) return known;
  throw new Fault("invariant_broken", "A business route was reached without authentication.");
}
