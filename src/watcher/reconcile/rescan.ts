import type { LedgerBalance } from "../../domain/money/reconciliation.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import { matchMovements } from "../match-movements.ts";
import { measureTransfers } from "../measure-transfers.ts";

export type RescanPorts = {
  chain: Pick<ChainSource, "loadBlock" | "balancesAt">;
  ledger: Pick<ReconcileLedger, "recordFound">;
  oldBlocks: OldBlocks;
};

/**
 * Reads the blocks above `since`, up to and with `to`, once more, and writes the transactions of these balances that
 * the ledger does not have; those that it has stay as they are. What a block holds that is not shown to be of the chain
 * is not written. Answers how many transactions were found. Safe to
 * repeat and to break off.
 */
export async function rescan(
  ports: RescanPorts,
  range: { chainName: string; since: bigint; to: bigint; balances: readonly LedgerBalance[] },
): Promise<number> {
  const { chainName, since, to, balances } = range;
  const list = watchlistOf(balances);
  let confirmed = 0;
  for (let number = since + 1n; number <= to; number += 1n) {
    const block = await ports.chain.loadBlock(number);
    const matched = matchMovements(chainName, block, list);
    if (matched.length === 0 || !(await ports.oldBlocks.isOfChain(block.header))) continue;
    const { header } = block;
    const found = { header, matched };
    const measured = await measureTransfers(ports.chain, { list, blocks: [found] });
    const outcome = await ports.ledger.recordFound({
      ...{ chainName, header, matched: measured(found) },
    });
    if (outcome.kind === "moved") return confirmed;
    confirmed += outcome.confirmed;
  }
  return confirmed;
}

function watchlistOf(balances: readonly LedgerBalance[]): Watchlist {
  const list: Watchlist = { version: 0n, wallets: new Map(), assets: new Map() };
  for (const balance of balances) {
    const { walletId: id, businessId, walletAddress: address, purpose } = balance;
    const { assetId, assetAddress, assetKind: kind, walletSince, assetSince } = balance;
    list.wallets.set(address, { id, businessId, address, purpose, since: walletSince });
    const asset = { id: assetId, address: assetAddress, kind, since: assetSince };
    list.assets.set(assetAddress, asset);
  }
  return list;
}
