import type { ConfirmationPolicy } from "../domain/chain/confirmation.ts";
import { lastOf } from "../domain/last-of.ts";
import type { DifferingChange } from "../domain/money/balance-change.ts";
import type { MatchedBlock } from "../domain/money/matched-transaction.ts";
import type { AgreementGate, Ballot } from "../domain/watch/agreement-gate.ts";
import type { TaggedBlock } from "../domain/watch/chain-source.ts";
import type { RangeBlock } from "../domain/watch/watch-filter.ts";
import {
  applyDifference,
  markOf,
  type WatchDifference,
  type Watchlist,
  type WatchMark,
} from "../domain/watch/watchlist.ts";
import {
  type Confirmable,
  findConfirmable,
  type HeightLedger,
  ledgerWith,
} from "./gate/confirmable.ts";
import { sightBlocks, withSightings } from "./match-sightings.ts";
import type { ProvingChain } from "./prove-balances.ts";
import { matchBlocks, proveMovements } from "./prove-movements.ts";

/** The facts about blocks that are found out before they are committed. */
export type PreparedCommit = {
  /** Of the list that the blocks were matched with. */
  watched: WatchMark;
  /**
   * Returns the transactions and sightings of the blocks that have any, with those marked that wait
   * for a proof. Applies the difference to the list first. Null: there is a difference, and the
   * blocks cannot be matched with the new list. A block was not read whole, or an amount was not
   * measured. Fast and without I/O, because the chain's row may be locked at the time.
   */
  match: (difference: WatchDifference | null) => MatchedBlock[] | null;
  /** Every block up to here may be confirmed. Negative: nothing new may be. */
  confirmedNumber: bigint;
  /** True if enough endpoints agree with `confirmedNumber`. */
  isAgreed: boolean;
  confirmable: Confirmable;
  /** Changes of the coin that contradict the balances. */
  differing: DifferingChange[];
};

/** At least one block: oldest first, each the parent of the next. */
export type Blocks = readonly [RangeBlock, ...RangeBlock[]];

/** Confirms nothing, since the confirmed height never goes back. */
const nothingNew = -1n;

/**
 * Finds out what to write for blocks after the position, and how far they may be confirmed. Matches
 * movements with the watchlist. Compares those of the coin with the balances of the chain. Measures
 * what tokens with a fee move. Asks other endpoints, if there are any. Writes nothing.
 * @throws Fault `rpc_unavailable`, `database_unavailable`
 */
export async function prepareCommit(
  ports: { chain: ProvingChain; gate: AgreementGate; ledger: HeightLedger },
  of: {
    chainName: string;
    blocks: Blocks;
    list: Watchlist;
    policy: ConfirmationPolicy;
    /** Read before the last of the blocks. See readTag. */
    tag: TaggedBlock | null;
    /**
     * The votes of other endpoints on the height to confirm, if they were asked already. Null: they
     * are asked now.
     */
    ballot: Ballot | null;
    /** The height that is confirmed already. Null: none is. */
    confirmedNumber: bigint | null;
    /** The host that the last block was just read from, which counts as its vote. Null: none. */
    readFrom: string | null;
  },
): Promise<PreparedCommit> {
  const { chainName, blocks, list } = of;
  const found = matchBlocks(chainName, blocks, list);
  const sighted = sightBlocks(chainName, blocks, list);
  const watched = markOf(list);
  const tip = lastOf(blocks).header;
  const headers = blocks.map(({ header }) => header);
  const confirming = { gate: ports.gate, ledger: ledgerWith(headers, ports.ledger) };
  const [confirmable, proved] = await Promise.all([
    findConfirmable(confirming, { ...of, tip }),
    proveMovements(ports.chain, { chainName, list, found, tip, unmeasured: "logged" }),
  ]);
  return {
    watched,
    match(difference) {
      if (difference === null) return withSightings(found.map(proved.mark), blocks, sighted);
      applyDifference(list, difference);
      if (!areWhole(blocks)) return null;
      const again = matchBlocks(chainName, blocks, list);
      if (!proved.areMeasured(list, again)) return null;
      const matched = again.map(proved.mark);
      return withSightings(matched, blocks, sightBlocks(chainName, blocks, list));
    },
    confirmedNumber: confirmable.kind === "confirmable" ? confirmable.number : nothingNew,
    isAgreed: confirmable.kind === "confirmable" && confirmable.isAgreed,
    confirmable,
    differing: proved.differing,
  };
}

/** True if the blocks can be matched with any list. */
export function areWhole(blocks: readonly RangeBlock[]): boolean {
  return blocks.every(({ isWhole }) => isWhole);
}
