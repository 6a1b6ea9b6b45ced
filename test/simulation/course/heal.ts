import { checkDeliveries } from "../delivery/check-deliveries.ts";
import { checkNotified } from "../delivery/check-notified.ts";
import { checkEvidence } from "../ledger/check-evidence.ts";
import { checkLedger } from "../ledger/check-ledger.ts";
import { transactionsOf } from "../operator.ts";
import { checkAnnounced } from "../trial/check-announced.ts";
import type { World } from "../world.ts";
import { blocksToConfirm, type Left, readLeft } from "./left.ts";
import { moveOn } from "./move-on.ts";
import { type Backup, takeBackup } from "./restore.ts";
import type { Actors } from "./set-up.ts";

/** Many webhooks of a long run have thousands of deliveries left, of four turns each. */
const turnsToHeal = 40_000;

/** Nothing goes wrong any more: everything must come right, and everyone must hear of it. */
export async function heal(world: World, actors: Actors): Promise<void> {
  const { scheduler } = world;
  scheduler.note("all is well from here");
  world.isHealed = true;
  world.spells.end();
  const restoredAfter = world.cast.streams?.restoredAfter ?? null;
  // A block of a left branch may be under way to a watcher. Written after the backup, it would be
  // announced and reversed by a ledger of which nothing is left.
  if (restoredAfter !== null) for (const watcher of actors.watchers) watcher.die();
  const backup = restoredAfter === null ? null : await takeBackup(world, actors);
  // Whoever reads the log of a chain that has stopped changes its configuration, and starts it
  // again.
  if (world.cast.unreadable === "required, then agreed")
    for (const watcher of actors.watchers) watcher.die();
  for (let count = 2; count > 0; count -= 1) actors.mine(1_000);
  // What was on a branch that had been taller is only notified once this one is as tall.
  while (world.chain.canonical().length <= world.tallest()) world.chain.mine(1_000);
  for (let count = blocksToConfirm(world); count > 0; count -= 1) world.chain.mine(0);
  actors.operator.configureAll();
  try {
    if (backup !== null) await goBack(world, backup, restoredAfter ?? 0);
    await comeRight(world, actors);
  } finally {
    await backup?.drop();
  }
  await actors.consumers?.end();
  // Comparisons have gone over the whole chain: what contracts paid must be there now.
  if (world.cast.reconciles) world.known.untraced.clear();
  await checkLedger(world);
  await checkNotified(world);
  const heard = actors.deliveries.receivers.heard();
  await checkDeliveries(world, heard);
  world.ways?.checkHeard(heard);
  await checkEvidence(world);
  await checkAnnounced(world);
  for (const [walletId, before] of world.known.removed)
    if (before !== (await transactionsOf(world, walletId)))
      world.fail(`wallet ${walletId} has other transactions than when it was removed`);
}

/**
 * The chain goes on as it is from here, so a restored ledger must come to say the same. A chain
 * that leaves a block while the ledger has forgotten it would leave what was announced of it with
 * nobody to take it back.
 */
async function goBack(world: World, backup: Backup, turns: number): Promise<void> {
  const lastTurn = world.scheduler.turns() + turns;
  while (world.scheduler.turns() < lastTurn && world.failures.length === 0) await moveOn(world, 1);
  await backup.restore();
}

async function comeRight(world: World, actors: Actors): Promise<void> {
  const { scheduler } = world;
  const random = world.random("healing");
  const lastTurn = scheduler.turns() + turnsToHeal;
  // What was delivered to nobody, or given up, is recovered: at first, and when the last attempts
  // have ended.
  let recoveries = 0;
  while (scheduler.turns() < lastTurn && world.failures.length === 0) {
    await moveOn(world, 1);
    if (!random.chance(0.02)) continue;
    const left = await readLeft(world);
    const isLeft = (kind: Left["kind"]) => left.some((one) => one.kind === kind);
    if (isLeft("chain")) continue;
    // What was watched a moment ago waits for its height to be confirmed, and for the proof of what
    // moved it. A delivery waits for its next attempt.
    if (isLeft("opening") && isLeft("proof")) await scheduler.pass(60_000);
    if (isLeft("opening") || isLeft("age")) world.chain.mine(0);
    else if (recoveries === 0 || (recoveries === 1 && left.length === 0)) {
      if (await actors.businesses.heal()) recoveries += 1;
      else await scheduler.pass(10 * 60_000);
    } else if (isLeft("proof") || isLeft("comparison")) await scheduler.pass(60_000);
    else if (isLeft("retry")) await scheduler.pass(10 * 60_000);
    else if (left.length === 0) break;
  }
  const troubles = (await readLeft(world)).map(({ what }) => what);
  if (recoveries < 2) troubles.push("it was never quiet");
  if (troubles.length > 0 && world.failures.length === 0)
    world.fail(`does not heal: ${troubles.join("; ")}`);
}
