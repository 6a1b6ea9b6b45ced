import type { BlockHeader, Hash, Position } from "../../domain/chain/block.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { Spans } from "../../domain/spans.ts";
import type { RangeOutcome, Written } from "../../domain/watch/commit.ts";
import type { RangeBlock } from "../../domain/watch/watch-filter.ts";
import type { CatchUpLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import { areWhole, type Blocks, type PreparedCommit, prepareCommit } from "../prepare-commit.ts";
import type { ProvingChain } from "../prove-balances.ts";
import { type ReportingPorts, reportTrouble } from "../report-commit.ts";
import { measure, reportCommit } from "../report-spans.ts";
import { type PlanningChain, planRange, type RangePlan } from "./plan-range.ts";
import { createProgressLog } from "./report-progress.ts";

type Ports = ReportingPorts & {
  chain: PlanningChain & ProvingChain;
  gate: WitnessGate;
  ledger: CatchUpLedger;
  clock: Clock;
  spans: Spans;
  /** Called with what each commit has written. */
  onCommitted: (committed: Pick<Written, "recorded" | "notified">) => void;
};

/** `headNumber`: the head as it is known after the step; null: not known. */
type CatchUpOutcome =
  | { kind: "committed"; headNumber: bigint | null }
  /** The chain is not far behind, or its blocks do not fit the position: it goes on block by block. */
  | { kind: "near"; headNumber: bigint | null }
  /** Another watcher, an undo or a reset came first, or what is watched has changed: read again. */
  | { kind: "again"; headNumber: bigint | null };

/** What a step begins with. */
type Beginning = {
  position: Position;
  settleNumber: bigint | null;
  confirmedNumber: bigint | null;
  list: Watchlist;
  knownHead: bigint | null;
};

export type CatchUp = {
  /** One bounded step: some blocks after the position go into the ledger, in one transaction. Safe to repeat. */
  step: (from: Beginning) => Promise<CatchUpOutcome>;
  /** Forgets what was read ahead. */
  drop: () => void;
};

/** A stretch that is being read and committed: the position is where its last commit left it. */
type Run = RangePlan & { position: Position };

/** What is remembered between two steps. All of it can be forgotten at any time. */
type Memory = {
  run: Run | null;
  /** The head at which there was nothing to catch up; looked at again when another one is known. */
  nearHead: bigint | null;
  /**
   * After a change of what is watched, one commit takes blocks that were read whole: they can be matched with any
   * list.
   */
  isWhole: boolean;
};

type Options = { chainName: string; policy: ConfirmationPolicy; farBlocks: bigint };

type Step = {
  ports: Ports;
  options: Options;
  memory: Memory;
  progress: ReturnType<typeof createProgressLog>;
};

/**
 * So far behind, ranges are quicker than single blocks. Nearer, the seconds saved are worth less than the pending
 * events.
 */
export const usualFarBlocks = 256n;

/**
 * Moves a chain that is more than `farBlocks` below its confirmed height by ranges up to that height: the same blocks as
 * one by one, proved the same way, read ahead in parallel and committed in order, many in one transaction. Each commit
 * is conditional on the position in the ledger (docs/invariants.md#i1, #i4, #i5).
 */
export function createCatchUp(ports: Ports, options: Options): CatchUp {
  const memory: Memory = { run: null, nearHead: null, isWhole: false };
  const progress = createProgressLog(ports, options.chainName);
  const step: Step = { ports, options, memory, progress };
  return { step: (from) => run(step, from), drop: () => drop(memory) };
}

function drop(memory: Memory): void {
  memory.run?.ahead.close();
  memory.run = null;
}

async function run(step: Step, from: Beginning): Promise<CatchUpOutcome> {
  const { memory } = step;
  const { position, settleNumber, knownHead } = from;
  const reached = memory.run?.position;
  if (reached?.number !== position.number || reached.hash !== position.hash) drop(memory);
  // A reorg is replayed block by block.
  if (settleNumber !== null) return { kind: "near", headNumber: knownHead };
  if (memory.run === null) {
    const begun = await begin(step, from);
    if (!("ahead" in begun)) return { kind: "near", headNumber: begun.headNumber };
    memory.run = begun;
  }
  try {
    return await move(step, memory.run, from);
  } catch (error) {
    drop(memory);
    throw error;
  }
}

async function begin(step: Step, from: Beginning): Promise<Run | { headNumber: bigint | null }> {
  const { ports, memory } = step;
  const { policy, farBlocks } = step.options;
  const { position, list, knownHead } = from;
  const isNear = knownHead !== null && knownHead - position.number <= farBlocks;
  if (isNear || (knownHead !== null && knownHead === memory.nearHead))
    return { headNumber: knownHead };
  const { isWhole } = memory;
  const plan = await planRange(ports.chain, { position, policy, farBlocks, list, isWhole });
  if ("ahead" in plan) return { ...plan, position };
  memory.nearHead = plan.headNumber;
  return plan;
}

/** The way of some blocks into the ledger: read ahead, matched and proved, committed, reported. */
async function move(step: Step, current: Run, from: Beginning): Promise<CatchUpOutcome> {
  const { ports, memory } = step;
  const { chainName, policy } = step.options;
  const { list, knownHead, confirmedNumber } = from;
  const { position, target, tag } = current;

  const waited = measure(ports.clock);
  const blocks = linked(position.hash, await current.ahead.next());
  const read = waited();
  if (!hasBlocks(blocks)) {
    // The position is on another branch than the endpoint: the next block alone will show it.
    drop(memory);
    return { kind: "near", headNumber: knownHead };
  }
  if (current.version !== list.version && !areWhole(blocks)) {
    // They were read ahead for an older list.
    drop(memory);
    return { kind: "again", headNumber: knownHead };
  }

  // Read ahead, by whichever endpoint led then.
  const of = { chainName, policy, blocks, list, tag, witness: null, readFrom: null };
  const proved = measure(ports.clock);
  const prepared = await prepareCommit(ports, { ...of, confirmedNumber });
  const prove = proved();

  const written = measure(ports.clock);
  const outcome = await commit(step, current, { blocks, prepared });
  if (outcome.kind !== "committed") {
    memory.isWhole = outcome.kind === "watch_changed";
    drop(memory);
    return { kind: "again", headNumber: knownHead };
  }

  const tip = tipOf(blocks);
  const periods = { read, prove, commit: written() };
  const { ids } = outcome;
  reportCommit(ports.spans, { chainName, tip, blocks: blocks.length, ...periods, ids });
  const isDone = tip.number >= target;
  if (memory.isWhole || isDone) drop(memory);
  else memory.run = { ...current, position: { number: tip.number, hash: tip.hash } };
  memory.isWhole = false;
  await report(step, current, { tip, prepared, outcome });
  // The chain has moved on while it was caught up: the head is asked for anew.
  return { kind: "committed", headNumber: isDone ? null : current.headNumber };
}

function commit(
  step: Step,
  { position, headNumber }: Run,
  of: { blocks: Blocks; prepared: PreparedCommit },
): Promise<RangeOutcome> {
  const { blocks, prepared } = of;
  return step.ports.ledger.commitRange({
    chainName: step.options.chainName,
    parent: position,
    headers: blocks.map(({ header }) => header),
    headNumber,
    watchVersion: prepared.watchVersion,
    match: prepared.match,
    confirmedNumber: prepared.confirmedNumber,
    isAgreed: prepared.isAgreed,
  });
}

async function report(
  { ports, options, progress }: Step,
  { position, target }: Run,
  of: {
    tip: BlockHeader;
    prepared: PreparedCommit;
    outcome: Extract<RangeOutcome, { kind: "committed" }>;
  },
): Promise<void> {
  const { chainName } = options;
  const { tip, prepared, outcome } = of;
  const { recorded, confirmed, notified } = outcome;
  const range = { from: position.number + 1n, to: tip.number };
  const counts = { hash: tip.hash, recorded, confirmed, notified };
  ports.log.debug({ chain: chainName, ...range, ...counts }, "range.committed");
  progress.committed({ ...range, target });
  await reportTrouble(ports, chainName, prepared);
  ports.onCommitted(outcome);
}

function hasBlocks(blocks: RangeBlock[]): blocks is [RangeBlock, ...RangeBlock[]] {
  return blocks.length > 0;
}

function tipOf(blocks: Blocks): BlockHeader {
  return (blocks.at(-1) ?? blocks[0]).header;
}

/** Those that follow one after another: ranges may be of two endpoints, or of before and after a reorg. */
function linked(parentHash: Hash, blocks: RangeBlock[]): RangeBlock[] {
  let hash = parentHash;
  const broken = blocks.findIndex(({ header }) => {
    if (header.parentHash !== hash) return true;
    hash = header.hash;
    return false;
  });
  return broken === -1 ? blocks : blocks.slice(0, broken);
}
