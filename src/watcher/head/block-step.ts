import type { Hash, Position } from "../../domain/chain/block.ts";
import type { ChainState } from "../../domain/chain/chain-state.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { CatchUpLedger, HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { StepResult } from "../../runtime/loop.ts";
import {
  type CatchUp,
  type CatchUpChain,
  type CatchUpOutcome,
  createCatchUp,
  usualFarBlocks,
} from "../catch-up/catch-up.ts";
import { findConfirmable, readTag } from "../confirmable.ts";
import { type AdvanceOutcome, advance } from "./advance.ts";
import { checkIdentity } from "./check-identity.ts";
import { askAnnounced, type NextBlock } from "./next-block.ts";
import { logCommit, logDispute, type ReportingPorts, reportTrouble } from "./report-commit.ts";
import { createProgressLog } from "./report-progress.ts";
import { startWatching } from "./start-watching.ts";
import { undoReorg } from "./undo-reorg.ts";

export type BlockChain = Parameters<typeof checkIdentity>[0] &
  Parameters<typeof startWatching>[0]["chain"] &
  Parameters<typeof advance>[0]["chain"] &
  CatchUpChain &
  Parameters<typeof undoReorg>[0]["chain"];

export type BlockLedger = Omit<HeadLedger, "writeReading"> &
  CatchUpLedger &
  ReportingPorts["ledger"];

export type BlockStepOptions = {
  chainName: string;
  chainId: number;
  startBlock: bigint | null;
  policy: ConfirmationPolicy;
  /** A position this far below its confirmed height is caught up by ranges; left out: `usualFarBlocks`. */
  farBlocks?: bigint;
};

/**
 * What is remembered between two steps of one chain. All of it can be forgotten at any time: the position is read
 * from the ledger each time.
 */
type Memory = {
  list: Watchlist | null;
  knownHead: bigint | null;
  /** Where the last step left the chain: what follows can be asked for before the ledger has said that it still is there. */
  position: Position | null;
  isIdentified: boolean;
};

export type BlockStep = {
  /** Starts the chain, moves it one block on (far behind, many), or goes back before a reorg. */
  run: () => Promise<StepResult>;
  /** Asks the endpoint which chain it serves, before anything it says is believed. */
  identify: () => Promise<void>;
  isIdentified: () => boolean;
  /** After a failure nothing the endpoint said before is relied on. */
  distrust: () => void;
};

type Ports = {
  chain: BlockChain;
  ledger: BlockLedger;
  log: Logger;
  onCommitted: (committed: { notified: number }) => void;
  clock: Clock;
};

type Step = {
  ports: Ports;
  options: BlockStepOptions;
  memory: Memory;
  catchUp: CatchUp;
  progress: ReturnType<typeof createProgressLog>;
};

/** The step of one chain's watcher. `onCommitted` is told of everything that was written. */
export function createBlockStep(ports: Ports, options: BlockStepOptions): BlockStep {
  const memory: Memory = { list: null, knownHead: null, position: null, isIdentified: false };
  const { chainName, policy, farBlocks = usualFarBlocks } = options;
  const { log, clock } = ports;
  const catchUp = createCatchUp(ports, { chainName, policy, farBlocks });
  const progress = createProgressLog({ clock, log }, chainName);
  const step: Step = { ports, options, memory, catchUp, progress };
  return {
    run: () => run(step),
    async identify() {
      const state = await ports.ledger.readChainState(options.chainName);
      await identify(step, state.genesisHash);
    },
    isIdentified: () => memory.isIdentified,
    distrust() {
      memory.isIdentified = false;
      memory.knownHead = null;
      memory.position = null;
      catchUp.drop();
    },
  };
}

async function run(step: Step): Promise<StepResult> {
  const { ports, options, memory } = step;
  const { chainName, policy } = options;
  const expected = memory.position;
  memory.position = null;
  const [state, early] = await Promise.all([
    ports.ledger.readChainState(chainName),
    expected === null ? null : askAnnounced(ports.chain, expected, policy),
  ]);
  if (state.position === null) return start(step, state);
  if (!memory.isIdentified) await identify(step, state.genesisHash);
  memory.list ??= await ports.ledger.readWatchlist(chainName);
  const { list } = memory;
  const { position, settleNumber } = state;
  const { knownHead } = memory;
  const isHere = expected?.number === position.number && expected.hash === position.hash;
  const far = await step.catchUp.step({ position, settleNumber, list, knownHead });
  const result =
    (await followRange(step, far)) ??
    (await moveOn(step, { ...state, position }, { list, next: isHere ? early : null }));
  if (state.stopped !== null) await ports.ledger.markStopped(chainName, null);
  return result;
}

