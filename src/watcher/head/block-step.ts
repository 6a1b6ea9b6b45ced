import type { Hash, Position } from "../../domain/chain/block.ts";
import type { ChainState } from "../../domain/chain/chain-state.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type {
  BalanceLedger,
  CatchUpLedger,
  HeadLedger,
} from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { StepResult } from "../../runtime/loop.ts";
import { type CatchUp, createCatchUp, usualFarBlocks } from "../catch-up/catch-up.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import { prepareCommit } from "../prepare-commit.ts";
import { logCommit, reportTrouble } from "../report-commit.ts";
import { checkIdentity } from "./check-identity.ts";
import { confirmAtHead, maySettle } from "./confirm-at-head.ts";
import { askAnnounced, askNext, type NextBlock } from "./next-block.ts";
import { type NoNextBlock, planBlock } from "./plan-block.ts";
import { startWatching } from "./start-watching.ts";
import { undoReorg } from "./undo-reorg.ts";

export type BlockChain = Omit<ChainSource, "status" | "onAnnounced" | "close">;

export type BlockLedger = Omit<HeadLedger, "writeReading"> &
  CatchUpLedger &
  Pick<BalanceLedger, "recordDiscrepancies">;

export type BlockStepOptions = {
  chainName: string;
  chainId: number;
  startBlock: bigint | null;
  policy: ConfirmationPolicy;
  /** A position this far below its confirmed height is caught up by ranges; left out: `usualFarBlocks`. */
  farBlocks?: bigint;
};

export type BlockStep = {
  /**
   * Starts the chain, moves it one block on (far behind, many), or goes back to where a reorg began. Safe to repeat
   * at any time.
   */
  run: () => Promise<StepResult>;
  /** Asks the endpoint which chain it serves, before any answer of it is used. */
  identify: () => Promise<void>;
  isIdentified: () => boolean;
  /** After a failure: nothing that the endpoint answered before is relied on. */
  distrust: () => void;
};

type Ports = {
  chain: BlockChain;
  gate: WitnessGate;
  ledger: BlockLedger;
  log: Logger;
  /** Called with what each commit has written. */
  onCommitted: (committed: { notified: number }) => void;
  /** Called when the chain goes on: its position has moved, or nothing is there to be read. */
  onProgress: () => void;
  clock: Clock;
};

/**
 * What is remembered between two steps of one chain. All of it can be forgotten at any time: the position is read
 * from the ledger each time.
 */
type Memory = {
  list: Watchlist | null;
  knownHead: bigint | null;
  /** Where the last step left the chain: the block after it can be asked for while the ledger is still being read. */
  position: Position | null;
  confirmedNumber: bigint | null;
  isIdentified: boolean;
};

type Step = { ports: Ports; options: BlockStepOptions; memory: Memory; catchUp: CatchUp };

