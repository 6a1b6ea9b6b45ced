import { createAgreementGate } from "../../src/chain/agreement/gate.ts";
import { createHolds, type Holds } from "../../src/chain/agreement/holds.ts";
import { createChainSource } from "../../src/chain/chain-source.ts";
import type { Position } from "../../src/domain/chain/block.ts";
import { nothingUnread, type UnreadablePolicy } from "../../src/domain/chain/block-proof.ts";
import { eip7708SinceAmsterdam } from "../../src/domain/chain/profile.ts";
import { profileOf } from "../../src/domain/chain/profiles/known-profiles.ts";
import { noSpans } from "../../src/domain/spans.ts";
import type { ChainSource } from "../../src/domain/watch/chain-source.ts";
import { createOldBlockLedger } from "../../src/ledger/watching.ts";
import type { Logger } from "../../src/runtime/logger.ts";
import { createOldBlocks } from "../../src/watcher/gate/old-blocks.ts";
import { createWatcher } from "../../src/watcher/head/watcher.ts";
import type { WatchLease } from "../../src/watcher/lease.ts";
import { createReconciler } from "../../src/watcher/reconcile/reconciler.ts";
import { createWatcherLedger } from "../support/ledger/watcher-ledger.ts";
import { quiet } from "../support/quiet.ts";
import { chainId as evmChainId } from "./chain/answers.ts";
import { createFakeNode } from "./chain/fake-node.ts";
import type { Life } from "./scheduler.ts";
import { chainName, faultyLedger, type World } from "./world.ts";

const pollMs = 1_000;
const rpcTimeoutMs = 10_000;
const reconcileMs = 120_000;

/** A process that watches the chain, and lives again after each death. */
export function createWatcherProcess(
  world: World,
  options: { index: number; leaseOf: (life: Life) => WatchLease },
) {
  const { index, leaseOf } = options;
  let born = 0;
  let life = boot();

  function boot(): Life {
    born += 1;
    const life = world.scheduler.begin(`watcher${index}.${born}`);
    const clock = world.scheduler.clockOf(life);
    const log = judging(world, life);
    const { witness, policy, reconciles, farBlocks } = world.cast;
    const holds = createHolds({ clock, log }, { chainName, witness });
    const chain = openSource(world, life, holds);
    const gate = createAgreementGate({ chain, holds }, witness.count);
    const ledger = faultyLedger(world, life, recording(world));
    const ports = { chain, gate, ledger, lease: leaseOf(life), clock, log };
    const watcher = createWatcher(
      { ...ports, spans: noSpans, onNotified() {}, onWaiting() {} },
      {
        chainName,
        chainId: evmChainId,
        startBlock: world.profile.startsAt === "head" ? null : startBlock(world),
        genesis: null,
        policy,
        pollMs,
        farBlocks: BigInt(farBlocks),
      },
    );
    // A daemon that is refused at its start ends, and is started again by whoever runs it.
    watcher.start().catch((error: unknown) => {
      world.judge(life.name, error);
      void reborn();
    });
    if (reconciles) {
      const oldBlocks = createOldBlocks(ports, chainName);
      void createReconciler({ ...ports, oldBlocks }, { chainName, everyMs: reconcileMs }).start();
    }
    return life;
  }

  async function reborn(): Promise<void> {
    await world.scheduler.clockOf(life).sleep(pollMs, new AbortController().signal);
    die();
  }

  /** The process is killed, and another takes its place. */
  function die(): void {
    world.scheduler.end(life);
    life = boot();
  }

  return { die };
}

