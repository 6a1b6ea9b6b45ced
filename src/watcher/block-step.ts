import type { Hash, Position } from "../domain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../domain/confirmation.ts";
import type { FaultCode } from "../domain/fault.ts";
import type { Watchlist } from "../domain/watchlist.ts";
import type { Logger } from "../runtime/logger.ts";
import type { StepResult } from "../runtime/loop.ts";
import { type AdvanceOutcome, advance } from "./advance.ts";
import { checkIdentity } from "./check-identity.ts";
import { type Confirmable, findConfirmable, readTag } from "./confirmable.ts";
import { startWatching } from "./start-watching.ts";
import { undoReorg } from "./undo-reorg.ts";

type ChainState = {
  position: Position | null;
  confirmedNumber: bigint | null;
  genesisHash: Hash | null;
  stopped: { code: string; reason: string } | null;
};

export type BlockChain = Parameters<typeof checkIdentity>[0] &
  Parameters<typeof startWatching>[0]["chain"] &
  Parameters<typeof advance>[0]["chain"] &
  Parameters<typeof undoReorg>[0]["chain"];

export type BlockLedger = Parameters<typeof startWatching>[0]["ledger"] &
  Parameters<typeof advance>[0]["ledger"] &
  Parameters<typeof undoReorg>[0]["ledger"] & {
    readChainState: (chainName: string) => Promise<ChainState>;
    readWatchlist: (chainName: string) => Promise<Watchlist>;
    confirmUpTo: (confirm: {
      chainName: string;
      position: Position;
      upTo: bigint;
    }) => Promise<
      { kind: "promoted"; confirmed: number; rang: number } | { kind: "position_moved" }
    >;
    markStopped: (
      chainName: string,
      why: { code: FaultCode; reason: string } | null,
    ) => Promise<void>;
  };

export type BlockStepOptions = {
  chainName: string;
  chainId: number;
  startBlock: bigint | null;
  policy: ConfirmationPolicy;
};

/**
 * What is remembered between two steps of one chain. All of it can be forgotten at any time: the position is read
 * from the ledger each time.
 */
type Memory = { list: Watchlist | null; knownHead: bigint | null; isIdentified: boolean };

export type BlockStep = {
  /** Starts the chain, moves it one block on, or goes back before a reorg. */
  run: () => Promise<StepResult>;
  /** Asks the endpoint which chain it serves, before anything it says is believed. */
  identify: () => Promise<void>;
  isIdentified: () => boolean;
  /** After a failure nothing the endpoint said before is relied on. */
  distrust: () => void;
};

type Ports = { chain: BlockChain; ledger: BlockLedger; log: Logger; onCommitted: () => void };

type Step = { ports: Ports; options: BlockStepOptions; memory: Memory };

/** The step of one chain's watcher. `onCommitted` is told of each block that was written. */
export function createBlockStep(ports: Ports, options: BlockStepOptions): BlockStep {
  const memory: Memory = { list: null, knownHead: null, isIdentified: false };
  const step: Step = { ports, options, memory };
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
    },
  };
}

async function run(step: Step): Promise<StepResult> {
  const { ports, options, memory } = step;
  const { chainName, policy } = options;
  const state = await ports.ledger.readChainState(chainName);
  if (state.position === null) return start(step, state);
  if (!memory.isIdentified) await identify(step, state.genesisHash);
  memory.list ??= await ports.ledger.readWatchlist(chainName);
  const { list, knownHead } = memory;
  const { position } = state;
  const outcome = await advance(ports, { chainName, position, knownHead, list, policy });
  const result = await follow(step, { ...state, position }, outcome);
  if (state.stopped !== null) await ports.ledger.markStopped(chainName, null);
  return result;
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
      logCommit(ports.log, chainName, outcome);
      tellDispute(step, outcome.confirmable);
      ports.onCommitted();
      return "again";
    case "position_moved":
      return "again";
    case "at_head":
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
  const confirmable = await findConfirmable(ports, { chainName, tip: position, tag, policy });
  tellDispute(step, confirmable);
  if (confirmable.kind !== "confirmable" || confirmable.number <= confirmed) return;
  const upTo = confirmable.number;
  const outcome = await ports.ledger.confirmUpTo({ chainName, position, upTo });
  if (outcome.kind === "position_moved") return;
  ports.log.info({ chain: chainName, upTo, ...outcome }, "blocks.confirmed");
  ports.onCommitted();
}

/** Two endpoints on two branches is what the operator must know of: nothing is confirmed meanwhile. */
function tellDispute({ ports, options }: Step, confirmable: Confirmable): void {
  if (confirmable.kind !== "disputed") return;
  ports.log.warn({ chain: options.chainName, ...confirmable }, "confirmation.disputed");
}

function logCommit(
  log: Logger,
  chainName: string,
  outcome: Extract<AdvanceOutcome, { kind: "committed" }>,
): void {
  const { kind: _, confirmable: __, block, ...counts } = outcome;
  const isNews = counts.recorded + counts.confirmed + counts.dropped + counts.reversed > 0;
  const fields = { chain: chainName, block: block.number, hash: block.hash, ...counts };
  if (isNews) log.info(fields, "block.committed");
  else log.debug(fields, "block.committed");
}
