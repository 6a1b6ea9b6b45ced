import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import type {
  DiscrepancyResolution,
  ReconciliationEvent,
  ReconciliationRecord,
  RecordFilter,
} from "../../domain/evidence/reconciliation-record.ts";
import { leastIdAt } from "../../domain/id.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { readRows, statementsOf } from "../postgres/statements.ts";

/** A row as it is stored. Amounts are whole numbers, as texts. */
type Row = {
  id: string;
  chainName: string;
  number: bigint;
  event: string;
  atNumber: bigint | null;
  compared: number | null;
  agreedNumber: bigint | null;
  discrepancies: number | null;
  walletId: string | null;
  assetId: number | null;
  ledgerAmount: string | null;
  chainAmount: string | null;
  resolution: string | null;
  recordedAt: Date;
  isOpen: boolean;
  hash: string;
};

/** All finished comparisons and all steps of each discrepancy, newest first. */
export async function listReconciliations(
  db: Database,
  filter: RecordFilter,
  page: PageRequest,
): Promise<Page<ReconciliationRecord>> {
  return reaching(async () => {
    const rows = await readRows<Row>(db, pageSql(filter, page));
    const balances = await readBalances(db, rows);
    const records = rows.map((row) => ({ ...toRecord(row), ...ofRow(row, balances) }));
    return toPage(records, page.limit);
  });
}

/** Selects one row more than the page, which shows whether there is a next page. */
function pageSql(filter: RecordFilter, { afterId, limit }: PageRequest): Prisma.Sql {
  const { chainName, walletId, businessId, assetCode, event, isOpen, from, to } = filter;
  const conditions = [Prisma.sql`true`];
  const add = (condition: Prisma.Sql) => conditions.push(condition);
  if (chainName !== undefined) add(Prisma.sql`r.chain_name = ${chainName}`);
  if (walletId !== undefined) add(Prisma.sql`r.wallet_id = ${walletId}::uuid`);
  if (businessId !== undefined)
    add(Prisma.sql`EXISTS (SELECT 1 FROM wallet w
      WHERE w.id = r.wallet_id AND w.business_id = ${businessId}::uuid)`);
  if (assetCode !== undefined)
    add(Prisma.sql`EXISTS (SELECT 1 FROM asset a
      WHERE a.id = r.asset_id AND upper(a.code) = upper(${assetCode}))`);
  if (isOpen === true) add(isNewestOfOpen);
  if (event !== undefined) add(Prisma.sql`r.event = ${event}`);
  if (from !== undefined) add(Prisma.sql`r.id >= ${leastIdAt(from)}::uuid`);
  if (to !== undefined) add(Prisma.sql`r.id < ${leastIdAt(to)}::uuid`);
  if (afterId !== null) add(Prisma.sql`r.id < ${afterId}::uuid`);
  return Prisma.sql`SELECT ${columns} FROM reconciliation_record r
    WHERE ${Prisma.join(conditions, " AND ")} ORDER BY r.id DESC LIMIT ${limit + 1}`;
}

const isNewestOfOpen = Prisma.sql`r.id IN (SELECT (SELECT newest.id FROM reconciliation_record newest
    WHERE newest.wallet_id = d.wallet_id AND newest.asset_id = d.asset_id ORDER BY newest.id DESC LIMIT 1)
  FROM discrepancy d)`;

const columns = Prisma.sql`r.id, r.chain_name AS "chainName", r.number, r.event, r.at_number AS "atNumber",
  r.compared, r.agreed_number AS "agreedNumber", r.discrepancies, r.wallet_id AS "walletId", r.asset_id AS "assetId",
  r.ledger_amount::text AS "ledgerAmount", r.chain_amount::text AS "chainAmount", r.resolution,
  r.recorded_at AS "recordedAt", coalesce(${isNewestOfOpen}, false) AS "isOpen", r.hash`;

function toRecord({ id, chainName, number, event, atNumber, recordedAt, isOpen, hash }: Row) {
  return {
    id,
    chainName,
    number,
    atNumber,
    recordedAt,
    isOpen,
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
      ledgerAtomic: BigInt(ledgerAmount ?? 0),
      chainAtomic: BigInt(chainAmount ?? 0),
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
