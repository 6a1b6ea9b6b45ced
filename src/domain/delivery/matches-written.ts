import { exactOf } from "../exact.ts";
import { matches, type WebhookFilter } from "../webhook/filter.ts";

/**
 * A notification as it was written. `usdValue`: its transaction's value at confirmation, a decimal.
 * Null: there is no price, or the filter does not need it.
 */
export type WrittenNotice = { event: string; body: string; usdValue: string | null };

/**
 * True if a filter matches a written notification. All facts except the value are in its body. A
 * null filter matches every notification.
 */
export function matchesWritten(
  filter: WebhookFilter | null,
  { event, body, usdValue }: WrittenNotice,
): boolean {
  if (filter === null) return true;
  const { blockchain, asset, walletId, reference, amount } = JSON.parse(body).data;
  return matches(filter, {
    event,
    chainName: blockchain,
    assetCode: asset ?? null,
    walletId,
    reference,
    amount: amount === undefined ? null : exactOf(amount),
    worth: usdValue === null ? null : exactOf(usdValue),
  });
}
