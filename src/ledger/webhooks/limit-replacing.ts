import { Fault } from "../../domain/fault.ts";
import { replacementLimit } from "../../domain/webhook/registration.ts";
import type { Tx } from "../postgres/transaction.ts";

/**
 * Limits how often a business may replace webhooks. Each replaced one leaves a row, moves all
 * waiting deliveries, and causes a POST to an unknown receiver.
 * @throws Fault `rate_limited` with `facts.retryAfterMs` once a business has ended too many within
 *   the hour
 */
export async function limitReplacing(tx: Tx, businessId: string): Promise<void> {
  const { count, withinMs } = replacementLimit;
  const rows = await tx.$queryRaw<{ retryAfterMs: number }[]>`
    SELECT (extract(epoch FROM deleted_at - now()) * 1000 + ${withinMs}::float8)::float8 AS "retryAfterMs"
    FROM webhook WHERE business_id = ${businessId}::uuid AND deleted_at > now() - ${withinMs}::float8 * interval '1 ms'
    ORDER BY deleted_at DESC OFFSET ${count - 1} LIMIT 1`;
  const retryAfterMs = rows[0]?.retryAfterMs;
  if (retryAfterMs === undefined) return;
  throw new Fault(
    "rate_limited",
    `A webhook may be replaced ${count} times an hour: change the registered one, or wait as long as Retry-After says.`,
    { facts: { retryAfterMs } },
  );
}
