import type { BlockHeader, Hash, Position } from "../../domain/chain/block.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { DifferingChange } from "../../domain/money/balance-change.ts";
import type { MatchedBlock } from "../../domain/money/matched-transaction.ts";
import type { RangeOutcome } from "../../domain/watch/commit.ts";
import type { RangeBlock } from "../../domain/watch/watch-filter.ts";
import type { CatchUpLedger } from "../../domain/watch/watcher-ledger.ts";
import {
  applyDifference,
  type WatchDifference,
  type Watchlist,
} from "../../domain/watch/watchlist.ts";
import { type Confirmable, type ConfirmingChain, findConfirmable } from "../confirmable.ts";
import { matchMovements } from "../match-movements.ts";
import { type BalanceProofs, type ProvingChain, proveBalances } from "../prove-balances.ts";
import { type PlanningChain, planRange, type RangePlan } from "./plan-range.ts";

export type CatchUpChain = ConfirmingChain & PlanningChain & ProvingChain;

type Committed = Extract<RangeOutcome, { kind: "committed" }>;

export type CatchUpOutcome =
  | (Committed & {
      from: bigint;
      tip: BlockHeader;
      /** The height that is caught up to. */
      target: bigint;
      headNumber: bigint;
      confirmable: Confirmable;
      /** As of a block that is committed alone. See advance. */
      differing: DifferingChange[];
    })
  /** Not far behind, or nothing that fits the position: block by block from here. The head, where it was asked for. */
  | { kind: "near"; headNumber: bigint | null }
  /** Another watcher, an undo or a reset came first, or what is watched has changed: read again. */
  | { kind: "again" };

export type CatchUp = {
  /** One bounded step: some blocks after the position go into the ledger, in one transaction. */
  step: (at: {
    position: Position;
    settleNumber: bigint | null;
    list: Watchlist;
    knownHead: bigint | null;
  }) => Promise<CatchUpOutcome>;
  /** Forgets what was read ahead. */
  drop: () => void;
};

/** Below every height: the confirmed height never goes back. */
const nothingNew = -1n;

/** A stretch under way: the position is where its last commit left it. */
type Run = RangePlan & { position: Position };

/** Beyond this, ranges are quicker than block by block; below it, the pending events are worth more than the seconds. */
export const usualFarBlocks = 256n;

/**
 * Moves a chain that is more than `farBlocks` below its confirmed height by ranges up to that height: the same blocks, proved
 * the same way, as one by one, read ahead in parallel and committed in order, many in one transaction. All of it can be
 * forgotten at any instant: each commit is conditional on the position in the ledger (docs/invariants.md#i1, #i4, #i5).
 */
export function createCatchUp(
  ports: { chain: CatchUpChain; ledger: CatchUpLedger },
  options: { chainName: string; policy: ConfirmationPolicy; farBlocks: bigint },
): CatchUp {
  const { chainName, policy, farBlocks } = options;
  let run: Run | null = null;
  /** The head for which there was nothing to catch up: asked again when another one is known. */
  let nearHead: bigint | null = null;
  /** After a change of what is watched, one commit is of whole blocks: they can be matched whatever changes meanwhile. */
  let isWhole = false;

  function drop(): void {
    run?.ahead.close();
    run = null;
  }

  async function begin(
    position: Position,
    list: Watchlist,
    knownHead: bigint | null,
  ): Promise<Run | { headNumber: bigint | null }> {
    const isNear = knownHead !== null && knownHead - position.number <= farBlocks;
    if (isNear || (knownHead !== null && knownHead === nearHead)) return { headNumber: null };
    const plan = await planRange(ports.chain, { position, policy, farBlocks, list, isWhole });
    if ("ahead" in plan) return { ...plan, position };
    nearHead = plan.headNumber;
    return plan;
  }

  async function move(current: Run, list: Watchlist): Promise<CatchUpOutcome> {
    const { position, target, headNumber } = current;
    const blocks = linked(position.hash, await current.ahead.next());
    if (!hasBlocks(blocks)) {
      // The position is on another branch than the endpoint: the next block says so, alone.
      drop();
      return { kind: "near", headNumber: null };
    }
    if (current.version !== list.version && blocks.some((block) => !block.isWhole)) {
      // They were read ahead for an older list.
      drop();
      return { kind: "again" };
    }
    const outcome = await commit(ports, { chainName, policy, plan: current, blocks, list });
    if (outcome.kind !== "committed") {
      isWhole = outcome.kind === "watch_changed";
      drop();
      return { kind: "again" };
    }
    const { tip } = outcome;
    if (isWhole || tip.number >= target) drop();
    else run = { ...current, position: { number: tip.number, hash: tip.hash } };
    isWhole = false;
    return { ...outcome, from: position.number + 1n, target, headNumber };
  }

  return {
    async step({ position, settleNumber, list, knownHead }) {
      const isHere =
        run?.position.number === position.number && run.position.hash === position.hash;
      if (!isHere) drop();
      if (settleNumber !== null) return { kind: "near", headNumber: null };
      if (run === null) {
        const begun = await begin(position, list, knownHead);
        if (!("ahead" in begun)) return { kind: "near", ...begun };
        run = begun;
      }
      try {
        return await move(run, list);
      } catch (error) {
        drop();
        throw error;
      }
    },
    drop,
  };
}

