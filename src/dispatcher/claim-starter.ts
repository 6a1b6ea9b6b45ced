import type { QueuedClaim } from "../domain/delivery/claim.ts";
import type { Slots } from "./slots.ts";

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

type Waiting = { claim: QueuedClaim; resolve: (together: Promise<void>) => void };

/** What each send asks before it is sent, and says once it was answered. */
export type Slot = Pick<Slots, "take" | "free">;

/**
 * Keeps the slots full as long as there are claims. Those for which there is room are begun together, in the order in which
 * they came, and while one batch is begun the next gathers. A slot is free again as soon as its receiver has answered;
 * the record does not hold it.
 * @param options.begin the sends of those claims that may be sent now
 * @param options.sendAll resolves when all sends of one claim are over and on record, or given back; asks for a slot once
 * for each, and frees those that were given
 */
export function createClaimStarter<Send extends { token: string }>(options: {
  slots: Slots;
  begin: (tokens: string[]) => Promise<Send[]>;
  giveBack: (tokens: string[]) => Promise<void>;
  sendAll: (sends: Send[], slot: Slot) => Promise<void>;
  onError: (error: unknown) => void;
  /** Between two batches, for claims to gather; told how many sends are under way. The signal ends it. */
  gather: (begun: number, signal: AbortSignal) => Promise<void>;
}): ClaimStarter {
  const { slots, begin, giveBack, sendAll, onError, gather } = options;
  const waiting: Waiting[] = [];
  const sending = new Set<Promise<void>>();
  /** Sends that are begun, or about to be, and neither answered nor given back. */
  let begun = 0;
  let beginning: Promise<void> | null = null;
  const stopping = new AbortController();

  function beginWhatFits(): void {
    if (beginning !== null) return;
    const batch = takeWhatFits();
    if (batch.length > 0) beginning = beginAll(batch);
  }

  async function beginAll(first: Waiting[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = takeWhatFits()) {
      const together = beginTogether(batch.map(({ claim }) => claim));
      for (const { resolve } of batch) resolve(together);
      await together.catch(() => {});
      await gather(begun, stopping.signal);
    }
    beginning = null;
  }

  /** A claim of more deliveries than there is ever room for goes alone. */
  function takeWhatFits(): Waiting[] {
    let count = 0;
    for (const { claim } of waiting) {
      if (!slots.haveRoom(begun, claim.deliveries)) break;
      begun += claim.deliveries;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function beginTogether(claims: QueuedClaim[]): Promise<void> {
    const tokens = claims.map(({ token }) => token);
    let sends: Send[] = [];
    try {
      sends = await begin(tokens);
    } finally {
      // What was expected, against what is there: a claim may have shrunk, or be lost.
      begun += sends.length - claims.reduce((sum, { deliveries }) => sum + deliveries, 0);
    }
    const byToken = groupByToken(sends);
    for (const some of byToken.values()) {
      const over = sendAll(some, slot)
        .catch(onError)
        .finally(() => sending.delete(over));
      sending.add(over);
    }
    const lost = tokens.filter((token) => !byToken.has(token));
    if (lost.length > 0) await giveBack(lost);
  }

  const slot: Slot = {
    take: async () => (await slots.take()) || endOne(),
    free() {
      slots.free();
      endOne();
    },
  };

  /** Is false for the one that got no slot. */
  function endOne(): false {
    begun -= 1;
    beginWhatFits();
    return false;
  }

  return {
    async start(claim) {
      if (stopping.signal.aborted) return giveBack([claim.token]);
      await new Promise<void>((resolve) => {
        waiting.push({ claim, resolve });
        beginWhatFits();
      });
    },
    async stop() {
      stopping.abort();
      slots.close();
      await giveBackAll(waiting.splice(0), giveBack).catch(onError);
      await beginning;
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
  for (const { resolve } of left) resolve(given);
  await given;
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
