import type { Hash } from "../../domain/chain/block.ts";
import type { ChainState } from "../../domain/chain/chain-state.ts";
import type { StepResult } from "../../runtime/loop.ts";
import { createCatchUp, usualFarBlocks } from "../catch-up/catch-up.ts";
import { checkIdentity } from "./check-identity.ts";
import { confirmAtHead } from "./confirm-at-head.ts";
import { append, mayWaitMs, tipOf } from "./next/held-blocks.ts";
import { createHolder, type Holding, type WrittenOn } from "./next/holder.ts";
import { askAnnounced, askNext, type NextBlock } from "./next/next-block.ts";
import { type NoNextBlock, planBlock } from "./next/plan-block.ts";
import { startWatching } from "./start-watching.ts";
import {
  type BlockStep,
  type BlockStepOptions,
  emptyMemory,
  filterOf,
  leave,
  leftAt,
  type Ports,
  type Step,
} from "./step.ts";
import { undoReorg } from "./undo-reorg.ts";
import { type Newest, writeNewest } from "./write-newest.ts";

/** The bounded step of one chain's watcher. */
export function createBlockStep(ports: Ports, options: BlockStepOptions): BlockStep {
  const memory = emptyMemory();
  const { chainName, policy, farBlocks = usualFarBlocks } = options;
  const catchUp = createCatchUp(ports, { chainName, policy, farBlocks });
  const holder = createHolder(ports, { chainName, policy });
  const step: Step = { ports, options, memory, holder, catchUp };
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
      memory.left = null;
      holder.drop();
      catchUp.drop();
    },
  };
}

/** What a step begins with. */
type Beginning = WrittenOn & {
  /** The block after the last one that was read, where it was announced and has been read already. */
  announced: NextBlock | null;
};

async function run(step: Step): Promise<StepResult> {
  const { ports, options, memory } = step;
  const holding = step.holder.now();
  if (holding !== null) return goOnHolding(step, holding);
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
  memory.left = null;
  if (range.kind === "committed") await goOn(step, state);
  return "again";
}

/** How far the chain is; and, asked for at the same time, the block that was announced after the last known position. */
async function readState(step: Step): Promise<{ state: ChainState; announced: NextBlock | null }> {
  const { ports, options, memory } = step;
  const expected = memory.position;
  const left = leftAt(memory, ports.clock.elapsed());
  memory.position = null;
  const { policy } = options;
  const { confirmedNumber } = memory;
  const confirming = { policy, confirmedNumber, held: null, watchFilter: filterOf(memory) };
  const [state, announced] = await Promise.all([
    left ?? ports.ledger.readChainState(options.chainName),
    expected === null ? null : askAnnounced(ports, expected, confirming),
  ]);
  memory.confirmedNumber = state.confirmedNumber;
  const isHere =
    expected?.number === state.position?.number && expected?.hash === state.position?.hash;
  return { state, announced: isHere ? announced : null };
}

/** The ledger is not asked: whether its position has moved shows when the blocks are written. */
async function goOnHolding(step: Step, { held, on, last }: Holding): Promise<StepResult> {
  const { ports, options, memory } = step;
  const tip = tipOf(held, on.state.position);
  const leftMs = mayWaitMs(held, ports.clock.elapsed());
  if (leftMs <= 0) return write(step, on, { blocks: held.blocks, last });
  const { confirmedNumber } = memory;
  const watchFilter = filterOf(memory);
  const confirming = { policy: options.policy, confirmedNumber, held, watchFilter };
  try {
    const announced = await askAnnounced(ports, tip, confirming);
    const known = memory.knownHead ?? tip.number;
    const head = ports.chain.announcedHead()?.number ?? tip.number;
    if (announced === null && known <= tip.number && head <= tip.number) return { idleMs: leftMs };
    return await moveByBlock(step, { ...on, announced });
  } catch (error) {
    // What cannot be read next keeps nothing back. It fails again, and is reported, once they are written.
    if (step.holder.now() === null) throw error;
    return write(step, on, { blocks: held.blocks, last });
  }
}