function openSource(world: World, life: Life, holds: Holds) {
  const { profile, scheduler, spells, cast } = world;
  const isCalm = () => world.isHealed || (profile.isStartCalm && world.known.writtenAt.size === 0);
  const urls = Array.from({ length: profile.endpoints }, (_, at) => `http://node-${at}.simulated/`);
  const liarAt = cast.liar?.at ?? urls.length - 1;
  const source = createChainSource(
    {
      clock: scheduler.clockOf(life),
      log: quiet,
      tracingHosts: world.tracingHosts,
      holds,
      connect: (url) => {
        const at = urls.indexOf(url);
        return createFakeNode({
          url,
          profile,
          chain: () => world.chain,
          random: world.random(`${life.name} ${url}`),
          isHealed: isCalm,
          invented: () => (at === liarAt ? spells.invented() : null),
          teller: () => (isCalm() ? null : spells.tellerOf(at)),
          isSilent: () => !isCalm() && spells.isSilent(at),
          frozenAt: () => spells.frozenAt(at),
          lacks: () => (!isCalm() && cast.lacking?.at === at ? cast.lacking.what : null),
          pruned: () => (!isCalm() && cast.pruned?.at === at ? cast.pruned : null),
          enter: (label, work) => scheduler.enter(life, `${new URL(url).host} ${label}`, work),
        });
      },
    },
    {
      chainId: evmChainId,
      urls,
      timeoutMs: rpcTimeoutMs,
      reading: "full",

      tracing: cast.tracing,
      proof: cast.proof,
      unreadable: unreadableNow(world),
      witness: cast.witness,

      nativeAliases: cast.forks.length > 0 ? [eip7708SinceAmsterdam] : [],
      profile: profileOf(1),
      balanceCheck: true,
    },
  );
  return notingUntraced(world, source);
}

/** The same source, with a note of each block that it read without traces. */
function notingUntraced<Source extends ChainSource>({ known }: World, source: Source): Source {
  // The status speaks of the last reading, so it is asked as each one ends.
  const note = (hashes: readonly string[]) => {
    const isUntraced = source.status().givenUp.length > 0;
    for (const hash of hashes) {
      if (isUntraced) known.untraced.add(hash);
      else known.untraced.delete(hash);
    }
  };
  return {
    ...source,
    async loadNext(...asked) {
      const block = await source.loadNext(...asked);
      note([block.header.hash]);
      return block;
    },
    async loadRange(request) {
      const range = await source.loadRange(request);
      if (request.mayLackTraces) note(range.blocks.map(({ header }) => header.hash));
      return range;
    },
  };
}

/** An operator may say that what two endpoints agree on is taken, when the chain has stopped. */
function unreadableNow({ cast, isHealed }: World): UnreadablePolicy {
  const isAgreed = cast.unreadable === "agreed" || (cast.unreadable !== "required" && isHealed);
  return isAgreed ? { ...nothingUnread, header: "agreed" } : nothingUnread;
}

function startBlock(world: World): bigint {
  return BigInt(Math.ceil(world.profile.blocksBefore / 2));
}

/** What a watcher says goes into the trace; an error that it should not have met is a failure. */
function judging(world: World, life: Life): Logger {
  const hear = (fields: object, message: string) => {
    if ("error" in fields) world.judge(life.name, fields.error);
    else world.scheduler.note(`  ${life.name} says ${message} ${toText(fields)}`);
    // Whatever is forged shows from a hash, and balances are the chain's own: they show all that
    // moves.
    const isShown = world.cast.liar === null && world.cast.proof.header;
    if (isShown && message === "balance.unproven")
      world.fail(`what moved is held for its balance: ${toText(fields)}`);
  };
  return { debug() {}, info: hear, warn: hear, error: hear };
}

function toText(fields: object): string {
  return JSON.stringify(fields, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );
}

/**
 * What one endpoint says against the others' word undoes nothing: the chain never comes back to a
 * block that it has left.
 */
function checkUndone(
  { cast, chain, fail }: World,
  of: { from: Position; ancestor: Position },
): void {
  if (cast.liar === null) return;
  let lowest = chain.byHash.get(of.from.hash);
  while (lowest !== undefined && lowest.header.number > of.ancestor.number + 1n)
    lowest = chain.byHash.get(lowest.header.parentHash);
  const { number, hash } = lowest?.header ?? of.from;
  if (chain.canonical()[Number(number)]?.header.hash === hash)
    fail(`block ${number} is undone, and the chain has it`);
}

