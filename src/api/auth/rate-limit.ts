import type { FastifyRequest } from "fastify";
import type { BusinessLedger } from "../../domain/business/business-ledger.ts";
import type { RateLimit, WorkLimits } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type Owner, ownerKey } from "../../runtime/on-behalf.ts";
import { businessOf } from "./authenticate.ts";

export type RateLimitDeps = Pick<BusinessLedger, "takeTokens"> & {
  rateLimit: RateLimit;
  workLimits: WorkLimits;
  clock: Pick<Clock, "elapsed">;
};

type Waiting = { resolve: (waitMs: number) => void; reject: (error: unknown) => void };

/**
 * The state of one bucket in this process: the waiting requests, and the time until which it is
 * empty.
 */
type Known = { waiting: Waiting[]; isAsking: boolean; emptyUntilMs: number };

/** The most buckets that are remembered. One with a query under way is not dropped. */
const maxKnown = 10_000;

/**
 * Limits each business, for all of its keys, tokens and sessions together. Also limits how many
 * sessions one operator begins.
 */
export type Limits = {
  /**
   * Counts one request of a business. Changes and searches have a limit of their own in addition.
   * @param businessId left out: the business that authentication has found
   * @throws Fault `rate_limited` with `facts.retryAfterMs`
   */
  request: (request: FastifyRequest, businessId?: string) => Promise<void>;
  /** Counts one new session of a business or an operator. @throws Fault `rate_limited` */
  signIn: (owner: Owner) => Promise<void>;
};

export function createLimits(deps: RateLimitDeps): Limits {
  const { rateLimit, workLimits } = deps;
  const take = createBuckets(deps);
  return {
    async request(request, businessId = businessOf(request)) {
      await take(`request ${businessId}`, rateLimit);
      const { method } = request;
      const isReading = method === "GET" || method === "HEAD";
      if (!isReading) await take(`change ${businessId}`, workLimits.change);
      if (isSearch(request)) await take(`search ${businessId}`, workLimits.search);
    },
    signIn: (owner) => take(`sign_in ${ownerKey(owner)}`, workLimits.sign_in),
  };
}

/**
 * True if the request searches by the beginning of a text. Looks at the route, because the console
 * has the same route under another path.
 */
function isSearch({ routeOptions, query }: FastifyRequest): boolean {
  const isList = typeof query === "object" && query !== null && "q" in query;
  return isList || /\/search$/.test(routeOptions.url ?? "");
}

/**
 * Takes one token of a bucket, or throws Fault `rate_limited`. Each bucket has at most one query
 * under way. Requests that arrive during a query share the next one. An empty bucket is not queried
 * before it has tokens again.
 */
function createBuckets({ takeTokens, clock }: RateLimitDeps) {
  const buckets = new Map<string, Known>();

  function knownOf(bucket: string): Known {
    const known = buckets.get(bucket) ?? { waiting: [], isAsking: false, emptyUntilMs: 0 };
    if (!buckets.has(bucket) && buckets.size >= maxKnown) forgetOne();
    buckets.set(bucket, known);
    return known;
  }

  function forgetOne(): void {
    for (const [bucket, known] of buckets) {
      if (known.isAsking) continue;
      buckets.delete(bucket);
      return;
    }
  }

  async function ask(bucket: string, limit: RateLimit, known: Known): Promise<void> {
    known.isAsking = true;
    while (known.waiting.length > 0) {
      const asking = known.waiting.splice(0);
      try {
        const taken = await takeTokens({ bucket, wanted: asking.length, limit });
        if (taken.granted < asking.length) known.emptyUntilMs = clock.elapsed() + taken.waitMs;
        for (const [index, one] of asking.entries()) {
          one.resolve(index < taken.granted ? 0 : taken.waitMs);
        }
      } catch (error) {
        for (const one of asking) one.reject(error);
      }
    }
    known.isAsking = false;
  }

  return async (bucket: string, limit: RateLimit): Promise<void> => {
    const known = knownOf(bucket);
    const emptyMs = known.emptyUntilMs - clock.elapsed();
    if (emptyMs > 0) throw limited(bucket, emptyMs, limit);
    const waitMs = await new Promise<number>((resolve, reject) => {
      known.waiting.push({ resolve, reject });
      if (!known.isAsking) void ask(bucket, limit, known);
    });
    if (waitMs > 0) throw limited(bucket, waitMs, limit);
  };
}

const named: Record<string, string> = {
  request: "requests",
  change: "changes",
  search: "searches",
  sign_in: "sign-ins",
};

function limited(bucket: string, waitMs: number, { perSecond, burst }: RateLimit): Fault {
  const [kind = "", whose] = bucket.split(" ");
  return new Fault(
    "rate_limited",
    `${whose === "operator" ? "An operator" : "A business"} has ${perSecond} ${named[kind] ?? kind} a second, ${burst} at once: wait as long as the header retry-after says.`,
    { facts: { retryAfterMs: waitMs } },
  );
}
