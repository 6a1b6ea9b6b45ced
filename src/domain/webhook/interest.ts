import { type FilteredFacts, matches, type WebhookFilter } from "./filter.ts";

/** A registered webhook of a business. A null filter: it wants every notification. */
export type Interested = {
  id: string;
  isAdditional: boolean;
  isOrdered: boolean;
  filter: WebhookFilter | null;
};

/**
 * A way on which a notification goes. `webhookId` null: it is held until the business has a first
 * webhook. `isOrdered`: it follows earlier ones of the same wallet.
 */
export type Way = { webhookId: string | null; isAdditional: boolean; isOrdered: boolean };

/**
 * The owner of a webhook's streams. For an additional webhook it is the webhook. For a first
 * webhook it is the business, so that the streams outlast a replacement.
 */
export function streamOwner({ webhookId, isAdditional }: Way, businessId: string): string {
  return isAdditional && webhookId !== null ? webhookId : businessId;
}

/**
 * The webhooks that received what a reversal or a drop undoes. `everybody`: that is not stored any
 * more, so any webhook may have received it.
 */
export type Given = { isFirst: boolean; additional: readonly string[] } | "everybody";

/**
 * A notification as filters judge it. `given` null: it undoes no notification. `isOnRequest`: only
 * a webhook whose filter names the event wants it.
 */
export type Judged = {
  facts: () => FilteredFacts;
  given: Given | null;
  isOnRequest: boolean;
};

/**
 * Decides to which webhooks a notification goes, once, when it is written. Nothing else decides it.
 * Without a first webhook the notification is held for a later one, unless it is on request. A
 * webhook that received what the notification undoes wants it, whatever its filter.
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
