import type { CheckedLine } from "../../domain/credits/credit-check.ts";
import { creditedTypes, judgeUncredited, type Uncredited } from "../../domain/credits/judge.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { joinDeliveryState } from "../deliveries/delivery-state.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { transactionBranches } from "../transactions/transaction-branches.ts";
import { emptyLine, insertLines, namesTransaction, noteSeen } from "./credit-lines.ts";

export type Period = { from: Date; to: Date };

type Run = { businessId: string; checkId: string; period: Period };

/** Transactions that one step reads. */
const transactionsAtOnce = 5_000;

/**
 * Adds to a run the confirmed money of its period that none of its credits names. The new lines
 * follow those of the file. History from before a wallet was watched is left out, and so is money
 * that an unsettled reorg has undone.
 */
export async function addUncredited(db: Database, run: Run): Promise<void> {
  let number = await readLastNumber(db, run.checkId);
  for (let afterId: string | null = null; ; ) {
    const rows: SeenRow[] = await readPage(db, run, afterId);
    const ids = rows.filter((row) => !row.isNamed && row.isToCredit).map(({ id }) => id);
    const found = ids.length === 0 ? [] : await readUncredited(db, ids);
    const lines = found.map((row): CheckedLine => {
      number += 1;
      return lineOf(number, row, run.period.to);
    });
    await inTransaction(db, (tx) =>
      lines.length === 0 ? noteSeen(tx, run.checkId) : insertLines(tx, run.checkId, lines),
    );
    afterId = rows.at(-1)?.id ?? null;
    if (afterId === null || rows.length < transactionsAtOnce) return;
  }
}

async function readLastNumber(db: Database, checkId: string): Promise<number> {
  const rows = await readRows<{ last: number | null }>(
    db,
    Prisma.sql`SELECT max(number) AS last FROM credit_line WHERE check_id = ${checkId}::uuid`,
  );
  return rows[0]?.last ?? 0;
}

type SeenRow = { id: string; isNamed: boolean; isToCredit: boolean };

async function readPage(
  db: Database,
  { businessId, checkId, period }: Run,
  afterId: string | null,
): Promise<SeenRow[]> {
  const filter = { types: creditedTypes, status: "completed", ...period } as const;
  const page = { limit: transactionsAtOnce, afterId };
  const first = Prisma.sql`ORDER BY t.id DESC NULLS LAST LIMIT ${transactionsAtOnce}`;
  const every = { assetIds: null, walletIds: null };
  const branches = transactionBranches({ businessId, filter, page }, every).map(
    ({ where }) => Prisma.sql`(SELECT * FROM transaction t WHERE ${where} ${first})`,
  );
  return readRows<SeenRow>(
    db,
    Prisma.sql`
      SELECT t.id, NOT t.is_history AND NOT t.orphaned AS "isToCredit", EXISTS (
        SELECT 1 FROM credit_line l
        WHERE l.check_id = ${checkId}::uuid AND l.transaction_id = t.id AND ${namesTransaction}
      ) AS "isNamed"
      FROM (${Prisma.join(branches, " UNION ALL ")}) t ${first}`,
  );
}

type UncreditedRow = {
  id: string;
  txHash: string;
  walletId: string;
  asset: string;
  decimals: number;
  atomic: string;
  confirmedAt: Date;
  isOwnTransfer: boolean;
  status: string | null;
};

/** Each half is served by the index of wallets that are watched, or that have ended. */
const isOwnTransfer = Prisma.sql`(${Prisma.join(
  [Prisma.sql`IS NULL`, Prisma.sql`IS NOT NULL`].map(
    (when) => Prisma.sql`EXISTS (
      SELECT 1 FROM wallet w WHERE w.chain_name = t.chain_name AND w.address = t.from_address
        AND w.business_id = t.business_id AND w.removed_at ${when})`,
  ),
  " OR ",
)})`;

/** Reads them in the order of history. */
async function readUncredited(db: Database, ids: readonly string[]): Promise<UncreditedRow[]> {
  return readRows<UncreditedRow>(
    db,
    Prisma.sql`
      SELECT t.id, t.tx_hash AS "txHash", t.wallet_id AS "walletId", a.code AS asset, a.decimals, t.amount::text AS atomic,
        t.completed_at AS "confirmedAt", ${isOwnTransfer} AS "isOwnTransfer", (
          SELECT s.status FROM notification n ${joinDeliveryState()}
          WHERE n.transaction_id = t.id AND n.event = 'transaction.' || t.type
          ORDER BY n.created_at DESC, n.id DESC LIMIT 1
        ) AS status
      FROM unnest(${arrayLiteral(ids)}::uuid[]) AS i(id)
        JOIN transaction t ON t.id = i.id JOIN asset a ON a.id = t.asset_id
      WHERE t.completed_at IS NOT NULL
      ORDER BY t.id`,
  );
}

function lineOf(number: number, row: UncreditedRow, periodTo: Date): CheckedLine {
  const { confirmedAt, isOwnTransfer, status } = row;
  return {
    ...emptyLine,
    number,
    ...judgeUncredited({ confirmedAt, isOwnTransfer, delivery: deliveryOf(status) }, periodTo),
    transactionId: row.id,
    txHash: row.txHash,
    walletId: row.walletId,
    receivedAsset: row.asset,
    receivedAmount: toDecimal(BigInt(row.atomic), row.decimals),
  };
}

/** Null also for a notification that the webhook's filter left out, since nobody asked for it. */
function deliveryOf(status: string | null): Uncredited["delivery"] {
  if (status === null || status === "filtered") return null;
  return status === "delivered" ? "delivered" : "undelivered";
}