/** The bounded step of one chain's watcher. */
export function createBlockStep(ports: Ports, options: BlockStepOptions): BlockStep {
  const memory: Memory = {
    ...{ list: null, knownHead: null, position: null, confirmedNumber: null },
    isIdentified: false,
  };
  const { chainName, policy, farBlocks = usualFarBlocks } = options;
  const catchUp = createCatchUp(ports, { chainName, policy, farBlocks });
  const step: Step = { ports, options, memory, catchUp };
  return {
    run: () => run(step),
    async identify() {
      const state = await ports.ledger.readChainState(chainName);
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

/** What a step begins with. */
type Beginning = {
  state: ChainState & { position: Position };
  list: Watchlist;
  /** The block after the position, where it was announced and has been read already. */
  announced: NextBlock | null;
};

async function run(step: Step): Promise<StepResult> {
  const { ports, options, memory } = step;
  const { state, announced } = await readState(step);
  const { position, settleNumber, confirmedNumber } = state;
  if (position === null) return start(step, state);
  if (!memory.isIdentified) await identify(step, state.genesisHash);
  memory.list ??= await ports.ledger.readWatchlist(options.chainName);
  const { list, knownHead } = memory;
  const range = await step.catchUp.step({
    ...{ position, settleNumber, confirmedNumber, list, knownHead },
  });
  memory.knownHead = range.headNumber;
  if (range.kind === "near")
    return moveByBlock(step, { state: { ...state, position }, list, announced });
  if (range.kind === "committed") await goOn(step, state);
  return "again";
}

/** How far the chain is; and, asked for at the same time, the block that was announced after the last known position. */
async function readState(step: Step): Promise<{ state: ChainState; announced: NextBlock | null }> {
  const { ports, options, memory } = step;
  const expected = memory.position;
  memory.position = null;
  const { policy } = options;
  const { confirmedNumber } = memory;
  const [state, announced] = await Promise.all([
    ports.ledger.readChainState(options.chainName),
    expected === null ? null : askAnnounced(ports, expected, { policy, confirmedNumber }),
  ]);
  memory.confirmedNumber = state.confirmedNumber;
  const isHere =
    expected?.number === state.position?.number && expected?.hash === state.position?.hash;
  return { state, announced: isHere ? announced : null };
}

/** The way of one block into the ledger: planned, read, matched and proved, committed, reported. */
async function moveByBlock(step: Step, beginning: Beginning): Promise<StepResult> {
  const { ports, memory } = step;
  const { chainName, policy } = step.options;
  const { list, announced } = beginning;
  const { position, settleNumber, confirmedNumber } = beginning.state;

  const known = { knownHead: memory.knownHead, isRead: announced !== null };
  const plan = await planBlock(ports, { chainName, position, ...known });
  if (plan.kind !== "next") return stay(step, beginning, plan);
  const { headNumber } = plan;

  const confirming = { policy, confirmedNumber };
  const next = announced ?? (await askNext(ports, plan.number, confirming));
  const { block, ...read } = next;
  const { header } = block;
  if (header.parentHash !== position.hash)
    return stay(step, beginning, { kind: "reorganised", isLower: false });

  const of = { chainName, list, ...confirming, ...read };
  const [prepared, isSettled] = await Promise.all([
    prepareCommit(ports, { ...of, blocks: [block] }),
    maySettle(ports.gate, { settleNumber, tip: header }),
  ]);

  const outcome = await ports.ledger.commitBlock({
    chainName,
    parent: position,
    header,
    headNumber,
    watchVersion: prepared.watchVersion,
    match: (difference) => prepared.match(difference).flatMap(({ matched }) => matched),
    confirmedNumber: prepared.confirmedNumber,
    isAgreed: prepared.isAgreed,
    isSettled,
  });
  if (outcome.kind === "position_moved") return "again";

  memory.knownHead = headNumber;
  memory.position = header;
  logCommit(ports.log, { chainName, header, headNumber, outcome });
  await reportTrouble(ports, chainName, prepared);
  await goOn(step, beginning.state);
  ports.onCommitted(outcome);
  return "again";
}

/** The chain is not stopped, or not any more. */
async function goOn({ ports, options }: Step, { stopped }: ChainState): Promise<void> {
  ports.onProgress();
  if (stopped === null) return;
  const { chainName } = options;
  await ports.ledger.markStopped(chainName, null);
  ports.log.info({ chain: chainName, was: stopped.code }, "chain.resumed");
}

/** No block can be added to the position: at the head, what is there may still be confirmed; in a reorg the chain goes back. */
async function stay(step: Step, { state }: Beginning, why: NoNextBlock): Promise<StepResult> {
  const { ports, options, memory } = step;
  const { chainName } = options;
  const { position, confirmedNumber, settleNumber } = state;
  switch (why.kind) {
    case "at_head": {
      memory.position = position;
      await goOn(step, state);
      const at = { ...options, position, confirmedNumber, settleNumber };
      const outcome = await confirmAtHead(ports, at);
      if (outcome.kind === "promoted") ports.onCommitted(outcome);
      return "idle";
    }
    case "endpoint_lags": {
      const { headNumber: head } = why;
      ports.log.debug({ chain: chainName, position: position.number, head }, "endpoint.lagging");
      return "idle";
    }
    case "reorganised": {
      memory.knownHead = null;
      // An endpoint of another chain looks like a reorg too: ask which chain it is before anything is undone.
      await identify(step, state.genesisHash);
      if (why.isLower) return "idle";
      const undo = await undoReorg(ports, { chainName, position });
      if (undo.kind === "undone") ports.log.warn({ chain: chainName, ...undo }, "reorg.undone");
      return undo.kind === "held" ? "idle" : "again";
    }
  }
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

async function identify(step: Step, genesisHash: Hash | null): Promise<Hash> {
  const { chainName, chainId } = step.options;
  const actual = await checkIdentity(step.ports.chain, { chainName, chainId, genesisHash });
  step.memory.isIdentified = true;
  return actual;
}
