import type { ConfirmationPolicy } from "../domain/chain/confirmation.ts";
import type { DifferingChange } from "../domain/money/balance-change.ts";
import type { MatchedBlock } from "../domain/money/matched-transaction.ts";
import type { LoadedBlock } from "../domain/money/movement.ts";
import type { TaggedBlock, Witness } from "../domain/watch/chain-source.ts";
import type { RangeBlock } from "../domain/watch/watch-filter.ts";
import {
  applyDifference,
  type WatchDifference,
  type Watchlist,
} from "../domain/watch/watchlist.ts";
import { type Confirmable, findConfirmable, type HeightLedger } from "./gate/confirmable.ts";
import type { WitnessGate } from "./gate/witness-gate.ts";
import { matchMovements } from "./match-movements.ts";
import { measureTransfers } from "./measure-transfers.ts";
import { type ProvingChain, proveBalances } from "./prove-balances.ts";
import { type MatchedReading, proveTraces } from "./prove-traces.ts";

/** What is known of blocks before they are committed. */
export type PreparedCommit = {
  /** The version of the list that the blocks were matched with. */
  watchVersion: bigint;
  /**
   * The transactions of the blocks that have any; those that wait for their proof are marked. A difference is applied
   * to the list first; null where a block was not read whole, and so says nothing of what has begun to be watched since.
   * Quick, and without I/O: it is called while the chain's row is locked.
   */
  match: (difference: WatchDifference | null) => MatchedBlock[] | null;
  /** Everything up to here may be confirmed; below every height where nothing new may be. */
  confirmedNumber: bigint;
  /** Whether enough endpoints agree with that. */
  isAgreed: boolean;
  confirmable: Confirmable;
  /** Changes of the coin that the balances do not show. */
  differing: DifferingChange[];
};

/** At least one block: oldest first, each the parent of the next. */
export type Blocks = readonly [RangeBlock, ...RangeBlock[]];

/** The confirmed height never goes back, so that this confirms nothing. */
const nothingNew = -1n;

/**
 * Finds out what is to be written of blocks that follow the position, and how far it may be confirmed: movements are
 * matched with the watchlist, those of the coin are compared with the balances of the chain, what tokens with a fee move is
 * measured, and other endpoints are asked where there are any. Nothing is written.
 * @throws Fault `rpc_unavailable`, `database_unavailable`
 */
export async function prepareCommit(
  ports: { chain: ProvingChain; gate: WitnessGate; ledger: HeightLedger },
  of: {
    chainName: string;
    blocks: Blocks;
    list: Watchlist;
    policy: ConfirmationPolicy;
    /** As read before the last of the blocks was. See readTag. */
    tag: TaggedBlock | null;
    /** What another endpoint has answered already for the height to be confirmed; null: it is asked now. */
    witness: Witness | null;
    /** What is confirmed already; null: nothing is. */
    confirmedNumber: bigint | null;
    /** The endpoint that the last of the blocks has just been read from; null: nobody has vouched for it by that. */
    readFrom: string | null;
  },
): Promise<PreparedCommit> {
  const { chainName, blocks, list } = of;
  const findAll = () => blocks.flatMap((block) => findInBlock(chainName, block, list));
  const all = findAll();
  const found = all.map(matchedOf);
  const watchVersion = list.version;
  const tip = (blocks.at(-1) ?? blocks[0]).header;
  const confirming = { gate: ports.gate, ledger: withHashesOf(blocks, ports.ledger) };
  const [confirmable, proofs, traces, measured] = await Promise.all([
    findConfirmable(confirming, { ...of, tip }),
    proveBalances(ports.chain, { list, blocks: found, tip }),
    proveTraces(ports.chain, all),
    measureTransfers(ports.chain, { list, blocks: found }),
  ]);
  const marks = [measured, traces.mark, proofs.mark];
  const marked = (matched: readonly MatchedBlock[]) =>
    matched.map((block) =>
      marks.reduce((one, mark) => ({ header: one.header, matched: mark(one) }), block),
    );
  return {
    watchVersion,
    match(difference) {
      if (difference === null) return marked(found);
      applyDifference(list, difference);
      return areWhole(blocks) ? marked(findAll().map(matchedOf)) : null;
    },
    confirmedNumber: confirmable.kind === "confirmable" ? confirmable.number : nothingNew,
    isAgreed: confirmable.kind === "confirmable" && confirmable.isAgreed,
    confirmable,
    differing: proofs.differing,
  };
}

/** Whether they can be matched with any list. */
export function areWhole(blocks: readonly RangeBlock[]): boolean {
  return blocks.every(({ isWhole }) => isWhole);
}

function findInBlock(chainName: string, block: LoadedBlock, list: Watchlist): MatchedReading[] {
  const matched = matchMovements(chainName, block, list);
  return matched.length === 0 ? [] : [{ block, matched }];
}

function matchedOf({ block, matched }: MatchedReading): MatchedBlock {
  return { header: block.header, matched };
}

/** The ledger as it will be: the blocks to be committed count as stored. */
function withHashesOf(blocks: Blocks, ledger: HeightLedger): HeightLedger {
  const hashes = new Map(blocks.map(({ header }) => [header.number, header.hash]));
  const newestFirst = blocks.map(({ header }) => header).toReversed();
  return {
    readHash: async (chainName, number) => hashes.get(number) ?? ledger.readHash(chainName, number),
    async readAgedHeight(chainName, tip, ageMs) {
      const beforeMs = (tip.timeMs ?? 0) - ageMs;
      const aged = newestFirst.find(({ timeMs }) => timeMs <= beforeMs);
      return aged?.number ?? ledger.readAgedHeight(chainName, tip, ageMs);
    },
  };
}
