import type { Position } from "../domain/chain/block.ts";
import type { DifferingChange } from "../domain/money/balance-change.ts";
import type { DecidedByBalance, MatchedBlock } from "../domain/money/matched-transaction.ts";
import type { LoadedBlock } from "../domain/money/movement.ts";
import type { Watchlist } from "../domain/watch/watchlist.ts";
import { matchMovements } from "./match-movements.ts";
import { measureEchoes } from "./measure-echoes.ts";
import { measureTransfers, type Unmeasured } from "./measure-transfers.ts";
import { type BalanceProofs, type ProvingChain, proveBalances } from "./prove-balances.ts";
import { type MatchedReading, type ProvedTraces, proveTraces } from "./prove-traces.ts";

/** The proofs of the movements of some blocks. */
type ProvedMovements = {
  /**
   * Returns a block as it is to be written: its transactions, with measured amounts and their
   * proof. Marks transactions that wait for a proof, including those that no host was asked about.
   */
  mark: (block: MatchedBlock) => MatchedBlock;
  /** False: the list has changed since, and some amount in the blocks was not measured. */
  areMeasured: (list: Watchlist, found: readonly MatchedReading[]) => boolean;
  /** Changes of the coin that contradict the balances. */
  differing: DifferingChange[];
  /** The worst verdict of other hosts on what only a trace shows. */
  traces: ProvedTraces["verdict"];
};

/** The blocks with something watched, as they were read. See matchMovements. */
export function matchBlocks(
  chainName: string,
  blocks: readonly LoadedBlock[],
  list: Watchlist,
): MatchedReading[] {
  return blocks.flatMap((block) => {
    const matched = matchMovements(chainName, block, list);
    return matched.length === 0 ? [] : [{ block, header: block.header, matched }];
  });
}

/**
 * Finds the proofs of the movements in blocks. Measures tokens with a fee, and wrappings that are
 * logged twice. Compares who paid inside a transaction with other hosts' traces, and the coin with
 * the balances of each block. Writes nothing. Safe to repeat.
 * @param of.tip the last block that was read; null: the caller compares balances itself
 * @throws Fault `rpc_unavailable`
 */
export async function proveMovements(
  chain: ProvingChain,
  of: {
    chainName: string;
    list: Watchlist;
    found: readonly MatchedReading[];
    tip: Position | null;
    unmeasured: Unmeasured;
  },
): Promise<ProvedMovements> {
  const { list, found, tip, unmeasured } = of;
  const [measured, echoes, traces, balances] = await Promise.all([
    measureTransfers(chain, { list, blocks: found, unmeasured }),
    measureEchoes(chain, of),
    proveTraces(chain, found),
    tip === null ? notCompared : proveBalances(chain, { list, blocks: found, tip }),
  ]);
  const marks = [measured.mark, echoes.mark, traces.mark, balances.mark];
  return {
    mark(block) {
      const { header } = block;
      const marked = marks.reduce((one, mark) => ({ header, matched: mark(one) }), block);
      const byBalance = { ...measured.decided(block), echoes: echoes.undecided(block) };
      return isAnything(byBalance) ? { ...marked, byBalance } : marked;
    },
    areMeasured: (now, again) => measured.covers(now, again) && echoes.covers(now, again),
    differing: balances.differing,
    traces: traces.verdict,
  };
}

function isAnything({ empty, unmeasured, echoes }: DecidedByBalance): boolean {
  return empty.length + unmeasured.length + echoes.length > 0;
}

const notCompared: BalanceProofs = { mark: ({ matched }) => matched, differing: [] };
