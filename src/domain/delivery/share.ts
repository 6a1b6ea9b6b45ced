import { hangingShare, slotHeldMs, slowMs } from "./delivery.ts";

/**
 * All rules of docs/contract.md#fairness about claims. Each one has its measured effect, from
 * docs/measurements/long-runs.md and decision 48. The rules for a request that hangs are in
 * src/dispatcher/slots.ts.
 */

/**
 * The share of all slots that receivers on probation, which are slow or unknown, may have in flight
 * together. Measured with a hanging and a dead receiver of 10,000 deliveries each, and 50 healthy
 * businesses. p50: 13 -> 15 ms, p99: 22 -> 37 ms.
 */
const probationShare = 1 / 4;

/**
 * A request in flight for this many ms is slow already. It has `slowMs` for its answer, and 1 s for
 * slot and record. Not measured by itself.
 */
export const slowInFlightMs = slowMs + 1_000;

/**
 * A request in flight for this many ms has released its slot. It has `slotHeldMs` for the answer,
 * and the rest for slot and record. Measured together with `placesAfterPause`, with 200 instead of
 * 300 ms. p99 of the first second in which 25 known receivers begin to hang: 363 -> 117 ms.
 */
export const hangingInFlightMs = slotHeldMs + 100;

/**
 * A receiver that has not answered for this long is unknown. It gets one place until it answers.
 * Not measured.
 */
const knownForMs = 24 * 60 * 60 * 1000;

/**
 * A receiver that has not answered for this long, in ms, gets `placesAfterPause` places until it
 * answers. It may hang now, which only a request can show. A TCP connection starts slowly after a
 * pause for the same reason (RFC 2861). Without this rule, a first pass gave all 240 places to 25
 * receivers that began to hang.
 */
const answeringForMs = 10_000;
const placesAfterPause = 4;

/**
 * After this many failures in a row, a webhook gets one place, so it holds at most one slot. Not
 * measured.
 */
const failuresUntilOneAtATime = 5;

/**
 * The share of its business's places for a webhook in trouble, if the business has other webhooks.
 * A webhook is in trouble while it fails, is slow, or is unknown. Not measured.
 */
const troubledShare = 1 / 4;

/**
 * The share of a webhook's places for retries, while some are due. So neither retries nor first
 * attempts starve. Not measured.
 */
const retryShare = 1 / 4;

/** The known facts about a webhook's receiver. */
type Receiver = {
  wasSlow: boolean;
  /** The time since its last answer, in ms. Null: it has never answered since its registration. */
  answeredAgoMs: number | null;
  consecutiveFailures: number;
};

/** A business's deliveries in flight to one webhook, and what is known of its receiver. */
export type InFlight = {
  businessId: string;
  webhookId: string;
  count: number;
  /** The part of `count` that was begun at least `slowInFlightMs` ago. */
  slow: number;
  /** The part of `count` that was begun at least `hangingInFlightMs` ago. */
  hanging: number;
  /** True if the webhook's last attempt was slow. Null: the webhook is not registered any more. */
  wasSlow: boolean | null;
  answeredAgoMs: number | null;
  consecutiveFailures: number;
};

/** The dispatchers' capacity, as the ledger has it. */
export type Capacity = {
  /** The slots of each dispatcher that is alive. */
  slots: readonly number[];
  /** The deliveries that may be claimed ahead, to wait in the queue, as a share of the slots. */
  aheadShare: number;
  /** All webhooks with deliveries in flight. */
  inFlight: readonly InFlight[];
};

/**
 * An active webhook with something due, as the ledger has it. Times are in ms by the database's
 * clock.
 */
export type DueWebhook = Receiver & {
  webhookId: string;
  businessId: string;
  /** The most deliveries of its business in flight. */
  limit: number;
  /** The other active webhooks of its business, with or without due deliveries. */
  beside: readonly Receiver[];
  /**
   * The time until its open circuit allows one attempt, in ms; 0 or less: now. Null: the circuit is
   * closed.
   */
  circuitOpenForMs: number | null;
  /** The most attempts a second; null: no limit. */
  rate: number | null;
  /** The time that it is ahead of its rate, in ms. Null or below 0: it is not ahead. */
  rateAheadMs: number | null;
  /** The most attempts a second at all webhooks of its business; null: no limit. */
  businessRate: number | null;
  /** The time that its business is ahead of that rate, in ms. See `rateAheadMs`. */
  businessRateAheadMs: number | null;
  /** The time since its last claim, in ms. Null: it was never claimed. */
  claimedAgoMs: number | null;
  /** The time since the last claim for any webhook of its business, in ms. */
  businessClaimedAgoMs: number | null;
  /**
   * Due first attempts and retries that are not claimed. Each is counted up to `limit` less
   * `placesTaken`.
   */
  dueFirsts: number;
  dueRetries: number;
};

