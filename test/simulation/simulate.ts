import { createBusinesses } from "./businesses.ts";
import { deepestReorg } from "./chain/fake-chain.ts";
import { makeTransaction } from "./chain/traffic.ts";
import { checkDeliveries } from "./delivery/check-deliveries.ts";
import { checkNotified } from "./delivery/check-notified.ts";
import { createDeliveries } from "./delivery/deliveries.ts";
import { createFakeLeases } from "./fake-lease.ts";
import { checkEvidence } from "./ledger/check-evidence.ts";
import { checkLedger } from "./ledger/check-ledger.ts";
import { createOperator, transactionsOf } from "./operator.ts";
import { createWatcherProcess } from "./watchers.ts";
import { chainName, createWorld, type World } from "./world.ts";

export type Outcome = {
  seed: number;
  failures: string[];
  trace: readonly string[];
  counts: { turns: number; blocks: number; transactions: number; notifications: number };
};

/** Far above what any run takes: what is not done by then never will be. */
const mostTurns = 60_000;
const turnsToHeal = 12_000;

/** One run in a database of its own that holds the schema and nothing else: everything in it follows from the seed. */
export async function simulate(options: {
  seed: number;
  databaseUrl: string;
  /** How many of those that wait go on at the same time; with more than one PostgreSQL decides their order, not the seed. */
  atOnce: number;
}): Promise<Outcome> {
  const world = await createWorld(options);
  try {
    const actors = await setUp(world);
    await suffer(world, actors, options.atOnce);
    if (world.failures.length === 0) await heal(world, actors);
    return {
      ...options,
      failures: world.failures,
      trace: world.scheduler.trace,
      counts: await count(world),
    };
  } catch (error) {
    world.judge("the simulation", error);
    const counts = { turns: world.scheduler.turns(), blocks: 0, transactions: 0, notifications: 0 };
    return { ...options, failures: world.failures, trace: world.scheduler.trace, counts };
  } finally {
    await world.close();
  }
}

type Actors = Awaited<ReturnType<typeof setUp>>;

async function setUp(world: World) {
  const { profile, scheduler } = world;
  scheduler.note(`profile ${JSON.stringify(profile)}`);
  const traffic = world.random("traffic");
  const mine = (limit: number) => {
    for (let count = traffic.int(0, profile.transactionsPerBlock); count > 0; count -= 1)
      world.chain.submit(makeTransaction(traffic, world.keccak));
    const { number, hash } = world.chain.mine(limit).header;
    scheduler.note(`the chain has block ${number} ${hash.slice(0, 8)}`);
  };
  for (let count = profile.blocksBefore; count > 0; count -= 1) mine(profile.transactionsPerBlock);
  await world.tellTime();
  const operator = createOperator(world);
  await operator.setUp();
  const businesses = createBusinesses(world, operator.businessIds);
  await businesses.setUp();
  const leaseOf = createFakeLeases({
    ...{ scheduler, random: world.random("lease") },
    wrong: () => (world.isHealed ? 0 : profile.leaseWrong),
  });
  const watchers = Array.from({ length: profile.watchers }, (_, index) =>
    createWatcherProcess(world, { index, leaseOf }),
  );
  return { mine, operator, businesses, watchers, deliveries: createDeliveries(world) };
}

/** Everything that can go wrong does, until the chain has its blocks. */
async function suffer(world: World, actors: Actors, atOnce: number): Promise<void> {
  const { profile, scheduler } = world;
  const random = world.random("events");
  let toMine = profile.blocks;
  let checkedAt = -1;
  while (toMine > 0 && scheduler.turns() < mostTurns && world.failures.length === 0) {
    if (random.chance(profile.mined)) {
      if (random.chance(profile.reorg)) reorganise(world, actors, random);
      else actors.mine(2 * profile.transactionsPerBlock);
      toMine -= 1;
    }
    await happen(world, actors, random);
    await move(world, random.int(1, atOnce));
    if (world.changes === checkedAt || !random.chance(0.2)) continue;
    checkedAt = world.changes;
    await checkLedger(world);
    await checkNotified(world);
    await checkLies(world);
  }
}

type Chance = ReturnType<World["random"]>;

