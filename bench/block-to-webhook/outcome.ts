// What became of the payments of one run, from what the receiver has seen.

/** A payment: the hash of its transaction, in lower case, and the number of its block. */
export type Payment = { hash: string; block: number };

/**
 * A request of the receiver: the transaction hashes in its body, in lower case, when it came, and
 * whether it was answered with 2xx.
 */
export type Arrival = { hashes: readonly string[]; atMs: number; isAccepted: boolean };

/** Times in ms, from the announcement of a block to the request; null: nothing was notified. */
export type Outcome = {
  paid: number;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  /** Payments of which no request was accepted. */
  lost: number;
  /** Payments of which more than one request was accepted. */
  doubled: number;
  /** Payments whose first accepted request came after one of a later block. */
  outOfOrder: number;
};

/** Arrivals count in the order in which they came. Hashes that are no payment are left out. */
export function outcomeOf(seen: {
  payments: readonly Payment[];
  /** When each block was announced, by its number, on the clock of the arrivals. */
  announcedAtMs: ReadonlyMap<number, number>;
  arrivals: readonly Arrival[];
}): Outcome {
  const { payments, announcedAtMs, arrivals } = seen;
  const blocks = new Map(payments.map(({ hash, block }) => [hash, block]));
  const times = new Map<string, number>();
  const latencies: number[] = [];
  let newest = 0;
  let outOfOrder = 0;
  for (const { hashes, atMs, isAccepted } of arrivals) {
    if (!isAccepted) continue;
    for (const hash of new Set(hashes)) {
      const block = blocks.get(hash);
      if (block === undefined) continue;
      const before = times.get(hash) ?? 0;
      times.set(hash, before + 1);
      if (before > 0) continue;
      if (block < newest) outOfOrder += 1;
      newest = Math.max(newest, block);
      const announcedMs = announcedAtMs.get(block);
      if (announcedMs !== undefined) latencies.push(atMs - announcedMs);
    }
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? null;
  return {
    paid: payments.length,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    lost: payments.filter(({ hash }) => !times.has(hash)).length,
    doubled: [...times.values()].filter((count) => count > 1).length,
    outOfOrder,
  };
}
