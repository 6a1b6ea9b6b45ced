import type { BlockHeader } from "../../domain/chain/block.ts";
import type { MatchedTransaction } from "../../domain/money/matched-transaction.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { LedgerHolding } from "../../domain/money/reconciliation.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import { matchMovements } from "../match-movements.ts";

export type RescanPorts = {
  chain: { loadBlock: (number: bigint) => Promise<LoadedBlock> };
  ledger: {
    recordFound: (found: {
      chainName: string;
      header: BlockHeader;
      matched: MatchedTransaction[];
    }) => Promise<{ kind: "recorded"; confirmed: number; notified: number } | { kind: "moved" }>;
  };
};

/**
 * Reads the blocks above `since`, up to and with `to`, once more, and writes what is missing of these holdings: what the
 * ledger has already stays as it is. Answers how many transactions were found. Safe to repeat and to break off.
 */
export async function rescan(
  ports: RescanPorts,
  range: { chainName: string; since: bigint; to: bigint; holdings: readonly LedgerHolding[] },
): Promise<number> {
  const { chainName, since, to, holdings } = range;
  const list = watchlistOf(holdings);
  let confirmed = 0;
  for (let number = since + 1n; number <= to; number += 1n) {
    const block = await ports.chain.loadBlock(number);
    const matched = matchMovements(chainName, block, list);
    if (matched.length === 0) continue;
    const outcome = await ports.ledger.recordFound({ chainName, header: block.header, matched });
    if (outcome.kind === "moved") return confirmed;
    confirmed += outcome.confirmed;
  }
  return confirmed;
}

function watchlistOf(holdings: readonly LedgerHolding[]): Watchlist {
  const list: Watchlist = { version: 0n, wallets: new Map(), assets: new Map() };
  for (const holding of holdings) {
    const { walletId: id, businessId, walletAddress: address, purpose } = holding;
    const { assetId, assetAddress, assetKind: kind, walletSince, assetSince } = holding;
    list.wallets.set(address, { id, businessId, address, purpose, since: walletSince });
    const asset = { id: assetId, address: assetAddress, kind, since: assetSince };
    list.assets.set(assetAddress, asset);
  }
  return list;
}