async function moveOn(
  step: Step,
  state: ChainState & { position: Position },
  found: { list: Watchlist; next: NextBlock | null },
): Promise<StepResult> {
  const { chainName, policy } = step.options;
  const { knownHead } = step.memory;
  const { position } = state;
  const outcome = await advance(step.ports, { chainName, position, knownHead, ...found, policy });
  return follow(step, state, outcome);
}

/** Null: the chain is near its head. */
async function followRange(step: Step, outcome: CatchUpOutcome): Promise<StepResult | null> {
  const { ports, memory, progress } = step;
  const { chainName } = step.options;
  switch (outcome.kind) {
    case "near":
      memory.knownHead = outcome.headNumber ?? memory.knownHead;
      return null;
    case "again":
      return "again";
    case "committed": {
      const { from, tip, target, recorded, confirmed, notified } = outcome;
      // At the end the head is long another one.
      memory.knownHead = tip.number < target ? outcome.headNumber : null;
      const fields = { from, to: tip.number, hash: tip.hash, recorded, confirmed, notified };
      ports.log.debug({ chain: chainName, ...fields }, "range.committed");
      progress.committed({ from, to: tip.number, target });
      await reportTrouble(ports, chainName, outcome);
      ports.onCommitted(outcome);
      return "again";
    }
  }
}

async function identify(step: Step, genesisHash: Hash | null): Promise<Hash> {
  const { chainName, chainId } = step.options;
  const actual = await checkIdentity(step.ports.chain, { chainName, chainId, genesisHash });
  step.memory.isIdentified = true;
  return actual;
}

async function start(step: Step, state: ChainState): Promise<StepResult> {
  const { ports, options, memory } = step;
  memory.list = null;
  memory.knownHead = null;
  const genesisHash = await identify(step, state.genesisHash);
  const isStarted = await startWatching(ports, { ...options, genesisHash });
  if (isStarted) ports.log.info({ chain: options.chainName, genesisHash }, "chain.started");
  return isStarted ? "again" : "idle";
}

async function follow(
  step: Step,
  state: ChainState & { position: Position },
  outcome: AdvanceOutcome,
): Promise<StepResult> {
  const { ports, options, memory } = step;
  const { chainName } = options;
  const { position } = state;
  switch (outcome.kind) {
    case "committed":
      memory.knownHead = outcome.headNumber;
      memory.position = outcome.block;
      logCommit(ports.log, chainName, outcome);
      await reportTrouble(ports, chainName, outcome);
      ports.onCommitted(outcome);
      return "again";
    case "position_moved":
      return "again";
    case "at_head":
      memory.position = position;
      await confirmOn(step, { position, confirmedNumber: state.confirmedNumber });
      return "idle";
    case "endpoint_lags":
      ports.log.debug(
        { chain: chainName, position: position.number, head: outcome.headNumber },
        "endpoint.lagging",
      );
      return "idle";
    case "reorganised": {
      memory.knownHead = null;
      // Another chain looks like a reorg from here: ask before anything is undone.
      await identify(step, state.genesisHash);
      if (outcome.isLower) return "idle";
      const undo = await undoReorg(ports, { chainName, position });
      if (undo.kind === "undone") ports.log.warn({ chain: chainName, ...undo }, "reorg.undone");
      return "again";
    }
  }
}

/**
 * Confirms what may be without a new block: a tag has moved, or another endpoint agrees by now. A depth that is already
 * reached asks nobody.
 */
async function confirmOn(
  step: Step,
  at: { position: Position; confirmedNumber: bigint | null },
): Promise<void> {
  const { ports, options } = step;
  const { chainName, policy } = options;
  const { position } = at;
  const confirmed = at.confirmedNumber ?? 0n;
  const tag = await readTag(ports.chain, policy);
  if (confirmedHeight(position.number, policy, tag?.number ?? null) <= confirmed) return;
  const confirmable = await findConfirmable(ports, {
    chainName,
    tip: position,
    tag,
    policy,
    witness: null,
  });
  logDispute(ports.log, chainName, confirmable);
  if (confirmable.kind !== "confirmable" || confirmable.number <= confirmed) return;
  const upTo = confirmable.number;
  const outcome = await ports.ledger.confirmUpTo({ chainName, position, upTo });
  if (outcome.kind === "position_moved") return;
  ports.log.info({ chain: chainName, upTo, ...outcome }, "blocks.confirmed");
  ports.onCommitted(outcome);
}
