/** A claim as it waits in the queue. */
export type QueuedClaim = { token: string; deliveries: number };

export type ClaimStarter = {
  /**
   * Resolves once the claim has begun, or was given back; its sends go on after that. Waits for free slots. Rejects
   * when it could not be begun: nothing of it is sent then.
   */
  start: (claim: QueuedClaim) => Promise<void>;
  /** Gives back what waits for slots, and resolves once nothing is being sent any more. Safe to repeat. */
  stop: () => Promise<void>;
};

/**
 * Keeps `slots` sends under way as long as there are claims. Those that fit are begun together, in the order in which
 * they came, and while one batch is begun the next gathers. A slot is free again as soon as its receiver has answered;
 * the record does not hold it.
 * @param options.begin the sends of those claims that may be sent now
 * @param options.sendAll resolves when all sends of one claim are over and on record; calls `onAnswered` once for each
 */
export function createClaimStarter<Send extends { token: string }>(options: {
  slots: number;
  begin: (tokens: string[]) => Promise<Send[]>;
  giveBack: (tokens: string[]) => Promise<void>;
  sendAll: (sends: Send[], onAnswered: () => void) => Promise<void>;
  onError: (error: unknown) => void;
}): ClaimStarter {
  const { slots, begin, giveBack, sendAll, onError } = options;
  type Waiting = { claim: QueuedClaim; resolve: (begun: Promise<void>) => void };
  const waiting: Waiting[] = [];
  const sending = new Set<Promise<void>>();
  let taken = 0;
  let beginning: Promise<void> | null = null;
  let isStopping = false;

  function beginWhatFits(): void {
    if (beginning !== null) return;
    const batch = takeWhatFits();
    if (batch.length > 0) beginning = beginAll(batch);
  }

  async function beginAll(first: Waiting[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = takeWhatFits()) {
      const begun = beginTogether(batch.map(({ claim }) => claim));
      for (const { resolve } of batch) resolve(begun);
      await begun.catch(() => {});
    }
    beginning = null;
  }

  /** A claim of more deliveries than there are slots goes alone. */
  function takeWhatFits(): Waiting[] {
    let count = 0;
    for (const { claim } of waiting) {
      if (taken > 0 && taken + claim.deliveries > slots) break;
      taken += claim.deliveries;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function beginTogether(claims: QueuedClaim[]): Promise<void> {
    const sends = new Map<string, Send[]>(claims.map(({ token }) => [token, []]));
    try {
      for (const send of await begin([...sends.keys()])) sends.get(send.token)?.push(send);
    } finally {
      // What was expected, against what is there: a claim may have shrunk, or be lost.
      const expected = claims.reduce((sum, { deliveries }) => sum + deliveries, 0);
      taken += [...sends.values()].flat().length - expected;
    }
    for (const some of sends.values()) if (some.length > 0) send(some);
    const lost = claims.map(({ token }) => token).filter((token) => sends.get(token)?.length === 0);
    if (lost.length > 0) await giveBack(lost);
  }

  function send(sends: Send[]): void {
    const over = sendAll(sends, () => {
      taken -= 1;
      beginWhatFits();
    })
      .catch(onError)
      .finally(() => sending.delete(over));
    sending.add(over);
  }

  return {
    async start(claim) {
      if (isStopping) return giveBack([claim.token]);
      await new Promise<void>((resolve) => {
        waiting.push({ claim, resolve });
        beginWhatFits();
      });
    },
    async stop() {
      isStopping = true;
      const left = waiting.splice(0);
      const given = left.length === 0 ? null : giveBack(left.map(({ claim }) => claim.token));
      for (const { resolve } of left) resolve(given ?? Promise.resolve());
      await given?.catch(onError);
      await beginning;
      while (sending.size > 0) await Promise.all(sending);
    },
  };
}
