import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import type { AssetKind } from "../../domain/money/asset.ts";
import type { AssetAddress } from "../../domain/money/movement.ts";
import type {
  LedgerBalance,
  LedgerBalancesAsked,
  LedgerBalancesPage,
  StoredBlock,
} from "../../domain/money/reconciliation.ts";
import type { WalletPurpose } from "../../domain/money/transaction.ts";
import { isKnown } from "../balances/open-balances.ts";
import { readChain } from "../chain/chain-state.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot, type Tx } from "../postgres/transaction.ts";

/**
 * Reads the watched balances whose opening is known, and the chain's heights, in one snapshot
 * (docs/invariants.md#i10). Null if nothing can be compared: the chain has not started, or a reorg
 * is being replayed.
 * @throws Fault `chain_not_found`
 */
export async function readLedgerBalances(
  db: Database,
  asked: LedgerBalancesAsked,
): Promise<LedgerBalancesPage | null> {
  const { chainName } = asked;
  return inSnapshot(db, async (tx) => {
    const { position, confirmedNumber, settleNumber, undos } = await readChain(tx, chainName);
    if (position === null || settleNumber !== null) return null;
    const at = await readBlock(tx, chainName, position.number);
    if (at === null) return null;
    const confirmed =
      confirmedNumber === null ? null : await readBlock(tx, chainName, confirmedNumber);
    const balances = await readPage(tx, asked, confirmedNumber);
    return { position: at, confirmed, undos, balances };
  });
}

async function readBlock(tx: Tx, chainName: string, number: bigint): Promise<StoredBlock | null> {
  const row = await tx.block.findUnique({ where: { chainName_number: { chainName, number } } });
  return row === null ? null : { number, hash: row.hash as Hash, timeMs: row.time.getTime() };
}

type Row = Omit<LedgerBalance, "confirmedAtomic" | "pendingAtomic" | "purpose" | "assetKind"> & {
  purpose: string;
  assetKind: string;
  confirmed: string;
  pending: string;
};

/**
 * Reads the balances at the confirmed height. A completed transaction may be above it. A reorg
 * moved it there, or the height has not risen again after a rewind.
 */
async function readPage(
  tx: Tx,
  asked: LedgerBalancesAsked,
  confirmedNumber: bigint | null,
): Promise<LedgerBalance[]> {
  const { chainName, walletIds, after, limit } = asked;
  const ofWallets =
    walletIds === null ? Prisma.empty : Prisma.sql`AND w.id = ANY(${[...walletIds]}::uuid[])`;
  const further =
    after === null
      ? Prisma.empty
      : Prisma.sql`AND (b.wallet_id, b.asset_id) > (${after.walletId}::uuid, ${after.assetId})`;
  const rows = await tx.$queryRaw<Row[]>`
    WITH pending AS (
      SELECT wallet_id, asset_id, sum(CASE direction WHEN 'in' THEN amount ELSE -amount END) AS amount
      FROM transaction WHERE chain_name = ${chainName} AND status = 'pending' AND NOT orphaned
      GROUP BY wallet_id, asset_id
    ), above AS (
      SELECT e.wallet_id, e.asset_id, sum(e.amount) AS amount
      FROM transaction t JOIN ledger_entry e ON e.transaction_id = t.id
      WHERE t.chain_name = ${chainName} AND t.block_number > ${confirmedNumber}::bigint AND t.status = 'completed'
      GROUP BY e.wallet_id, e.asset_id
    )
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId", w.business_id AS "businessId", w.purpose,
      w.address AS "walletAddress", a.address AS "assetAddress", a.code AS "assetCode", a.kind AS "assetKind",
      a.decimals AS "assetDecimals", COALESCE(wc.position_number, -1) AS "walletSince",
      COALESCE(ac.position_number, -1) AS "assetSince", d.since_number AS "differsSince", b.opened_number AS "openedNumber",
      w.leaving_at IS NOT NULL AS "isLeaving", (b.confirmed - COALESCE(h.amount, 0))::text AS confirmed,
      (COALESCE(p.amount, 0) + COALESCE(h.amount, 0))::text AS pending
    FROM balance b
      JOIN wallet w ON w.id = b.wallet_id AND w.chain_name = ${chainName} AND w.removed_at IS NULL
      JOIN asset a ON a.id = b.asset_id AND a.configured
      JOIN watch_change wc ON wc.id = w.added_change_id
      JOIN watch_change ac ON ac.id = a.watch_change_id
      LEFT JOIN discrepancy d ON d.wallet_id = b.wallet_id AND d.asset_id = b.asset_id
      LEFT JOIN pending p ON p.wallet_id = b.wallet_id AND p.asset_id = b.asset_id
      LEFT JOIN above h ON h.wallet_id = b.wallet_id AND h.asset_id = b.asset_id
    WHERE b.opening IS NOT NULL AND ${isKnown} ${ofWallets} ${further}
    ORDER BY b.wallet_id, b.asset_id LIMIT ${limit}`;
  return rows.map(({ confirmed, pending, ...row }) => ({
    ...row,
    walletAddress: row.walletAddress as Address,
    assetAddress: row.assetAddress as AssetAddress,
    purpose: row.purpose as WalletPurpose,
    assetKind: row.assetKind as AssetKind,
    confirmedAtomic: BigInt(confirmed),
    pendingAtomic: BigInt(pending),
  }));
}
