import type { FastifyRequest } from "fastify";
import { isApiKeyForm, type KeyHolder, recordOfApiKey } from "../../domain/business/api-key.ts";
import type { BusinessLedger } from "../../domain/business/business-ledger.ts";
import { Fault } from "../../domain/fault.ts";
import type { AccessTokens } from "./access-token.ts";

/** Finds whose key this is; null: nobody's. */
export type FindKeyHolder = BusinessLedger["findKeyHolder"];

declare module "fastify" {
  interface FastifyRequest {
    /** Whose key or token was shown; null before authentication and where there is none. */
    businessId: string | null;
    /** The key that was shown, or that the token was minted with. */
    keyId: string | null;
  }
}

/** A revocation or suspension must take effect within 2 seconds everywhere: half of that. */
const cacheMs = 1_000;

/** Keys remembered at once; the oldest go first. Unknown keys are not remembered. */
const maxCachedKeys = 10_000;

type Cached = { holder: KeyHolder; untilMs: number };

/** Lets a request pass, and says whose it is; throws otherwise. */
type Authenticate = (request: FastifyRequest) => Promise<void>;

/**
 * The two ways in. `byKey` takes an API key alone; `byKeyOrToken` an access token as well, which opens what its key
 * opens at that moment.
 * Throw Faults `missing_credentials`, `invalid_api_key`, `invalid_access_token`, `access_token_expired`,
 * `key_revoked`, `business_unverified`, `business_suspended`.
 */
export function createAuthenticate(deps: {
  findKeyHolder: FindKeyHolder;
  accessTokens: AccessTokens;
  clock: { now: () => number };
}): { byKey: Authenticate; byKeyOrToken: Authenticate } {
  const cache = new Map<string, Cached>();

  async function holderOf(key: { digest: string } | { id: string }): Promise<KeyHolder | null> {
    const name = Object.values(key).join();
    const askedMs = deps.clock.now();
    const cached = cache.get(name);
    if (cached !== undefined && askedMs < cached.untilMs) return cached.holder;
    cache.delete(name);
    const holder = await deps.findKeyHolder(key);
    if (holder === null) return null;
    const oldest = cache.keys().next();
    if (cache.size >= maxCachedKeys && !oldest.done) cache.delete(oldest.value);
    // Counted from before the question, so that a slow answer is not old already.
    cache.set(name, { holder, untilMs: askedMs + cacheMs });
    return holder;
  }

  async function byKey(request: FastifyRequest): Promise<void> {
    const key = apiKeyIn(request);
    if (key === null) {
      throw new Fault("missing_credentials", "Send the API key in the header x-api-key.");
    }
    const isKey = isApiKeyForm(key);
    const holder = isKey ? await holderOf({ digest: recordOfApiKey(key).digest }) : null;
    if (holder === null) throw new Fault("invalid_api_key", "The API key is not valid.");
    admit(request, holder);
  }

  async function byToken(request: FastifyRequest): Promise<void> {
    const { keyId } = await deps.accessTokens.read(bearerIn(request));
    const holder = await holderOf({ id: keyId });
    if (holder === null) {
      throw new Fault("invalid_access_token", "The key of this access token does not exist.");
    }
    admit(request, holder);
  }

  return {
    byKey,
    byKeyOrToken: (request) => (apiKeyIn(request) === null ? byToken(request) : byKey(request)),
  };
}

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

function admit(request: FastifyRequest, holder: KeyHolder): void {
  requireOpen(holder);
  request.businessId = holder.businessId;
  request.keyId = holder.keyId;
}

function requireOpen(holder: KeyHolder): void {
  if (holder.isRevoked) {
    throw new Fault("key_revoked", "The API key was revoked: use another one.");
  }
  if (holder.isSuspended) {
    throw new Fault("business_suspended", "The business is suspended: ask the operator.");
  }
  if (!holder.isVerified) {
    throw new Fault("business_unverified", "The business is not verified yet: ask the operator.");
  }
}

/** Whose request it is, after authentication has let it pass. */
export function businessOf(request: Pick<FastifyRequest, "businessId">): string {
  return requireKnown(request.businessId);
}

/** The key behind the request, after authentication has let it pass. */
export function keyOf(request: FastifyRequest): string {
  return requireKnown(request.keyId);
}

function requireKnown(id: string | null): string {
  if (id !== null) return id;
  throw new Fault("invariant_broken", "A business route was reached without authentication.");
}
