import type { Random } from "./random.ts";

/** How bad this seed's world is. Probabilities are per question, transaction or block. */
export type Profile = ReturnType<typeof drawProfile>;

export function drawProfile(random: Random, blocks: number) {
  /** Most faults are off in most seeds, so that each is also seen alone. */
  const some = (most: number) => (random.chance(0.45) ? 0 : most * random.next());
  return {
    blocks,
    /** What the chain has before it is watched. */
    blocksBefore: random.int(1, 80),
    startsAt: random.pick(["head", "head", "block"] as const),
    depth: random.pick([1, 1, 2, 3, 5, 8, 12, 20]),
    transactionsPerBlock: random.pick([1, 2, 3, 5]),
    businesses: random.int(1, 3),
    wallets: random.int(1, 5),
    watchers: random.pick([1, 2, 2, 2, 3]),
    /** How many of those that wait go on at once: more than one leaves the order to PostgreSQL. */
    atOnce: random.chance(0.2) ? random.int(2, 3) : 1,

    reorg: some(0.15),
    deepReorg: some(0.2),
    shorterBranch: some(0.4),
    never: random.next() * 0.6,
    later: random.next() * 0.3,

    lag: some(0.1),
    otherFork: some(0.08),
    missing: some(0.08),
    rpcError: some(0.06),
    stateGone: some(0.3),
    stateBlocks: random.pick([1, 3, 8, 40, 1000]),
    wrongChain: some(0.01),

    watcherDies: some(0.04),
    databaseBefore: some(0.04),
    databaseAfter: some(0.04),

    walletAdded: some(0.03),
    walletRemoved: some(0.015),
    assetsChanged: some(0.02),
    chainReset: random.chance(0.25) ? 0.002 * random.next() : 0,
    chainReplaced: random.chance(0.1) ? 0.001 * random.next() : 0,

    queueLost: some(0.03),
    queueFails: some(0.15),
    dispatcherDies: some(0.03),
    relayDies: some(0.05),
    receiverFails: some(0.5),
    receiverGone: some(0.01),
    webhookChanged: some(0.02),
    timePasses: 0.05,
  };
}
