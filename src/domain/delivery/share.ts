import { hangingShare, slotHeldMs, slowMs } from "./delivery.ts";

/**
 * The rules of docs/contract.md#fairness about claims, and nowhere else. Each rule stands with its
 * measured effect. The figures are of docs/benchmarks.md and decision 48. The rules for a request
 * that hangs are in src/dispatcher/slots.ts.
 */

/**
 * The share of all slots that receivers on probation may have in flight together. Slow receivers
 * and unknown receivers are on probation. It was measured with a hanging and a dead receiver of
 * 10,000 deliveries each, beside 50 healthy businesses. p50: 13 -> 15 ms, p99: 22 -> 37 ms.
 */
const probationShare = 1 / 4;

/**
 * A request that is in flight for this long, in ms, is slow already. `slowMs` are for its answer,
 * and 1 s is for slot and record. Not measured by itself.
 */
export const slowInFlightMs = slowMs + 1_000;

/**
 * A request that is in flight for this long, in ms, has given its slot up. `slotHeldMs` are for the
 * answer, and the rest is for slot and record. It was measured together with `placesAfterPause`,
 * with 200 in place of 300 ms. p99 of the first second in which 25 known receivers begin to hang:
 * 363 -> 117 ms.
 */
export const hangingInFlightMs = slotHeldMs + 100;

/**
 * A receiver that has answered nothing for this long is not known. It gets one place until it
 * answers. Not measured.
 */
const knownForMs = 24 * 60 * 60 * 1000;

/**
 * A receiver that has answered nothing for this long gets `placesAfterPause` places until it
 * answers again. It may hang by now, and nobody can know that before it was asked. A connection
 * starts slowly after a pause for the same reason (RFC 2861). Without this rule, the first pass
 * gave 25 receivers that began to hang all 240 places there were.
 */
const answeringForMs = 10_000;
const placesAfterPause = 4;

/**
 * After this many failures in a row, a webhook gets one place, so it holds at most one sending
 * slot. Not measured.
 */
const failuresUntilOneAtATime = 5;

/**
 * The share of its business's places that a webhook in trouble may have, where the business has
 * others beside it. A webhook is in trouble while it fails, is slow, or is not known. Not measured.
 */
const troubledShare = 1 / 4;

/**
 * The share of a webhook's places that goes to retries while some are due. So neither kind starves
 * the other. Not measured.
 */
const retryShare = 1 / 4;

/** The known facts about the receiver of a webhook. */
type Receiver = {
  wasSlow: boolean;
  /**
   * The time since the receiver's last answer, in ms. Null: it has never answered since it was
   * registered.
   */
  answeredAgoMs: number | null;
  consecutiveFailures: number;
};

/**
 * The deliveries that a business has in flight to one webhook, and the known facts about its
 * receiver.
 */
export type InFlight = {
  businessId: string;
  webhookId: string;
  count: number;
  /** The deliveries of `count` that were begun at least `slowInFlightMs` ago. */
  slow: number;
  /** The deliveries of `count` that were begun at least `hangingInFlightMs` ago. */
  hanging: number;
  /** True if the last attempt at the webhook was slow. Null: it is no longer registered. */
  wasSlow: boolean | null;
  answeredAgoMs: number | null;
  consecutiveFailures: number;
};

/** The capacity of the dispatchers: facts, as the ledger has them. */
export type Capacity = {
  /** The slots of each dispatcher that is alive. */
  slots: readonly number[];
  /**
   * The deliveries that may be claimed beyond the slots, to wait in the queue, as a share of the
   * slots.
   */
  aheadShare: number;
  /** Every webhook that has something in flight. */
  inFlight: readonly InFlight[];
};

/**
 * An active webhook with something due: facts, as the ledger has them. Times are in ms by the
 * database's clock.
 */