/** Deliveries of one webhook that are claimed together. */
export type Share = { businessId: string; webhookId: string; firsts: number; retries: number };

/**
 * The number of deliveries that may be claimed now, and of those among them for receivers on
 * probation.
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
    // A hanging request has released its slot. `hangingShare` limits how many may do so.
    free: Math.floor(all * (1 + aheadShare)) - inSlots - Math.max(0, hanging - all * hangingShare),
    freeOnProbation: Math.ceil(all * probationShare) - sum(onProbation.map(({ count }) => count)),
  };
}

/**
 * For each business in flight, how many of its places are taken. `share` gives it at most its limit
 * less these. A request that hangs takes no place.
 */
export function placesTaken(inFlight: readonly InFlight[]): Map<string, number> {
  const taken = new Map<string, number>();
  for (const { businessId, count, hanging } of inFlight)
    taken.set(businessId, (taken.get(businessId) ?? 0) + count - hanging);
  return taken;
}

/**
 * Decides how many deliveries of each webhook are claimed now. Pure.
 *
 * Businesses take turns: the one whose last claim is oldest comes first, and the same order applies
 * to its webhooks. All webhooks of a business get at most its limit, less its deliveries in flight.
 * They get at most what its rate allows. A webhook gets at most what its own rate allows, and at
 * most the slots of one dispatcher. While requests of a business hang, a healthy webhook with
 * nothing in flight gets one place beyond the limit.
 * @param random in [0, 1). It rounds the places for retries up or down, so that the share is kept
 *   on average
 */
export function share(
  capacity: Capacity,
  webhooks: readonly DueWebhook[],
  random: () => number,
): Share[] {
  let { free, freeOnProbation } = freePlaces(capacity);
  const held = placesHeld(capacity.inFlight);
  // One dispatcher sends a claim, once it has a slot for each of its deliveries.
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
    const { businessId, webhookId } = webhook;
    shares.push({ businessId, webhookId, firsts, retries: places - firsts });
  }
  return shares;
}

/**
 * The taken places of a webhook, and of its business: all, at webhooks in trouble, by requests that
 * hang. `claimed`: what the business was given just now.
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
 * Counts the taken places. A request to a webhook that is not registered any more counts for each
 * webhook of its business. Otherwise a business could have any number in flight by registering
 * webhooks.
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

/** The number of further places that a webhook may get in its present state. */
function limitOf(webhook: DueWebhook, held: Held): number {
  const { limit, beside, circuitOpenForMs } = webhook;
  if (circuitOpenForMs !== null && circuitOpenForMs > 0) return 0;
  const left = limit - held.business;
  const own = placesOf(webhook) - held.own;
  if (beside.length === 0) return Math.min(own, left);
  if (!isTroubled(webhook, held.slow)) {
    // A receiver that begins to hang may take all places before it counts as slow. Another one
    // still gets one.
    const least = held.own === 0 && left + held.hanging > 0 ? 1 : 0;
    return Math.min(own, Math.max(left, least));
  }
  const most = Math.max(1, Math.floor(limit * troubledShare));
  const healthy = beside.filter((one) => !isTroubled(one, 0)).length;
  return Math.min(own, left, most - held.own, Math.max(1, limit - healthy) - held.troubled);
}

/** The places of the only webhook of a business. */
function placesOf({ limit, consecutiveFailures, answeredAgoMs }: DueWebhook): number {
  if (consecutiveFailures >= failuresUntilOneAtATime || !isKnown(answeredAgoMs)) return 1;
  return answeredAgoMs <= answeringForMs ? limit : Math.min(placesAfterPause, limit);
}

/** True if a webhook is in trouble. It then leaves places to the other webhooks of its business. */
function isTroubled(receiver: Pick<InFlight, keyof Receiver>, slow: number): boolean {
  return receiver.consecutiveFailures > 0 || isOnProbation(receiver, slow);
}

/**
 * The number of attempts that a rate allows now. After a pause that is one second's worth, less
 * what was claimed within the last second.
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