/** The way of one block: planned, read, and held or written. */
async function moveByBlock(step: Step, beginning: Beginning): Promise<StepResult> {
  const { ports, memory, holder } = step;
  const { chainName, policy } = step.options;
  const { announced, ...on } = beginning;
  const { position, confirmedNumber } = beginning.state;
  const held = holder.now()?.held ?? null;
  const tip = tipOf(held, position);

  const known = { knownHead: memory.knownHead, isRead: announced !== null };
  const plan = await planBlock(ports, { chainName, position: tip, ...known });
  if (plan.kind !== "next") return stay(step, on, plan);

  const confirming = { policy, confirmedNumber, held, watchFilter: filterOf(memory) };
  const { block, ...last } = announced ?? (await askNext(ports, plan.number, confirming));
  if (block.header.parentHash !== tip.hash)
    return stay(step, on, { kind: "reorganised", lowerHead: null });

  memory.knownHead = plan.headNumber;
  const isNewest = plan.headNumber <= plan.number;
  const idleMs = await holder.hold(on, { block, last, isNewest });
  if (idleMs === null) return write(step, on, { blocks: append(held?.blocks ?? [], block), last });
  return isNewest ? { idleMs } : "again";
}

async function write(
  step: Step,
  { state, list }: WrittenOn,
  { blocks, last }: Pick<Newest, "blocks" | "last">,
): Promise<StepResult> {
  const { ports, memory } = step;
  const { chainName, policy } = step.options;
  const tip = (blocks.at(-1) ?? blocks[0]).header;
  const headNumber = memory.knownHead ?? tip.number;
  step.holder.drop();
  memory.left = null;
  const of = { chainName, policy, state, list, blocks, last, headNumber };
  const outcome = await writeNewest(ports, of);
  memory.isWhole = outcome.kind === "watch_changed";
  if (outcome.kind !== "committed") return "again";
  memory.position = tip;
  await goOn(step, state);
  const left = { ...state, position: tip, confirmedNumber: outcome.confirmedNumber };
  memory.left = leave(left, ports.clock.elapsed() + longestIdleMs);
  ports.onCommitted(outcome);
  // Where a second endpoint is to agree, or a reorganisation to be settled, more may be possible by now.
  const isAllDone = ports.chain.isAlone() && state.settleNumber === null;
  if (!isAllDone) return "again";
  if (ports.chain.announcedHead()?.hash === tip.hash) return "idle";
  const isHead = memory.knownHead === tip.number && ports.chain.quietMs() > 0;
  return isHead ? untilDue(step) : "again";
}

/** A step comes so often at least, in ms, whether a block is due or not: it renews the lease, and shows that it works. */
const longestIdleMs = 1_500;

/** The next block is waited for. */
function untilDue({ ports }: Step): StepResult {
  const quietMs = ports.chain.quietMs();
  return quietMs > 0 ? { idleMs: Math.min(quietMs, longestIdleMs) } : "idle";
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
async function stay(step: Step, on: WrittenOn, why: NoNextBlock): Promise<StepResult> {
  const { ports, options, memory, holder } = step;
  const { chainName } = options;
  const { state } = on;
  const holding = holder.now();
  if (holding !== null) {
    const { held, last } = holding;
    if (why.kind !== "reorganised") return write(step, on, { blocks: held.blocks, last });
    // They were never written: the chain goes on from the ledger's position.
    holder.drop();
    memory.knownHead = null;
    return "again";
  }
  const { position, confirmedNumber, settleNumber } = state;
  const isRemembered = memory.left !== null;
  memory.left = null;
  switch (why.kind) {
    case "at_head": {
      memory.position = position;
      // Before the chain waits, the ledger is asked: its position may have been moved by others.
      if (isRemembered) return "again";
      await goOn(step, state);
      const at = { ...options, position, confirmedNumber, settleNumber };
      const outcome = await confirmAtHead(ports, at);
      if (outcome.kind === "promoted") ports.onCommitted({ ...outcome, recorded: 0 });
      return untilDue(step);
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
      const undo = await undoReorg(ports, { chainName, position, lowerHead: why.lowerHead });
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
