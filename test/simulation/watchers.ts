import { type FaultCode, faultIn } from "../../src/domain/fault.ts";
import { createWatching } from "../../src/ledger/watching.ts";
import { type BlockStep, createBlockStep } from "../../src/watcher/block-step.ts";
import { readOpenings } from "../../src/watcher/read-openings.ts";
import { createFakeEndpoint, chainId as evmChainId } from "./fake-endpoint.ts";
import { quiet } from "./quiet.ts";
import { chainName, faultyLedger, type World } from "./world.ts";

const stoppingCodes = new Set<FaultCode>(["wrong_chain_id", "wrong_genesis", "chain_stopped"]);

export type Watcher = ReturnType<typeof createSimulatedWatcher>;

/** A process that watches the chain: its two tasks, as watcher.ts runs them, one step at a time. */
export function createSimulatedWatcher(world: World, index: number) {
  let born = 0;
  let process = boot();

  function boot() {
    born += 1;
    const life = world.scheduler.begin(`watcher${index}.${born}`, "ledger");
    const ledger = faultyLedger(world, life, recording(world));
    const chain = createFakeEndpoint({
      chain: () => world.chain,
      profile: world.profile,
      random: world.random(`${life.name} endpoint`),
      isHealed: () => world.isHealed,
      enter: (label, work) => world.scheduler.enter(life, label, work),
    });
    const step = createBlockStep(
      { chain, ledger, log: quiet, onCommitted() {} },
      {
        chainName,
        chainId: evmChainId,
        startBlock: world.profile.startsAt === "head" ? null : startBlock(world),
        policy: { kind: "depth", depth: world.profile.depth },
      },
    );
    return { life, ledger, chain, step, busy: { blocks: false, openings: false } };
  }

  type Process = typeof process;

  async function stepBlocks({ life, ledger, step, busy }: Process): Promise<void> {
    busy.blocks = true;
    try {
      lastResult = await step.run();
    } catch (error) {
      step.distrust();
      world.judge(life.name, error);
      const fault = faultIn(error);
      if (fault !== undefined && stoppingCodes.has(fault.code)) {
        const why = { code: fault.code, reason: fault.message };
        await ledger.markStopped(chainName, why).catch(() => {});
      }
    }
    busy.blocks = false;
  }

  async function stepOpenings({ life, ledger, chain, busy }: Process): Promise<void> {
    busy.openings = true;
    try {
      await readOpenings({ chain, ledger }, chainName);
    } catch (error) {
      world.judge(life.name, error);
    }
    busy.openings = false;
  }

  let lastResult: Awaited<ReturnType<BlockStep["run"]>> = "again";

  return {
    isBusy: () => process.busy.blocks || process.busy.openings,
    isIdle: () => lastResult === "idle",

    /** Begins a step of a task that has none under way. False where there was nothing to begin. */
    begin(task: "blocks" | "openings"): boolean {
      if (process.busy[task]) return false;
      if (task === "openings" && !process.step.isIdentified()) return false;
      void (task === "blocks" ? stepBlocks(process) : stepOpenings(process));
      return true;
    },

    /** The process is killed, and another takes its place. */
    die() {
      world.scheduler.end(process.life);
      process = boot();
    },
  };
}

function startBlock(world: World): bigint {
  return BigInt(Math.ceil(world.profile.blocksBefore / 2));
}

/** The ledger itself, with a note of which blocks were written when. */
function recording(world: World) {
  const watching = createWatching(world.db);
  return {
    ...watching,
    commitBlock: async (commit: Parameters<typeof watching.commitBlock>[0]) => {
      const outcome = await watching.commitBlock(commit);
      if (outcome.kind === "committed") {
        world.known.writtenAt.set(commit.header.hash, world.known.events++);
        const { number, hash } = commit.header;
        world.scheduler.note(`  wrote ${number} ${hash.slice(0, 8)} ${JSON.stringify(outcome)}`);
      }
      return outcome;
    },
    undoBlocks: async (undo: Parameters<typeof watching.undoBlocks>[0]) => {
      const outcome = await watching.undoBlocks(undo);
      world.scheduler.note(
        `  undo ${undo.from.number} to ${undo.ancestor.number}: ${JSON.stringify(outcome)}`,
      );
      return outcome;
    },
  };
}

