import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import type {
  DiscrepancyResolution,
  ReconciliationEvent,
  ReconciliationRecord,
  RecordFilter,
} from "../../domain/evidence/reconciliation-record.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { ReconciliationRecord as Row } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
import { statementsOf } from "../postgres/statements.ts";

/** All finished comparisons and all steps of each discrepancy, newest first. */
export async function listReconciliations(
  db: Database,
  { from, to, ...filter }: RecordFilter,
  page: PageRequest,
): Promise<Page<ReconciliationRecord>> {
  return reaching(async () => {
    const asked = pageQuery(filter, page, { from, to });
    const rows = await modelsOf(db).reconciliationRecord.findMany(asked);
    const balances = await readBalances(db, rows);
    const records = rows.map((row) => ({ ...toRecord(row), ...ofRow(row, balances) }));
    return toPage(records, page.limit);
  });
}

function toRecord({ id, chainName, number, event, atNumber, recordedAt, hash }: Row) {
  return {
    id,
    chainName,
    number,
    atNumber,
    recordedAt,
    hash,
    event: event as ReconciliationEvent,
  };
}

type Balances = Awaited<ReturnType<typeof readBalances>>;

async function readBalances(db: Database, rows: readonly Row[]) {
  const walletIds = rows.flatMap(({ walletId }) => walletId ?? []);
  const assetIds = rows.flatMap(({ assetId }) => assetId ?? []);
  const wallets = await modelsOf(db).wallet.findMany({ where: { id: { in: walletIds } } });
  const assets = await modelsOf(db).asset.findMany({ where: { id: { in: assetIds } } });
  return {
    wallets: new Map(wallets.map((wallet) => [wallet.id, wallet])),
    assets: new Map(assets.map((asset) => [asset.id, asset])),
  };
}

function ofRow(
  row: Row,
  { wallets, assets }: Balances,
): Pick<ReconciliationRecord, "comparison" | "discrepancy"> {
  const { compared, agreedNumber, walletId, assetId, ledgerAmount, chainAmount } = row;
  if (compared !== null) {
    const comparison = { compared, agreedNumber, discrepancies: row.discrepancies ?? 0 };
    return { comparison, discrepancy: null };
  }
  const wallet = wallets.get(walletId ?? "");
  const asset = assets.get(assetId ?? -1);
  if (wallet === undefined || asset === undefined) return { comparison: null, discrepancy: null };
  return {
    comparison: null,
    discrepancy: {
      walletId: wallet.id,
      walletAddress: wallet.address,
      businessId: wallet.businessId,
      reference: wallet.reference,
      label: wallet.label,
      assetCode: asset.code,
      assetDecimals: asset.decimals,
      ledgerAtomic: BigInt(ledgerAmount?.toFixed() ?? 0),
      chainAtomic: BigInt(chainAmount?.toFixed() ?? 0),
      resolution: row.resolution as DiscrepancyResolution | null,
    },
  };
}

/**
 * Finds the first row of each chain that was changed, or does not follow from the row before it.
 */
export async function checkReconciliations(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<{ chainName: string; number: bigint }[]>`
    SELECT chain_name AS "chainName", min(number) AS number FROM (
      SELECT r.chain_name, r.number, r.hash <> reconciliation_record_hash(r)
        OR r.number <> row_number() OVER chain
        OR r.previous_hash <> lag(r.hash, 1, repeat('0', 64)) OVER chain AS is_wrong
      FROM reconciliation_record r WINDOW chain AS (PARTITION BY r.chain_name ORDER BY r.number)
    ) checked WHERE is_wrong GROUP BY chain_name ORDER BY chain_name`;
  return rows.map((row) => ({ kind: "reconciliation", ...row }));
}
