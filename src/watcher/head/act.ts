import { type Hash, isSameBlock, type Position } from "../../domain/chain/block.ts";
import type { ChainState, WaitingWork } from "../../domain/chain/chain-state.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { KnownGenesis } from "../../domain/chain/profiles/known-genesis.ts";
import { lastOf } from "../../domain/last-of.ts";
import type { Spans } from "../../domain/spans.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { CommitOutcome, Written } from "../../domain/watch/commit.ts";
import type { RangeBlock } from "../../domain/watch/watch-filter.ts";
import type { BalanceLedger, HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { planStretch } from "../catch-up/plan-stretch.ts";
import type { createProgressLog } from "../catch-up/report-progress.ts";
import { areWhole } from "../prepare-commit.ts";
import { measure } from "../report-spans.ts";
import { checkIdentity } from "./check-identity.ts";
import { commitRun, type Run } from "./commit-run.ts";
import { confirmAtHead } from "./confirm-at-head.ts";
import { type Head, type Known, type Next, nothingSeen, type Seen } from "./decide.ts";
import { type ReadBlock, type Reading, readAnnounced, readByHeight } from "./read-next.ts";
import { startWatching } from "./start-watching.ts";
import { undoReorg } from "./undo-reorg.ts";

export type BlockChain = Omit<ChainSource, "status" | "onAnnounced" | "close">;

export type BlockLedger = Omit<HeadLedger, "writeReading" | "noteLag"> &
  Pick<BalanceLedger, "recordDiscrepancies">;

export type BlockStepOptions = {
  chainName: string;
  chainId: number;
  startBlock: bigint | null;
  /** The first block that a new chain must have. Null: the one that endpoints agree on. */
  genesis: KnownGenesis | null;
  policy: ConfirmationPolicy;
  /**
   * Ranges are used if the position is this far below the confirmed height. Left out:
   * `usualFarBlocks`.
   */
  farBlocks?: bigint;
};

export type Ports = {
  chain: BlockChain;
  gate: AgreementGate;
  ledger: BlockLedger;
  log: Logger;
  spans: Spans;
  /** Called with what each commit has written. */
  onCommitted: (committed: Pick<Written, "recorded" | "notified">) => void;
  /** Called after each look at the ledger. */
  onLooked: (waiting: WaitingWork) => void;
  /** Called when the chain advances: its position has moved, or there is nothing to read. */
  onProgress: () => void;
  clock: Clock;
};

/** Where the chain is, and what has been seen there. */
export type At<Kind extends Head = Head> = { head: Kind; seen: Seen };

export type Action = Exclude<Next, { kind: "wait" }>;

/** The state and the ports of every action of one chain. */
export type Step = {
  ports: Ports;
  options: BlockStepOptions & { farBlocks: bigint };
  progress: ReturnType<typeof createProgressLog>;
  /** The watchlist, which each commit brings up to date. Null: not read yet. */
  list: Watchlist | null;
};

/** Carries out what was decided. Returns where the chain is then, and what was seen. */
export async function act(step: Step, at: At, next: Action): Promise<At> {
  const { chain, ledger } = step.ports;
  const { chainName } = step.options;
  const { head, seen } = at;
  if (next.kind === "look") return look(step, at, next.beside);
  if (next.kind === "start" || head.kind === "unknown") return start(step, at);
  switch (next.kind) {
    case "ask_head": {
      const asked = await chain.head();
      return { head: { ...head, headNumber: asked.number }, seen: { ...seen, head: asked } };
    }
    case "read_hash":
      return {
        head,
        seen: { ...seen, storedAtHead: await ledger.readHash(chainName, next.number) },
      };
    case "read_block": {
      const reading = await readingOf(step, head);
      const block = await readByHeight(step.ports, { ...next, head: seen.head }, reading);
      return { head: seeing(head, block), seen: { ...seen, next: block } };
    }
    case "read_pending":
      return { head, seen: { ...seen, oldestPending: await ledger.readOldestPending(chainName) } };
    case "batch": {
      const { block, readMs } = lastOf(next.batch.blocks);
      const place = { ...head, tip: block.header, readMs };
      return { head: { ...place, kind: "batching", batch: next.batch }, seen: nothingSeen };
    }
    case "drop_batch":
      return forgetting(head, { tip: next.state.position ?? head.tip });
    case "plan_stretch":
      return openStretch(step, { head, seen });
    case "catch_up":
      return catchUp(step, head, next);
    case "commit":
      return commitNewest(step, head, next);
    case "confirm":
      await confirm(step, head, next.state);
      return { head, seen: { ...seen, done: "confirm" } };
    case "undo":
      return undo(step, { head, seen }, next);
  }
}

type Place = Exclude<Head, { kind: "unknown" }>;

/** The same place without a stretch or a batch, with the fields in `changed` replaced. */
function knownAt(
  { tip, confirmedNumber, headNumber, nearHead, readMs, isWhole }: Place,
  changed: Partial<Omit<Known, "kind">>,
): Known {
  return {
    kind: "known",
    tip,
    confirmedNumber,
    headNumber,
    nearHead,
    readMs,
    isWhole,
    ...changed,
  };
}

/** Drops what is known above the tip, so that the head is asked for again. */
function forgetting(head: Place, { tip }: { tip: Position }): At {
  return { head: knownAt(head, { tip, headNumber: null }), seen: nothingSeen };
}

/** The place, with a head that is at least as high as this block. */
function seeing<Kind extends Place>(head: Kind, { block }: ReadBlock): Kind {
  const { number } = block.header;
  const isHigher = head.headNumber === null || head.headNumber < number;
  return isHigher ? { ...head, headNumber: number } : head;
}

async function look(
  step: Step,
  { head, seen }: At,
  beside: Extract<Next, { kind: "look" }>["beside"],
): Promise<At> {
  const { ports, options } = step;
  if (head.kind === "batching") {
    const next = await readAnnounced(ports, head.tip, await readingOf(step, head));
    const looked = { ...seen, hasLooked: true, next };
    return { head: next === null ? head : seeing(head, next), seen: looked };
  }
  const [state, next] = await Promise.all([
    readState(step),
    head.kind === "unknown" || beside === "nothing" ? null : readAbove(step, head, beside),
  ]);
  const looked = { ...seen, hasLooked: true, state };
  if (head.kind === "unknown") {
    const genesisHash = await checkIdentity(ports.chain, {
      ...options,
      genesisHash: state.genesisHash,
    });
    return { head: begun(state), seen: { ...looked, genesisHash } };
  }
  const { position, confirmedNumber, settleNumber } = state;
  if (position === null) return { head: { kind: "unknown" }, seen: nothingSeen };
  const isHere = isSameBlock(position, head.tip);
  const goesOn = isHere && settleNumber === null && head.kind === "catching_up";
  const moved = goesOn
    ? { ...head, confirmedNumber }
    : knownAt(head, { tip: position, confirmedNumber });
  if (!isHere || next === null) return { head: moved, seen: looked };
  return { head: seeing(moved, next), seen: { ...looked, next } };
}

async function readState({ ports, options }: Step): Promise<ChainState> {
  const { waiting, ...state } = await ports.ledger.readChainState(options.chainName);
  ports.onLooked(waiting);
  return state;
}

/** Reads the block above the tip. Null: it was not announced, or could not be read in that way. */
async function readAbove(
  step: Step,
  head: Place,
  beside: "announced" | "next",
): Promise<ReadBlock | null> {
  const reading = await readingOf(step, head);
  const announced = await readAnnounced(step.ports, head.tip, reading);
  if (announced !== null || beside === "announced") return announced;
  return readByHeight(step.ports, { number: head.tip.number + 1n, head: null }, reading);
}

function begun({ position, confirmedNumber }: ChainState): Head {
  if (position === null) return { kind: "unknown" };
  return {
    kind: "known",
    tip: position,
    confirmedNumber,
    headNumber: null,
    nearHead: null,
    readMs: null,
    isWhole: false,
  };
}

async function readingOf(step: Step, head: Place): Promise<Reading> {
  const { chainName, policy } = step.options;
  const { confirmedNumber, isWhole } = head;
  const batchTag = head.kind === "batching" ? head.batch.blocks[0].tag : undefined;
  return { chainName, policy, list: await listOf(step), isWhole, confirmedNumber, batchTag };
}

async function listOf(step: Step): Promise<Watchlist> {
  step.list ??= await step.ports.ledger.readWatchlist(step.options.chainName);
  return step.list;
}

/** Gives the chain its first position. */
async function start(step: Step, { head, seen }: At): Promise<At> {
  const { ports, options } = step;
  const { genesisHash } = seen;
  step.list = null;
  const isStarted =
    genesisHash !== null && (await startWatching(ports, { ...options, genesisHash }));
  if (!isStarted) return { head, seen: { ...seen, done: "start" } };
  ports.log.info({ chain: options.chainName, genesisHash }, "chain.started");
  return { head, seen: nothingSeen };
}

async function openStretch(step: Step, { head, seen }: At<Place>): Promise<At> {
  const { policy, farBlocks } = step.options;
  const { tip: position, isWhole } = head;
  const list = await listOf(step);
  const plan = await planStretch(step.ports.chain, { position, policy, farBlocks, list, isWhole });
  const { headNumber } = plan;
  if (!("ahead" in plan))
    return { head: knownAt(head, { headNumber, nearHead: headNumber }), seen };
  const known = knownAt(head, { headNumber });
  return { head: { ...known, kind: "catching_up", stretch: plan }, seen };
}

/** Writes the next blocks of a stretch, in one commit. */
async function catchUp(
  step: Step,
  head: Place,
  { state, stretch }: Extract<Next, { kind: "catch_up" }>,
): Promise<At> {
  const { ports, progress } = step;
  const list = await listOf(step);
  const { tip: parent } = head;
  const { ahead, headNumber, tag, target } = stretch;
  const waited = measure(ports.clock);
  const blocks = linked(parent.hash, await ahead.next());
  const [first, ...others] = blocks;
  // The tip is on another branch than the endpoint. Reading only the next block will show that.
  if (first === undefined)
    return {
      head: knownAt(head, {}),
      seen: { ...nothingSeen, hasLooked: true, state, done: "catch_up" },
    };
  // The blocks were read ahead for an older list.
  if (stretch.version !== list.version && !areWhole(blocks))
    return { head: knownAt(head, {}), seen: nothingSeen };
  const run: Run = {
    kind: "range",
    blocks: [first, ...others],
    headNumber,
    tag,
    ballot: null,
    // Null, because another endpoint may have led when the blocks were read ahead.
    readFrom: null,
    read: waited(),
  };
  const outcome = await commitRun(ports, step.options, { base: { state, parent, list }, run });
  if (outcome.kind !== "committed")
    return { head: notWritten(step, head, outcome), seen: nothingSeen };
  await noteProgress(step, state);
  const { header: tip } = lastOf(run.blocks);
  progress.committed({ from: first.header.number, to: tip.number, target });
  ports.onCommitted(outcome);
  const isDone = tip.number >= target;
  if (!isDone && !head.isWhole) return { head: { ...head, tip }, seen: nothingSeen };
  // The chain has advanced during the catch-up, so the head is asked for again.
  const known = { tip, isWhole: false, headNumber: isDone ? null : headNumber };
  return { head: knownAt(head, known), seen: nothingSeen };
}

/**
 * The first blocks, as long as each is the parent of the next. Ranges may come from two endpoints,
 * or from two branches.
 */
function linked(parentHash: Hash, blocks: readonly RangeBlock[]): readonly RangeBlock[] {
  let hash = parentHash;
  const broken = blocks.findIndex(({ header }) => {
    if (header.parentHash !== hash) return true;
    hash = header.hash;
    return false;
  });
  return broken === -1 ? blocks : blocks.slice(0, broken);
}

async function commitNewest(
  step: Step,
  head: Place,
  { state, blocks }: Extract<Next, { kind: "commit" }>,
): Promise<At> {
  const { ports } = step;
  const [first, ...others] = blocks;
  const { block, tag, ballot, read, readMs } = lastOf(blocks);
  const { header: tip } = block;
  const run: Run = {
    kind: "newest",
    blocks: [first.block, ...others.map((one) => one.block)],
    headNumber: head.headNumber ?? tip.number,
    tag,
    ballot,
    readFrom: block.host,
    read,
  };
  const parent = state.position ?? head.tip;
  const base = { state, parent, list: await listOf(step) };
  const outcome = await commitRun(ports, step.options, { base, run });
  if (outcome.kind !== "committed")
    return { head: knownAt(notWritten(step, head, outcome), { tip: parent }), seen: nothingSeen };
  await noteProgress(step, state);
  ports.onCommitted(outcome);
  const { confirmedNumber } = outcome;
  const known = { tip, confirmedNumber, readMs, isWhole: false };
  // More may be possible later, if a second endpoint has to agree or a reorg has to be settled.
  const isAllDone = ports.chain.isAlone() && state.settleNumber === null;
  const seen: Seen = { ...nothingSeen, done: isAllDone ? "commit" : null };
  return { head: knownAt(head, known), seen };
}

/**
 * Nothing was written: another watcher, an undo or a reset came first, or the watchlist has
 * changed. A lost list is read anew. Blocks that were read for another list are read whole.
 */
function notWritten(
  step: Step,
  head: Place,
  { kind }: Exclude<CommitOutcome, { kind: "committed" }>,
): Known {
  if (kind === "watch_lost") step.list = null;
  return knownAt(head, { isWhole: kind !== "position_moved" });
}

/** Ends what the chain has waited for: it has advanced, or there is nothing to read. */
async function noteProgress(
  { ports, options }: Step,
  { stopped, settleNumber }: ChainState,
): Promise<void> {
  ports.onProgress();
  ports.gate.end("reorg");
  if (settleNumber === null) ports.gate.end("settlement");
  if (stopped === null) return;
  const { chainName } = options;
  await ports.ledger.markStopped(chainName, null);
  ports.log.info({ chain: chainName, was: stopped.code }, "chain.resumed");
}

/** Confirms stored blocks, which may be possible without a new block. */
async function confirm(step: Step, { tip: position }: Place, state: ChainState): Promise<void> {
  const { ports, options } = step;
  await noteProgress(step, state);
  const outcome = await confirmAtHead(ports, { ...options, ...state, position });
  if (outcome.kind === "promoted") ports.onCommitted({ ...outcome, recorded: 0 });
}

async function undo(
  step: Step,
  { head, seen }: At<Place>,
  { state, lowerHead }: Extract<Next, { kind: "undo" }>,
): Promise<At> {
  const { ports, options } = step;
  const { chainName } = options;
  // An endpoint of another chain looks like a reorg too, so the chain is checked before anything is
  // undone.
  await checkIdentity(ports.chain, { ...options, genesisHash: state.genesisHash });
  const { tip: position } = head;
  const outcome = await undoReorg(ports, { chainName, position, lowerHead });
  // The other branch may be gone the next time, so the head is asked for again.
  if (outcome.kind === "held")
    return { head: knownAt(head, { headNumber: null }), seen: { ...seen, done: "undo" } };
  if (outcome.kind === "undone") ports.log.warn({ chain: chainName, ...outcome }, "reorg.undone");
  return forgetting(head, { tip: outcome.kind === "undone" ? outcome.ancestor : position });
}