async function move(world: World, count: number): Promise<void> {
  if (world.scheduler.isWaiting()) await world.scheduler.turn(count);
  else await world.scheduler.passToNext();
}

async function happen(world: World, actors: Actors, random: Chance): Promise<void> {
  const { profile, scheduler } = world;
  const { operator, businesses, deliveries, watchers } = actors;
  if (random.chance(profile.watcherDies)) random.pick(watchers).die();
  if (random.chance(profile.walletAdded)) operator.addSome();
  if (random.chance(profile.walletRemoved)) await operator.removeOne();
  if (random.chance(profile.assetsChanged)) operator.configureSome();
  if (random.chance(profile.chainReset)) operator.reset();
  if (random.chance(profile.webhookChanged)) await businesses.changeOne();
  if (random.chance(profile.queueLost)) deliveries.loseQueue();
  if (random.chance(profile.relayDies)) deliveries.killRelay();
  if (random.chance(profile.dispatcherDies)) deliveries.killDispatcher();
  if (random.chance(profile.timePasses))
    await scheduler.pass(random.pick([500, 3_000, 20_000, 70_000]));
  if (profile.isLiar && random.chance(0.01)) invent(world, random);
}

/** The chain leaves some blocks, and grows others in their place: as many at once, or fewer. */
function reorganise(world: World, actors: Actors, random: Chance): void {
  const { chain, profile, scheduler } = world;
  const most = Math.min(deepestReorg, chain.canonical().length - 1);
  const depth = random.chance(profile.deepReorg)
    ? random.int(1, most)
    : random.int(1, Math.min(6, most));
  scheduler.note(`the chain is reorganised by ${depth}`);
  chain.fork(depth, () => {
    const fate = random.next();
    if (fate < profile.never) return "never";
    return fate < profile.never + profile.later ? "later" : "again";
  });
  const isShorter = random.chance(profile.shorterBranch);
  const blocks = isShorter ? random.int(1, depth) : depth + random.int(0, 2);
  for (let count = blocks; count > 0; count -= 1) actors.mine(4 * profile.transactionsPerBlock);
}

/** Nothing that one endpoint made up is ever confirmed while another one contradicts it. */
async function checkLies(world: World): Promise<void> {
  if (world.lies.size === 0) return;
  const believed = await world.sql<{ number: string; hash: string }>(
    `SELECT b.number, b.hash FROM block b JOIN chain c ON c.name = b.chain_name
     WHERE b.number <= c.confirmed_number`,
  );
  for (const { number, hash } of believed)
    if (world.lies.has(hash)) world.fail(`the made-up block ${number} ${hash} is confirmed`);
}

/** The liar makes up another branch, with money for everybody, or answers honestly for a while. */
function invent(world: World, random: Chance): void {
  const { chain, keccak } = world;
  if (random.chance(0.4)) {
    world.invented = null;
    return;
  }
  const depth = random.int(0, Math.min(10, chain.canonical().length - 1));
  const blocks = Array.from({ length: depth + random.int(1, 30) }, () => [
    makeTransaction(random, keccak),
    makeTransaction(random, keccak),
  ]);
  world.invented = chain.invent(depth, blocks);
  for (const block of world.invented.slice(-blocks.length)) world.lies.add(block.header.hash);
  world.scheduler.note(`the liar makes up ${blocks.length} blocks over the last ${depth}`);
}

