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
import type { ProvingChain } from "../prove-balances.ts";
import { proveMovements } from "../prove-movements.ts";
import { type RereadPorts, reread } from "../reread.ts";

export type RescanPorts = Omit<RereadPorts, "ledger" | "chain"> & {
  chain: RereadPorts["chain"] & ProvingChain;
  ledger: Pick<ReconcileLedger, "recordFound" | "readWritten" | "replaceRead">;
  oldBlocks: OldBlocks;
};

/**
 * The transactions that were missing, and the balances of which a block's movements were taken
 * back.
 */
type Rescanned = { found: number; replaced: number };

type Range = {
  chainName: string;
  since: bigint;
  to: bigint;
  balances: readonly LedgerBalance[];
};

/**
 * Reads the blocks above `since`, up to and with `to`, once more. Writes the transactions of these
 * balances that the ledger does not have. Coin that the balances of its block do not show waits, as
 * at the head. Transactions that the ledger has stay as they are. A transaction that is in the
 * ledger but not in its block may be taken back. A second reading and the balances must then show
 * the same. Nothing is written of a block that is not shown to be of the chain. Safe to repeat and
 * to break off.
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
    const found = { block, header, matched };
    const proved = await proveMovements(ports.chain, { list, found: [found], tip: header });
    const outcome = await ports.ledger.recordFound({ chainName, ...proved.mark(found) });
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
