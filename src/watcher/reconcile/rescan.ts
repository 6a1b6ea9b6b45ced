import type { BalanceKey } from "../../domain/money/balance.ts";
import { sumsOf } from "../../domain/money/balance-change.ts";
import { isOnlyTraced, type MatchedTransaction } from "../../domain/money/matched-transaction.ts";
import type { LedgerBalance } from "../../domain/money/reconciliation.ts";
import type { WrittenMovement } from "../../domain/watch/commit.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import {
  type WatchedAsset,
  type WatchedWallet,
  watchlistOf,
} from "../../domain/watch/watchlist.ts";
import { orNone } from "../gate/ask-again.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import { matchMovements } from "../match-movements.ts";
import type { ProvingChain } from "../prove-balances.ts";
import { proveMovements } from "../prove-movements.ts";
import { type RereadPorts, reread } from "../reread.ts";

export type RescanPorts = Omit<RereadPorts, "ledger" | "chain"> & {
  chain: RereadPorts["chain"] & ProvingChain;
  ledger: Pick<ReconcileLedger, "recordFound" | "readWritten" | "replaceRead">;
  oldBlocks: OldBlocks;
};

/**
 * The number of missing transactions that were found, and of balances for which a block's movements
 * were replaced.
 */
type Rescanned = { found: number; replaced: number };

type Range = {
  chainName: string;
  since: bigint;
  to: bigint;
  balances: readonly LedgerBalance[];
};

/**
 * Reads the blocks above `since`, up to and including `to`, once more. Writes the transactions of
 * these balances that the ledger lacks. Coin that contradicts the balances of its block waits, as
 * at the head. If the balances contradict them, two kinds of stored transactions may be removed.
 * One kind is not in its block. Of the other there was only a trace, which an endpoint may still
 * show. Skips a block that no endpoint gives, or that is not shown to belong to the chain. Its
 * movements stay unexplained. Leaves out a transfer that nobody can measure any more: of such a
 * transfer nothing may have arrived. Safe to repeat, and to interrupt.
 */
export async function rescan(ports: RescanPorts, range: Range): Promise<Rescanned> {
  const { chainName, since, to, balances } = range;
  const list = watchlistOf(balances.map(watchedAs));
  const written = await ports.ledger.readWritten(range);
  const came: Rescanned = { found: 0, replaced: 0 };
  for (let number = since + 1n; number <= to; number += 1n) {
    const block = await orNone(ports.chain.loadBlock(number));
    if (block === null) continue;
    const matched = matchMovements(chainName, block, list);
    const { header } = block;
    const here = written.filter(
      ({ blockNumber, blockHash }) => blockNumber === header.number && blockHash === header.hash,
    );
    const doubted = balances.filter((one) => isDoubted(one, matched, here));
    if (matched.length === 0 && doubted.length === 0) continue;
    if (!(await ports.oldBlocks.isOfChain(header))) continue;
    const corrected: BalanceKey[] = [];
    for (const balance of doubted) {
      const own = here.filter((one) => isOf(one, balance));
      const areUnproven = own.some(({ isUnproven }) => isUnproven);
      const sums = { ...sumsOf(own), areUnproven };
      const asked = { chainName, block: header, balance, written: sums, list };
      if (await reread(ports, asked)) corrected.push(balance);
    }
    came.replaced += corrected.length;
    const left = matched.filter((one) => !corrected.some((balance) => isOf(one, balance)));
    if (left.length === 0) continue;
    const found = { block, header, matched: left };
    const proved = await proveMovements(ports.chain, {
      chainName,
      list,
      found: [found],
      tip: header,
      unmeasured: "left_out",
    });
    const outcome = await ports.ledger.recordFound({ chainName, ...proved.mark(found) });
    if (outcome.kind === "moved") return came;
    came.found += outcome.confirmed;
  }
  return came;
}

const isOf = (one: BalanceKey, other: BalanceKey) =>
  one.walletId === other.walletId && one.assetId === other.assetId;

/** True if a stored movement of the balance is not in its block, or only by a trace. */
function isDoubted(
  balance: BalanceKey,
  matched: readonly MatchedTransaction[],
  written: readonly WrittenMovement[],
): boolean {
  const held = new Map(matched.map((one) => [one.identity, one]));
  return written.some((one) => {
    const now = held.get(one.identity);
    return isOf(one, balance) && (now === undefined || isOnlyTraced(now));
  });
}

/** The wallet and the asset of a balance, as they are watched. */
export function watchedAs(balance: LedgerBalance): { wallet: WatchedWallet; asset: WatchedAsset } {
  const { walletId, businessId, walletAddress, purpose, walletSince } = balance;
  const { assetId, assetAddress, assetKind, assetSince } = balance;
  return {
    wallet: { id: walletId, businessId, address: walletAddress, purpose, since: walletSince },
    asset: { id: assetId, address: assetAddress, kind: assetKind, since: assetSince },
  };
}