type Blocks = [RangeBlock, ...RangeBlock[]];

function hasBlocks(blocks: RangeBlock[]): blocks is Blocks {
  return blocks.length > 0;
}

/** One commit, with as much of it confirmed as a second endpoint agrees with. */
async function commit(
  ports: { chain: CatchUpChain; ledger: CatchUpLedger },
  range: {
    chainName: string;
    policy: ConfirmationPolicy;
    plan: Run;
    blocks: Blocks;
    list: Watchlist;
  },
) {
  const { chainName, policy, plan, blocks, list } = range;
  const tip = (blocks.at(-1) ?? blocks[0]).header;
  const { position, headNumber, tag } = plan;
  const ledger = withHashesOf(blocks, ports.ledger);
  const confirming = { chain: ports.chain, ledger };
  const found = matchAll(range);
  const [confirmable, proofs] = await Promise.all([
    findConfirmable(confirming, { chainName, tip, tag, policy, witness: null }),
    proveBalances(ports.chain, { list, blocks: found }),
  ]);
  const outcome = await ports.ledger.commitRange({
    chainName,
    parent: position,
    headers: blocks.map(({ header }) => header),
    headNumber,
    watchVersion: list.version,
    match: (difference) =>
      difference === null ? marked(found, proofs) : matchAnew(range, difference, proofs),
    confirmedNumber: confirmable.kind === "confirmable" ? confirmable.number : nothingNew,
  });
  return outcome.kind === "committed"
    ? { ...outcome, tip, confirmable, differing: proofs.differing }
    : outcome;
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

type MatchedRange = { chainName: string; blocks: readonly RangeBlock[]; list: Watchlist };

function matchAll({ chainName, blocks, list }: MatchedRange): MatchedBlock[] {
  return blocks.flatMap((block) => {
    const matched = matchMovements(chainName, block, list);
    return matched.length === 0 ? [] : [{ header: block.header, matched }];
  });
}

/** Null where a block was not read whole: it says nothing of what is watched since. */
function matchAnew(
  range: MatchedRange,
  difference: WatchDifference,
  proofs: BalanceProofs,
): MatchedBlock[] | null {
  applyDifference(range.list, difference);
  return range.blocks.some(({ isWhole }) => !isWhole) ? null : marked(matchAll(range), proofs);
}

function marked(found: readonly MatchedBlock[], proofs: BalanceProofs): MatchedBlock[] {
  return found.map((block) => ({ header: block.header, matched: proofs.mark(block) }));
}

/** The ledger as it will be: the blocks to be committed are stored ones already. */
function withHashesOf(blocks: readonly RangeBlock[], ledger: Pick<CatchUpLedger, "readHash">) {
  const hashes = new Map(blocks.map(({ header }) => [header.number, header.hash]));
  return {
    readHash: async (chainName: string, number: bigint) =>
      hashes.get(number) ?? ledger.readHash(chainName, number),
  };
}
