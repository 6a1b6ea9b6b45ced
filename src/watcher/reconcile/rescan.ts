import type { BalanceKey } from "../../domain/money/balance.ts";
import type { MatchedTransaction } from "../../domain/money/matched-transaction.ts";
import type { LedgerBalance } from "../../domain/money/reconciliation.ts";
import type { WrittenMovement } from "../../domain/watch/commit.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import {
  type WatchedAsset,
  type WatchedWallet,
  watchlistOf,
} from "../../domain/watch/watchlist.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import { matchMovements } from "../match-movements.ts";
import { measureTransfers } from "../measure-transfers.ts";
import { type ProvingChain, proveBalances } from "../prove-balances.ts";
import { proveTraces } from "../prove-traces.ts";
import { type RereadPorts, reread } from "../reread.ts";

export type RescanPorts = Omit<RereadPorts, "ledger" | "chain"> & {
  chain: RereadPorts["chain"] & ProvingChain;
  ledger: Pick<ReconcileLedger, "recordFound" | "readWritten" | "replaceRead">;
  oldBlocks: OldBlocks;
};

/** What came of it: transactions that were missing, and blocks of which something was taken back. */
type Rescanned = { found: number; replaced: number };

type Range = {
  chainName: string;
  since: bigint;
  to: bigint;
  balances: readonly LedgerBalance[];
};

/**
 * Reads the blocks above `since`, up to and with `to`, once more, and writes the transactions of these balances that
 * the ledger does not have: coin that the balances of its block do not show waits, as at the head. Those that it has stay
 * as they are. One that the ledger has and its block has not is taken
 * back where a second reading and the balances show the same. What a block holds that is not shown to be of the chain is
 * not written. Safe to repeat and to break off.
 */
export async function rescan(ports: RescanPorts, range: Range): Promise<Rescanned> {
  const { chainName, since, to, balances } = range;
  const list = watchlistOf(balances.map(watchedAs));
  const written = await ports.ledger.readWritten(range);
  const came: Rescanned = { found: 0, replaced: 0 };
  for (let number = since + 1n; number <= to; number += 1n) {
    const block = await ports.chain.loadBlock(number);
    const matched = matchMovements(chainName, block, list);
    const { header } = block;
    const absent = absentFrom(matched, written, header);
    if (matched.length === 0 && absent.length === 0) continue;
    if (!(await ports.oldBlocks.isOfChain(header))) continue;
    for (const key of absent) {
      const balance = balances.find((one) => isOf(key, one));
      if (balance === undefined) continue;
      if (await reread(ports, { chainName, block: header, balance, list })) came.replaced += 1;
    }
    if (matched.length === 0) continue;
    const found = { header, matched };
    const blocks = [found];
    const [measured, traces, proofs] = await Promise.all([
      measureTransfers(ports.chain, { list, blocks }),
      proveTraces(ports.chain, [{ block, matched }]),
      proveBalances(ports.chain, { list, blocks, tip: header }),
    ]);
    const traced = traces.mark({ header, matched: measured(found) });
    const marked = proofs.mark({ header, matched: traced });
    const outcome = await ports.ledger.recordFound({ chainName, header, matched: marked });
    if (outcome.kind === "moved") return came;
    came.found += outcome.confirmed;
  }
  return came;
}

const isOf = (one: BalanceKey, other: BalanceKey) =>
  one.walletId === other.walletId && one.assetId === other.assetId;

/** The balances of which something is written that the block does not hold: each once. */
function absentFrom(
  matched: readonly MatchedTransaction[],
  written: readonly WrittenMovement[],
  block: { number: bigint; hash: string },
): BalanceKey[] {
  const held = new Set(matched.map(({ identity }) => identity));
  const absent = written.filter(
    ({ identity, blockNumber, blockHash }) =>
      blockNumber === block.number && blockHash === block.hash && !held.has(identity),
  );
  return absent.filter((one, at) => absent.findIndex((other) => isOf(one, other)) === at);
}

function watchedAs(balance: LedgerBalance): { wallet: WatchedWallet; asset: WatchedAsset } {
  const { walletId, businessId, walletAddress, purpose, walletSince } = balance;
  const { assetId, assetAddress, assetKind, assetSince } = balance;
  return {
    wallet: { id: walletId, businessId, address: walletAddress, purpose, since: walletSince },
    asset: { id: assetId, address: assetAddress, kind: assetKind, since: assetSince },
  };
}
