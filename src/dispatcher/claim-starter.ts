import type { QueuedClaim } from "../domain/delivery/claim.ts";
import type { Answered, Slots } from "./slots.ts";

export type ClaimStarter = {
  /**
   * Resolves once the claim has begun, or was given back; its sends go on after that. Waits for room. Rejects
   * when it could not be begun: nothing of it is sent then.
   */
  start: (claim: QueuedClaim) => Promise<void>;
  /**
   * Gives back what waits for room, lets nothing begun wait for a slot, and resolves once nothing is being sent any more.
   * Safe to repeat.
   */
  stop: () => Promise<void>;
};

/** A claim that waits for room; `settle` says what its `start` is to wait for. */
type Waiting = { claim: QueuedClaim; settle: (by: Promise<void>) => void };

/** What each send asks before it is sent: null refuses it, else it is called once the send was answered. */
export type TakeSlot = () => Promise<Answered | null>;

/**
 * Keeps the slots full as long as there are claims. A claim goes through these states:
 *
 *     waits ── there is room ──> is being begun ──> begun: each of its sends goes on by itself
 *       │                          ├── the ledger has no send of it ──> given back
 *       │                          └── the ledger failed ──> `start` rejects; its lease ends by itself
 *       └── stop() ──> given back
 *
 * and each send of a claim that is begun through these:
 *
 *     waits for a slot ──> is being sent ── answered, or hanging ──> over; it ends without a slot
 *       └── refused a slot ──> over, and given back by `sendAll`
 *
 * - One batch of claims is begun at a time. It takes, in the order in which they came, the waiting claims for which there is
 *   room; the others wait for the next batch, and so does what comes meanwhile.
 * - `begun` counts the sends that are not over, of the claims that are begun; and of the claims that are being begun
 *   the sends that they said they have. It becomes exact when the ledger has answered: a claim may have
 *   shrunk, or be lost. It never falls below the number of slots taken.
 * - There is room for a claim while the slots say so (see createSlots), and for a claim of any size while `begun` is 0:
 *   so no claim waits for ever, and one that is larger than all slots goes alone.
 * - Whatever lowers `begun` looks at once whether the next claims fit.
 * - After `stop` no claim waits: what comes is given back.
 *
 * @param options.begin the sends of those claims that may be sent now
 * @param options.giveBack of claims of which nothing was begun
 * @param options.sendAll resolves when all sends of one claim are over and on record, or given back; asks for a slot once
 * for each, and says of those that were given when they were answered
 * @param options.gather between two batches, for claims to gather; is given `begun`. The signal ends it
 */
export function createClaimStarter<Send extends { token: string }>(options: {
  slots: Slots;
  begin: (tokens: string[]) => Promise<Send[]>;
  giveBack: (tokens: string[]) => Promise<void>;
  sendAll: (sends: Send[], takeSlot: TakeSlot) => Promise<void>;
  onError: (error: unknown) => void;
  gather: (begun: number, signal: AbortSignal) => Promise<void>;
}): ClaimStarter {
  const { slots, begin, giveBack, sendAll, onError, gather } = options;
  const waiting: Waiting[] = [];
  const sending = new Set<Promise<void>>();
  let begun = 0;
  let batches: Promise<void> | null = null;
  const stopping = new AbortController();

  function beginWhatFits(): void {
    if (batches !== null) return;
    const batch = nextBatch();
    if (batch.length > 0) batches = beginFrom(batch);
  }

  async function beginFrom(first: Waiting[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = nextBatch()) {
      const over = beginBatch(batch.map(({ claim }) => claim));
      for (const { settle } of batch) settle(over);
      await over.catch(() => {});
      await gather(begun, stopping.signal);
    }
    batches = null;
  }

  function nextBatch(): Waiting[] {
    let count = 0;
    for (const { claim } of waiting) {
      if (!slots.haveRoom(begun, claim.deliveries)) break;
      begun += claim.deliveries;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function beginBatch(claims: QueuedClaim[]): Promise<void> {
    const tokens = claims.map(({ token }) => token);
    const said = claims.reduce((sum, { deliveries }) => sum + deliveries, 0);
    let sends: Send[] = [];
    try {
      sends = await begin(tokens);
    } finally {
      begun += sends.length - said;
    }
    const byToken = groupByToken(sends);
    for (const sendsOfOne of byToken.values())
      keepWhileRunning(sending, sendAll(sendsOfOne, takeSlot).catch(onError));
    const lost = tokens.filter((token) => !byToken.has(token));
    if (lost.length > 0) await giveBack(lost);
  }

  async function takeSlot(): Promise<Answered | null> {
    const answered = await slots.take(endOne);
    if (answered === null) endOne();
    return answered;
  }

  function endOne(): void {
    begun -= 1;
    beginWhatFits();
  }

  return {
    async start(claim) {
      if (stopping.signal.aborted) return giveBack([claim.token]);
      await new Promise<void>((settle) => {
        waiting.push({ claim, settle });
        beginWhatFits();
      });
    },
    async stop() {
      stopping.abort();
      slots.close();
      await giveBackAll(waiting.splice(0), giveBack).catch(onError);
      await batches;
      while (sending.size > 0) await Promise.all(sending);
    },
  };
}

async function giveBackAll(
  left: Waiting[],
  giveBack: (tokens: string[]) => Promise<void>,
): Promise<void> {
  if (left.length === 0) return;
  const given = giveBack(left.map(({ claim }) => claim.token));
  for (const { settle } of left) settle(given);
  await given;
}

function keepWhileRunning(running: Set<Promise<void>>, work: Promise<void>): void {
  const over = work.finally(() => running.delete(over));
  running.add(over);
}

function groupByToken<Send extends { token: string }>(sends: Send[]): Map<string, Send[]> {
  const groups = new Map<string, Send[]>();
  for (const send of sends) {
    const group = groups.get(send.token);
    if (group === undefined) groups.set(send.token, [send]);
    else group.push(send);
  }
  return groups;
}
