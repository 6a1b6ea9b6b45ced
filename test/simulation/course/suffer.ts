import { checkNotified } from "../delivery/check-notified.ts";
import { checkLedger } from "../ledger/check-ledger.ts";
import { checkBelieved, checkLies } from "../trial/check-believed.ts";
import type { World } from "../world.ts";
import { moveOn } from "./move-on.ts";
import type { Actors } from "./set-up.ts";

/** Far above what any run takes: what is not done by then never will be. */
const mostTurns = 60_000;

/** Everything that can go wrong does, until the chain has its blocks. */
export async function suffer(world: World, actors: Actors, atOnce: number): Promise<void> {
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
    await moveOn(world, random.int(1, atOnce));
    if (world.changes === checkedAt || !random.chance(0.2)) continue;
    checkedAt = world.changes;
    await (world.cast.liar === null ? checkLedger(world) : checkBelieved(world));
    await checkNotified(world);
    await checkLies(world);
  }
}

type Chance = ReturnType<World["random"]>;

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
  actors.consumers?.happen();
  if (profile.isLiar && random.chance(0.01)) world.spells.invent(random);
  world.spells.pass();
}

/** The chain leaves some blocks, and grows others in their place: as many at once, or fewer. */
function reorganise(world: World, actors: Actors, random: Chance): void {
  const { chain, profile, scheduler } = world;
  const most = chain.deepest();
  if (most < 1) return;
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
