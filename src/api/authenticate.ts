import type { FastifyReply, FastifyRequest } from "fastify";
import { isApiKeyForm, type KeyHolder, recordOfApiKey } from "../domain/api-key.ts";
import { Fault } from "../domain/fault.ts";

/** Finds whose key has a digest; null: nobody's. */
export type FindKeyHolder = (digest: string) => Promise<KeyHolder | null>;

declare module "fastify" {
  interface FastifyRequest {
    /** Whose key was shown; null before authentication and where there is none. */
    businessId: string | null;
  }
}

/** A revocation or suspension must take effect within 2 seconds everywhere: half of that. */
const cacheMs = 1_000;

/** Keys remembered at once; the oldest go first. Unknown keys are not remembered. */
const maxCachedKeys = 10_000;

type Cached = { holder: KeyHolder; untilMs: number };

/**
 * The hook that lets a request pass only with a key that opens something, and says whose it is.
 * Throws Faults `missing_credentials`, `invalid_api_key`, `key_revoked`, `business_unverified`, `business_suspended`.
 */
export function createAuthenticate(deps: {
  findKeyHolder: FindKeyHolder;
  clock: { now: () => number };
}): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const cache = new Map<string, Cached>();

  async function holderOf(digest: string): Promise<KeyHolder | null> {
    const askedMs = deps.clock.now();
    const cached = cache.get(digest);
    if (cached !== undefined && askedMs < cached.untilMs) return cached.holder;
    cache.delete(digest);
    const holder = await deps.findKeyHolder(digest);
    if (holder === null) return null;
    const oldest = cache.keys().next();
    if (cache.size >= maxCachedKeys && !oldest.done) cache.delete(oldest.value);
    // Counted from before the question, so that a slow answer is not old already.
    cache.set(digest, { holder, untilMs: askedMs + cacheMs });
    return holder;
  }

  return async (request) => {
    const key = keyIn(request);
    const holder = isApiKeyForm(key) ? await holderOf(recordOfApiKey(key).digest) : null;
    if (holder === null) throw new Fault("invalid_api_key", "The API key is not valid.");
    requireOpen(holder);
    request.businessId = holder.businessId;
  };
}

function keyIn(request: FastifyRequest): string {
  const key = request.headers["x-api-key"];
  if (typeof key === "string" && key !== "") return key;
  if (request.headers.authorization !== undefined) {
    throw new Fault(
      "missing_credentials",
      "Access tokens are not offered yet: send the API key in the header x-api-key.",
    );
  }
  throw new Fault("missing_credentials", "Send the API key in the header x-api-key.");
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

/** Whose request it is, after the hook has let it pass. */
export function businessOf(request: FastifyRequest): string {
  if (request.businessId !== null) return request.businessId;
  throw new Fault("invariant_broken", "A business route was reached without authentication.");
}