/** Nothing goes wrong any more: everything must come right, and everyone must hear of it. */
async function heal(world: World, actors: Actors): Promise<void> {
  const { profile, scheduler } = world;
  scheduler.note("all is well from here");
  world.isHealed = true;
  world.invented = null;
  for (let count = 2; count > 0; count -= 1) actors.mine(1_000);
  // What was on a branch that had been taller is only notified once this one is as tall.
  while (world.chain.canonical().length <= world.tallest()) world.chain.mine(1_000);
  for (let count = profile.depth; count > 0; count -= 1) world.chain.mine(0);
  actors.operator.configureAll();
  const random = world.random("healing");
  const lastTurn = scheduler.turns() + turnsToHeal;
  // What was delivered to nobody, or given up, is recovered: at first, and when the last attempts have ended.
  let recoveries = 0;
  while (scheduler.turns() < lastTurn && world.failures.length === 0) {
    await move(world, 1);
    if (!random.chance(0.02)) continue;
    const left = await readLeft(world);
    const isLeft = (kind: Left["kind"]) => left.some((one) => one.kind === kind);
    if (isLeft("chain")) continue;
    // What was watched a moment ago waits for its height to be confirmed, and a delivery for its next attempt.
    if (isLeft("opening")) world.chain.mine(0);
    else if (recoveries === 0 || (recoveries === 1 && left.length === 0)) {
      await actors.businesses.heal();
      recoveries += 1;
    } else if (isLeft("proof")) await scheduler.pass(60_000);
    else if (isLeft("retry")) await scheduler.pass(10 * 60_000);
    else if (left.length === 0) break;
  }
  const troubles = (await readLeft(world)).map(({ what }) => what);
  if (recoveries < 2) troubles.push("it was never quiet");
  if (troubles.length > 0 && world.failures.length === 0)
    world.fail(`does not heal: ${troubles.join("; ")}`);
  await checkLedger(world);
  await checkNotified(world);
  await checkDeliveries(world, actors.deliveries.receivers.heard());
  await checkEvidence(world);
  for (const [walletId, before] of world.known.removed)
    if (before !== (await transactionsOf(world, walletId)))
      world.fail(`wallet ${walletId} has other transactions than when it was removed`);
}

type Left = { kind: "chain" | "opening" | "proof" | "delivery" | "retry"; what: string };

/** What is left to do. */
async function readLeft(world: World): Promise<Left[]> {
  await world.tellTime();
  const [row] = await world.sql<{
    position: string | null;
    confirmed: string | null;
    stopped: string | null;
    openings: number;
    unproven: number;
    waiting: number;
    due: number;
  }>(
    `SELECT c.position_hash AS position, c.confirmed_number::text AS confirmed, c.stopped_code AS stopped,
       (SELECT count(*)::int FROM balance b JOIN wallet w ON w.id = b.wallet_id JOIN asset a ON a.id = b.asset_id
        WHERE b.opening IS NULL AND w.removed_at IS NULL AND a.configured) AS openings,
       (SELECT count(*)::int FROM transaction WHERE unproven AND status = 'pending' AND NOT orphaned) AS unproven,
       (SELECT count(*)::int FROM delivery d JOIN webhook h ON h.id = d.webhook_id
        WHERE d.status = 'waiting' AND h.is_active) AS waiting,
       (SELECT count(*)::int FROM delivery d JOIN webhook h ON h.id = d.webhook_id
        WHERE d.status = 'waiting' AND h.is_active
          AND (d.claim_token IS NOT NULL OR d.due_at <= virtual.now())) AS due
     FROM chain c WHERE c.name = $1`,
    [chainName],
  );
  if (row === undefined) return [{ kind: "chain", what: "there is no chain" }];
  const { position, confirmed, stopped, openings, unproven, waiting, due: sendable } = row;
  const head = world.chain.head();
  const due = (head.number - BigInt(world.profile.depth) + 1n).toString();
  const left: Left[] = [];
  if (position !== head.hash || confirmed !== due) {
    const what = `the position is ${position}, confirmed ${confirmed} (${stopped}), the head ${head.hash} at ${head.number}`;
    left.push({ kind: "chain", what });
  }
  if (openings > 0) left.push({ kind: "opening", what: `${openings} openings are not read` });
  if (unproven > 0) left.push({ kind: "proof", what: `${unproven} transactions are unproven` });
  if (waiting > 0) {
    const kind = sendable > 0 ? "delivery" : "retry";
    left.push({ kind, what: `${waiting} deliveries wait, ${sendable} of them are due` });
  }
  return left;
}

async function count(world: World) {
  const [row] = await world.sql<{ transactions: number; notifications: number }>(
    `SELECT (SELECT count(*)::int FROM transaction) AS transactions,
       (SELECT count(*)::int FROM notification) AS notifications`,
  );
  const blocks = world.known.writtenAt.size;
  return { turns: world.scheduler.turns(), blocks, transactions: 0, notifications: 0, ...row };
}
