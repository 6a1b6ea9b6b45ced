import { setTimeout as sleep } from "node:timers/promises";
import type { Lie } from "../support/chain/liar/lie.ts";
import type { OpenLedger } from "../support/ledger/watch-in-ledger.ts";
import { someAtATime } from "../support/some-at-a-time.ts";
import { judge, type Verdict } from "./judge.ts";
import { type Casting, type Run, startRun } from "./run.ts";
import { buildStage, type Stage } from "./scene.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** What came of a run while it was lied to, and what failed at last. */
export type Lied = { casting: Casting; lied: Verdict; troubles: string[] };

/** The same, and what is left of it once it was not lied to any more. */
export type Result = Lied & { healed: Verdict };

/** Runs that are stepped at the same time. */
const atOnce = 12;

/** Longer than an endpoint is waited for that has gone away, in ms: once short, once long. */
const patiences = [20_000, 660_000];

type Player = {
  run: Run;
  wasOnBranch: boolean;
  lied: Snapshot | null;
  healed: Snapshot | null;
  troubles: string[];
};

type Options = { seed: number; prefix: string };

/**
 * Plays one chain to all castings at once, each with a watcher and endpoints of its own, and judges
 * each by an honest run that reads the chain in the same way. Answers in the order given.
 */
export function play(
  ledger: OpenLedger,
  castings: readonly Casting[],
  options: Options,
): Promise<Result[]> {
  return onStage(ledger, { castings, ...options }, async (stage, players) => {
    await heal(stage, players);
    return castings.map((casting) => resultOf(casting, players));
  });
}

/** The same, of what comes of the lies alone. */
export function playLies(
  ledger: OpenLedger,
  castings: readonly Casting[],
  options: Options,
): Promise<Lied[]> {
  return onStage(ledger, { castings, ...options }, async (stage, players) => {
    // The ends of the honest runs say which blocks are of the chain.
    await heal(stage, players.filter(isHonest));
    return castings.map((casting) => judged(casting, players).result);
  });
}

const isHonest = ({ run }: Player) => run.casting.lie === null;

/** Plays until all lies are told, and answers what `finish` makes of the players. */
async function onStage<Judged>(
  ledger: OpenLedger,
  { castings, seed, prefix }: Options & { castings: readonly Casting[] },
  finish: (stage: Stage, players: readonly Player[]) => Promise<Judged>,
): Promise<Judged> {
  const stage = await buildStage(seed);
  const players: Player[] = [];
  try {
    const all = [...castings, ...measures(castings, prefix)];
    await each(all, async (casting) => {
      const run = await startRun(stage, ledger, casting);
      players.push({ run, wasOnBranch: false, lied: null, healed: null, troubles: [] });
    });
    await perform(stage, players);
    for (const { run } of players) run.endLies();
    return await finish(stage, players);
  } finally {
    await Promise.all(players.map(({ run }) => run.stop()));
    await stage.end();
  }
}

const readingOf = ({ reading }: { reading: Lie["reading"] }) =>
  JSON.stringify(Object.entries(reading).sort());

/** An honest run for each way of reading. */
function measures(castings: readonly Casting[], prefix: string): Casting[] {
  const readings = new Map(castings.map((one) => [readingOf(one), one.reading]));
  return [...readings.values()].map((reading, index) => ({
    name: `${prefix}-honest-${index}`,
    title: "the truth",
    lie: null,
    reading,
    setup: "alone",
  }));
}

async function perform(stage: Stage, players: Player[]): Promise<void> {
  const { acts } = stage;
  const long = players.filter(({ run }) => run.casting.reading.isLong === true);
  const near = players.filter((player) => !long.includes(player));
  const follow = (some: Player[]) => each(some, (player) => followOn(stage, player));
  const begin = (some: Player[], moment: Lie["from"]) => each(some, ({ run }) => run.begin(moment));
  const enter = async (some: Player[]) => {
    await begin(some, "start");
    await follow(some);
    await begin(some, "openings");
    await each(some, ({ run }) => run.addWallets());
    await acts.mine(3);
    await follow(some);
  };
  if (long.length > 0) {
    await enter(long);
    await acts.longTime();
    await follow(long);
  }
  await enter(near);

  await begin(players, "money");
  await acts.deposits();
  await acts.strangers();
  await follow(players);
  await acts.withdrawals();
  await acts.mine(3);
  await follow(players);
  await begin(players, "confirmed");
  await each(players, ({ run }) => run.reconcile());
  await acts.mine(1);
  await follow(players);
  await acts.takenBack();
  await follow(players);
  await begin(players, "reorg");
  await acts.reorg();
  await acts.mine(3);
  await follow(players);
  for (const patienceMs of patiences) {
    for (const { run } of players) run.clock.skip(patienceMs);
    await acts.mine(1);
    await follow(players);
    await each(players, ({ run }) => run.reconcile());
  }
  await each(players, async (player) => {
    player.lied = await takeSnapshot(player.run);
    player.troubles = player.run.troubles();
  });
}

/** The truth from now on, and as much time as it takes to be believed. */
async function heal({ acts }: Stage, players: readonly Player[]): Promise<void> {
  for (const patienceMs of patiences) {
    for (const { run } of players) run.clock.skip(patienceMs);
    await acts.mine(3);
    await each(players, async ({ run }) => {
      await run.follow();
      await run.reconcile();
      await run.follow();
    });
  }
  await each(players, async (player) => {
    player.healed = await takeSnapshot(player.run);
  });
}

async function followOn({ scene }: Stage, player: Player): Promise<void> {
  await player.run.follow();
  const { ledger, chainName } = player.run.watched;
  const position = await ledger.readPosition(chainName);
  if (position === null) return;
  const block = await scene.rpc<object | null>("eth_getBlockByHash", position.hash, false);
  player.wasOnBranch ||= block === null;
}

function resultOf(casting: Casting, players: readonly Player[]): Result {
  const { result, mine, ends, chain } = judged(casting, players);
  if (!mine.healed) throw notPlayed(casting);
  return { ...result, healed: judge(mine.healed, ends, chain) };
}

/** The verdict on the lies, and what a verdict on the end needs. */
function judged(casting: Casting, players: readonly Player[]) {
  const mine = players.find(({ run }) => run.casting === casting);
  const honest = players.find(
    (one) => isHonest(one) && readingOf(one.run.casting) === readingOf(casting),
  );
  if (!mine?.lied || !honest?.lied || !honest.healed) throw notPlayed(casting);
  const real = new Set(honest.healed.rows.map(({ blockHash }) => blockHash));
  const chain = {
    isOnChain: (blockHash: string) => real.has(blockHash),
    wasOnBranch: mine.wasOnBranch,
    isAlone: casting.setup === "alone",
  };
  const lied = judge(mine.lied, honest.lied, chain);
  const result: Lied = { casting, lied, troubles: mine.troubles };
  return { result, mine, ends: honest.healed, chain };
}

const notPlayed = ({ name }: Casting) => new Error(`'${name}' was not played to its end`);

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  await someAtATime(items, { atOnce, work });
  // Lets sockets that were closed meanwhile be seen as closed.
  await sleep(0);
}
