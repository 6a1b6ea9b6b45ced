import type { Random } from "./random.ts";

/** How bad this seed's world is. Probabilities are per question, transaction, block or moment. */
export type Profile = ReturnType<typeof drawProfile>;

export function drawProfile(random: Random) {
  /** Most faults are off in many seeds, so that each is also seen alone. */
  const some = (most: number) => (random.chance(0.45) ? 0 : most * random.next());
  // One endpoint of several makes up a branch. The others always answer: of a lie that nobody
  // contradicts none can know.
  const isLiar = random.chance(0.15);
  const unlessLiar = (probability: number) => (isLiar ? 0 : probability);
  return {
    /** Blocks that are made while faults happen. */
    blocks: random.int(30, 90),
    /** What the chain has before it is watched. */
    blocksBefore: random.int(1, 80),
    startsAt: random.pick(["head", "head", "block"] as const),
    depth: random.pick([1, 1, 2, 3, 5, 8, 12, 20]),
    transactionsPerBlock: random.pick([1, 2, 3, 5]),
    businesses: random.int(1, 3),
    wallets: random.int(1, 5),
    watchers: random.pick([1, 2, 2, 3]),

    endpoints: isLiar ? random.int(2, 3) : random.pick([1, 1, 2, 3]),
    isLiar,
    tracing: random.pick(["debug", "debug", "parity"] as const),
    hasBlockReceipts: random.chance(0.8),

    mined: random.pick([0.01, 0.03, 0.08]),
    reorg: some(0.15),
    deepReorg: some(0.2),
    shorterBranch: some(0.4),
    never: random.next() * 0.6,
    later: random.next() * 0.3,

    lag: unlessLiar(some(0.1)),
    otherFork: unlessLiar(some(0.08)),
    missing: some(0.05),
    confused: some(0.03),
    forged: some(0.1),
    rpcError: unlessLiar(some(0.04)),
    stateGone: some(0.3),
    stateBlocks: random.pick([1, 3, 8, 40, 1000]),
    wrongChain: unlessLiar(some(0.01)),

    watcherDies: some(0.01),
    /** That a watcher works although another holds the lease, or rests although it holds it. */
    leaseWrong: some(0.5),
    databaseBefore: some(0.03),
    databaseAfter: some(0.03),

    walletAdded: some(0.01),
    walletRemoved: some(0.005),
    assetsChanged: some(0.008),
    chainReset: random.chance(0.25) ? 0.001 * random.next() : 0,

    queueLost: some(0.005),
    queueFails: some(0.15),
    dispatcherDies: some(0.01),
    relayDies: some(0.01),
    receiverFails: some(0.5),
    receiverGone: some(0.01),
    webhookChanged: some(0.01),
    timePasses: 0.01,
    /**
     * Nothing goes wrong with the nodes before the chain has its first position, which takes many
     * questions at once.
     */
    isStartCalm: random.chance(0.85),
  };
}