export type DueWebhook = Receiver & {
  webhookId: string;
  businessId: string;
  /** The deliveries that its business may have in flight. */
  limit: number;
  /** The other active webhooks of its business, whether something is due there or not. */
  beside: readonly Receiver[];
  /**
   * The time until its open circuit lets one attempt through, in ms; 0 or less is now. Null: the
   * circuit is closed.
   */
  circuitOpenForMs: number | null;
  /** Attempts a second; null: not limited. */
  rate: number | null;
  /** The time by which it is ahead of its rate, in ms. Null or less than 0: it is not ahead. */
  rateAheadMs: number | null;
  /** Attempts a second at all webhooks of its business together; null: not limited. */
  businessRate: number | null;
  /** The time by which its business is ahead of that rate, in ms. See `rateAheadMs`. */
  businessRateAheadMs: number | null;
  /** The time since its last claim, in ms. Null: it was never claimed. */
  claimedAgoMs: number | null;
  /** The time since the last claim for any webhook of its business, in ms. */
  businessClaimedAgoMs: number | null;
  /**
   * First attempts and retries that are due and not claimed, each counted up to `limit` less
   * `placesTaken`.
   */
  dueFirsts: number;
  dueRetries: number;
};

/** Deliveries of one webhook to be claimed together. */
export type Share = { webhookId: string; firsts: number; retries: number };

/**
 * The deliveries that may be claimed now, and those of them that receivers on probation may get.
 */
export function freePlaces({ slots, aheadShare, inFlight }: Capacity): {
  free: number;
  freeOnProbation: number;
} {
  const all = sum(slots);
  const hanging = sum(inFlight.map((one) => one.hanging));
  const inSlots = sum(inFlight.map(({ count }) => count)) - hanging;
  const onProbation = inFlight.filter((one) => isOnProbation(one, one.slow));
  return {
    // A hanging request has given its slot up, but no more than `hangingShare` allows.
    free: Math.floor(all * (1 + aheadShare)) - inSlots - Math.max(0, hanging - all * hangingShare),
    freeOnProbation: Math.ceil(all * probationShare) - sum(onProbation.map(({ count }) => count)),
  };
}

/**
 * Of each business with something in flight the places that nothing of it may take again now.
 * `share` gives the business at most its limit less these. A request that hangs is none of them.
 */
export function placesTaken(inFlight: readonly InFlight[]): Map<string, number> {
  const taken = new Map<string, number>();
  for (const { businessId, count, hanging } of inFlight)
    taken.set(businessId, (taken.get(businessId) ?? 0) + count - hanging);
  return taken;
}

/**
 * The deliveries to claim now for each webhook. Pure. Businesses take turns: the one that was
 * claimed for longest ago comes first, and so do its webhooks among themselves. All webhooks of a
 * business together get no more than its limit, less all that it has in flight. While requests of
 * the business hang, a healthy webhook with nothing in flight gets one place beyond it. A webhook
 * gets no more than its own rate admits, nor more than one dispatcher has slots. All webhooks of a
 * business get no more than the rate of the business admits.
 * @param random in [0, 1): rounds the places for retries up or down. So the share holds on average
 * where places are few
 */
export function share(
  capacity: Capacity,
  webhooks: readonly DueWebhook[],
  random: () => number,
): Share[] {
  let { free, freeOnProbation } = freePlaces(capacity);
  const held = placesHeld(capacity.inFlight);
  // One dispatcher sends a claim. It begins the claim when it has a slot for each of its
  // deliveries.
  const largest = Math.min(...capacity.slots);
  const shares: Share[] = [];
  for (const webhook of inTurn(webhooks)) {
    const taken = held.of(webhook);
    const isProbationer = isOnProbation(webhook, taken.slow);
    const places = Math.min(
      limitOf(webhook, taken),
      isProbationer ? Math.min(free, freeOnProbation) : free,
      rateLeft(webhook.rate, webhook.rateAheadMs),
      rateLeft(webhook.businessRate, webhook.businessRateAheadMs) - taken.claimed,
      largest,
      webhook.dueFirsts + webhook.dueRetries,
    );
    if (places <= 0) continue;
    free -= places;
    if (isProbationer) freeOnProbation -= places;
    held.take(webhook, places, isTroubled(webhook, taken.slow));
    const kept = Math.min(webhook.dueRetries, Math.floor(places * retryShare + random()));
    const firsts = Math.min(webhook.dueFirsts, places - kept);
    shares.push({ webhookId: webhook.webhookId, firsts, retries: places - firsts });
  }
  return shares;
}

/**
 * The places that are taken: by a webhook, by its business, by those in trouble there, and by
 * requests of the business that hang. `claimed`: those that its business got just now.
 */
type Held = {
  own: number;
  business: number;
  troubled: number;
  hanging: number;
  slow: number;
  claimed: number;
};

type Name = Pick<DueWebhook, "businessId" | "webhookId">;

