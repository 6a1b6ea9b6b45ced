import { exactOf } from "../exact.ts";
import { matches, type WebhookFilter } from "../webhook/filter.ts";

/**
 * A notification as it was written. `usdValue`: the worth of its transaction at confirmation, a
 * decimal. Null: there is no price, or nobody asks for it.
 */
export type WrittenNotice = { event: string; body: string; usdValue: string | null };

/**
 * Says whether a notification that was written is one of those that a filter names. Its body says
 * all but the worth. A null filter names all.
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