/** The ledger itself, with a note of which blocks were written when. */
function recording(world: World) {
  const watching = {
    ...createWatcherLedger(world.db),
    ...createOldBlockLedger(world.db),
  };
  const changing = async <T>(work: Promise<T>): Promise<T> => {
    const outcome = await work;
    world.changes += 1;
    return outcome;
  };
  return {
    ...watching,
    commitBlocks: async (commit: Parameters<typeof watching.commitBlocks>[0]) => {
      const outcome = await changing(watching.commitBlocks(commit));
      if (outcome.kind !== "committed") return outcome;
      const { headers } = commit;
      for (const { hash } of headers) world.known.writtenAt.set(hash, world.known.events++);
      const { number, hash } = headers.at(-1) ?? headers[0];
      // What merely moves to another block is neither dropped nor reversed: until the old height
      // it may come again.
      if (outcome.dropped + outcome.reversed > 0 && number < world.known.settleAt)
        world.fail(`block ${number} settles a reorg from ${world.known.settleAt}`);
      if (number >= world.known.settleAt) world.known.settleAt = 0n;
      if (commit.kind === "range") world.known.ranges += 1;
      const blocks = `${headers.length} up to ${number} ${hash.slice(0, 8)}`;
      world.scheduler.note(`  wrote ${blocks} ${toText(outcome)}`);
      return outcome;
    },
    undoBlocks: async (undo: Parameters<typeof watching.undoBlocks>[0]) => {
      const outcome = await changing(watching.undoBlocks(undo));
      const { from, ancestor } = undo;
      if (outcome.kind === "undone") {
        if (from.number > world.known.settleAt) world.known.settleAt = from.number;
        checkUndone(world, undo);
      }
      world.scheduler.note(`  undo ${from.number} to ${ancestor.number}: ${toText(outcome)}`);
      return outcome;
    },
    confirmUpTo: (confirm: Parameters<typeof watching.confirmUpTo>[0]) =>
      changing(watching.confirmUpTo(confirm)),
    // Of equal places the order is PostgreSQL's own affair.
    readDueOpenings: async (...input: Parameters<typeof watching.readDueOpenings>) => {
      const { due, next } = await watching.readDueOpenings(...input);
      due.sort(
        (a, b) =>
          Number(a.atNumber - b.atNumber) ||
          a.walletAddress.localeCompare(b.walletAddress) ||
          a.assetId - b.assetId,
      );
      return { due, next };
    },
    // One at a time: blocks are committed, and the configuration changes, between two of them.
    readNextBalances: (name: string) => watching.readNextBalances(name, 1),
    makeBalances: (...input: Parameters<typeof watching.makeBalances>) =>
      changing(watching.makeBalances(...input)),
    recordOpenings: (...input: Parameters<typeof watching.recordOpenings>) =>
      changing(watching.recordOpenings(...input)),
    acceptProven: (...input: Parameters<typeof watching.acceptProven>) =>
      changing(watching.acceptProven(...input)),
    replaceRead: (...input: Parameters<typeof watching.replaceRead>) =>
      changing(watching.replaceRead(...input)),
    recordFound: (...input: Parameters<typeof watching.recordFound>) =>
      changing(watching.recordFound(...input)),
    correctOpening: (...input: Parameters<typeof watching.correctOpening>) =>
      changing(watching.correctOpening(...input)),
    async finishReconciliation(...input: Parameters<typeof watching.finishReconciliation>) {
      const ended = await watching.finishReconciliation(...input);
      if (ended === "moved") return ended;
      world.known.reconciled += 1;
      world.known.comparedAt = input[0].atNumber;
      return ended;
    },
  };
}