/**
 * Keeps the places that are taken. A request under way to a webhook that is no longer registered
 * counts as one of each webhook of its business. Otherwise a business could have any number under
 * way by registering webhooks.
 */
function placesHeld(inFlight: readonly InFlight[]) {
  const held = new Map<string, number>();
  const get = (key: string) => held.get(key) ?? 0;
  const add = (key: string, more: number) => held.set(key, get(key) + more);
  for (const one of inFlight) {
    const name = one.wasSlow === null ? `gone ${one.businessId}` : one.webhookId;
    add(name, one.count);
    add(`slow ${name}`, one.slow);
    add(one.businessId, one.count);
    add(`hanging ${one.businessId}`, one.hanging);
    if (isTroubled(one, one.slow)) add(`troubled ${one.businessId}`, one.count);
  }
  return {
    of: ({ businessId, webhookId }: Name): Held => ({
      own: get(webhookId) + get(`gone ${businessId}`),
      business: get(businessId),
      troubled: get(`troubled ${businessId}`),
      hanging: get(`hanging ${businessId}`),
      slow: get(`slow ${webhookId}`) + get(`slow gone ${businessId}`),
      claimed: get(`claimed ${businessId}`),
    }),
    take({ businessId, webhookId }: Name, places: number, isTroubling: boolean): void {
      add(webhookId, places);
      add(businessId, places);
      add(`claimed ${businessId}`, places);
      if (isTroubling) add(`troubled ${businessId}`, places);
    },
  };
}

/** The places that a webhook may get beside those that are held, while it is as it is. */
function limitOf(webhook: DueWebhook, held: Held): number {
  const { limit, beside, circuitOpenForMs } = webhook;
  if (circuitOpenForMs !== null && circuitOpenForMs > 0) return 0;
  const left = limit - held.business;
  const own = placesOf(webhook) - held.own;
  if (beside.length === 0) return Math.min(own, left);
  if (!isTroubled(webhook, held.slow)) {
    // A receiver that begins to hang may hold all places before it counts as slow.
    const least = held.own === 0 && left + held.hanging > 0 ? 1 : 0;
    return Math.min(own, Math.max(left, least));
  }
  const most = Math.max(1, Math.floor(limit * troubledShare));
  const healthy = beside.filter((one) => !isTroubled(one, 0)).length;
  return Math.min(own, left, most - held.own, Math.max(1, limit - healthy) - held.troubled);
}

/** The places of a webhook that has its business for itself. */
function placesOf({ limit, consecutiveFailures, answeredAgoMs }: DueWebhook): number {
  if (consecutiveFailures >= failuresUntilOneAtATime || !isKnown(answeredAgoMs)) return 1;
  return answeredAgoMs <= answeringForMs ? limit : Math.min(placesAfterPause, limit);
}

/** A webhook in trouble leaves places to the others of its business. */
function isTroubled(receiver: Pick<InFlight, keyof Receiver>, slow: number): boolean {
  return receiver.consecutiveFailures > 0 || isOnProbation(receiver, slow);
}

/**
 * The attempts that a rate admits now. After a pause they are those of 1 s. They are fewer by those
 * that were claimed within the last second.
 */
function rateLeft(rate: number | null, aheadMs: number | null): number {
  if (rate === null) return Number.POSITIVE_INFINITY;
  return Math.floor((rate * (1_000 - Math.max(0, aheadMs ?? 0))) / 1_000);
}

function isOnProbation(receiver: Pick<InFlight, "wasSlow" | "answeredAgoMs">, slow: number) {
  return slow > 0 || receiver.wasSlow !== false || !isKnown(receiver.answeredAgoMs);
}

function isKnown(answeredAgoMs: number | null): answeredAgoMs is number {
  return answeredAgoMs !== null && answeredAgoMs <= knownForMs;
}

function inTurn(webhooks: readonly DueWebhook[]): DueWebhook[] {
  const never = Number.POSITIVE_INFINITY;
  const waited = (one: DueWebhook) => one.businessClaimedAgoMs ?? never;
  const waitedItself = (one: DueWebhook) => one.claimedAgoMs ?? never;
  return webhooks.toSorted(
    (a, b) =>
      longestFirst(waited(a), waited(b)) ||
      longestFirst(waitedItself(a), waitedItself(b)) ||
      (a.webhookId < b.webhookId ? -1 : 1),
  );
}

function longestFirst(a: number, b: number): number {
  return a === b ? 0 : b > a ? 1 : -1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
