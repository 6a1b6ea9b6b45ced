import type { Position } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";

type Chain = Pick<ChainSource, "header">;

type Gate = Pick<AgreementGate, "isGone" | "hasLeft">;

type Ledger = Pick<HeadLedger, "readWindow" | "undoBlocks">;

export type ReorgOutcome =
  | { kind: "undone"; from: Position; ancestor: Position; depth: bigint; orphaned: number }
  | { kind: "position_moved" }
  /**
   * Nothing was undone. Other endpoints still have the old block, or do not yet say that it is
   * gone. Or the new branch is shorter, and no other host confirms it.
   */
  | { kind: "held" };

/**
 * Goes back to the last block that both the chain and the stored window have
 * (docs/invariants.md#i2). The new branch is then read block by block. If there are endpoints of
 * several hosts, enough of them must say that the old block is gone (docs/invariants.md#i13). A
 * single endpoint must have a new branch at least as high as the position. Otherwise this waits.
 * @throws Fault `chain_stopped` if the window has no common block
 * @throws Fault `rpc_inconsistent` if the position itself is still canonical: there is no reorg,
 *   and the endpoint contradicts itself
 */
export async function undoReorg(
  ports: { chain: Chain; gate: Gate; ledger: Ledger },
  reorg: {
    chainName: string;
    position: Position;
    /** The height of the new branch if it is below the position, else null. */
    lowerHead: bigint | null;
  },
): Promise<ReorgOutcome> {
  const { chainName, position, lowerHead } = reorg;
  const window = await ports.ledger.readWindow(chainName);
  // An undo or a reset came first, so the window no longer belongs to this position.
  if (window[0]?.hash !== position.hash) return { kind: "position_moved" };
  const common = lowerHead === null ? window : window.filter(({ number }) => number <= lowerHead);
  // A lower branch alone is no reason to go back, since it may be lower only for a moment. It is a
  // reason if others have it too. Then the position may be on a false branch, which may stay higher
  // for long.
  const [newest] = common;
  if (lowerHead !== null && (newest === undefined || !(await ports.gate.hasLeft(newest))))
    return { kind: "held" };
  const ancestor = await findAncestor(ports.chain, common);
  if (ancestor === null) {
    throw new Fault(
      "chain_stopped",
      `Chain '${chainName}' was reorganised below the ${window.length} blocks that are remembered: nothing of it is processed until 'chain reset ${chainName}'.`,
    );
  }
  if (ancestor.number === position.number) {
    throw new Fault(
      "rpc_inconsistent",
      `The endpoint of '${chainName}' announced a branch that it does not serve.`,
    );
  }
  const lowest = window.findLast(({ number }) => number > ancestor.number) ?? position;
  const decision = await ports.gate.isGone({ what: "reorg", block: lowest });
  if (decision === "held") return { kind: "held" };
  const outcome = await ports.ledger.undoBlocks({ chainName, from: position, ancestor });
  if (outcome.kind === "position_moved") return outcome;
  return {
    kind: "undone",
    from: position,
    ancestor,
    depth: position.number - ancestor.number,
    orphaned: outcome.orphaned,
  };
}

/** Searches the window, newest block first. */
async function findAncestor(chain: Chain, window: Position[]): Promise<Position | null> {
  for (const stored of window) {
    const canonical = await chain.header(stored.number);
    if (canonical.hash === stored.hash) return stored;
  }
  return null;
}
