import { type FilteredFacts, matches, type WebhookFilter } from "./filter.ts";

/** A registered webhook of a business. A null filter: it wants everything. */
export type Interested = {
  id: string;
  isAdditional: boolean;
  isOrdered: boolean;
  filter: WebhookFilter | null;
};

/**
 * A way on which a notification goes. A null webhook: held until the business has a first one.
 * `isOrdered`: after those of its wallet that were written before it.
 */
export type Way = { webhookId: string | null; isAdditional: boolean; isOrdered: boolean };

/**
 * The owner of a webhook's streams: an additional webhook, or the business of a first one. So they
 * go on when the first is replaced.
 */
export function streamOwner({ webhookId, isAdditional }: Way, businessId: string): string {
  return isAdditional && webhookId !== null ? webhookId : businessId;
}

/**
 * The webhooks that were given what a reversal or a drop undoes. `everybody`: that is not kept any
 * more, and anybody may have been.
 */
export type Given = { isFirst: boolean; additional: readonly string[] } | "everybody";

/**
 * A notification as filters judge it. `given` null: it undoes nothing that was notified.
 * `isOnRequest`: only a webhook whose filter names its event wants it.
 */
export type Judged = {
  facts: () => FilteredFacts;
  given: Given | null;
  isOnRequest: boolean;
};

/**
 * The webhooks that a notification goes to: the one place that decides it, judged once, when the
 * notification is written. Where there is no first webhook, the notification is held for a later
 * one, unless it is on request. A webhook that was given what a notification undoes wants it,
 * whatever its filter.
 */
export function waysOf(webhooks: readonly Interested[], judged: Judged): Way[] {
  const ways: Way[] = [];
  const first = webhooks.find(({ isAdditional }) => !isAdditional);
  if (first === undefined ? !judged.isOnRequest : wants(first, judged))
    ways.push({
      webhookId: first?.id ?? null,
      isAdditional: false,
      isOrdered: first?.isOrdered ?? false,
    });
  for (const webhook of webhooks) {
    const { id: webhookId, isAdditional, isOrdered } = webhook;
    if (isAdditional && wants(webhook, judged)) ways.push({ webhookId, isAdditional, isOrdered });
  }
  return ways;
}

function wants({ id, isAdditional, filter }: Interested, judged: Judged): boolean {
  const { facts, given, isOnRequest } = judged;
  if (isOnRequest && filter?.events === undefined) return false;
  if (filter === null || given === "everybody") return true;
  const wasGiven = isAdditional ? given?.additional.includes(id) : given?.isFirst;
  return wasGiven === true || matches(filter, facts());
}
