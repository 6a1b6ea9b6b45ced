import type {
  AssetSummary,
  CreditCheck,
  ReceivedCredits,
  SettledCredits,
} from "../../domain/credits/credit-check.ts";
import { type VerdictName, verdictNames } from "../../domain/credits/verdicts.ts";
import { notFound } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";
import { addUncredited, type Period } from "./add-uncredited.ts";
import { noteSeen } from "./credit-lines.ts";
import { settleRepeats } from "./settle-repeats.ts";

/**
 * Finds what a single credit cannot show: transactions that were credited twice, and money that was
 * received and not credited. Then adds up the totals. It goes through the run by pages, each in a
 * short transaction.
 * @param period times of blocks. A missing end is the time of the first or the last credit
 * @throws Fault `invalid_request` if neither the request nor a credit gives the period, or if the
 *   period has no moment
 */
export async function settleCredits(
  db: Database,
  { checkId, businessId, digest }: ReceivedCredits,
  period: { from: Date | null; to: Date | null },
): Promise<SettledCredits> {
  const { from, to } = await periodOf(db, checkId, period);
  await settleRepeats(db, { businessId, checkId });
  await addUncredited(db, { businessId, checkId, period: { from, to } });
  const counts = await countLines(db, checkId);
  const assets = await addUp(db, checkId);
  const lines = verdictNames.reduce((sum, name) => sum + counts[name], 0);
  const credits = lines - counts.not_credited;
  return { id: checkId, digest, credits, periodFrom: from, periodTo: to, counts, assets };
}

/**
 * Makes a run visible to its business, in the transaction of the audit trail's entry.
 * @throws Fault `invalid_request` if the run was given up in the meantime
 */
export async function finishCredits(tx: Tx, settled: SettledCredits): Promise<CreditCheck> {
  const { id, counts, assets, ...fields } = settled;
  await noteSeen(tx, id);
  const found = await tx.creditCheck.findFirst({ where: { id, finishedAt: null } });
  if (found === null) throw notFound("reconciliation_not_found");
  const finishedAt = new Date();
  await tx.creditCheck.update({
    where: { id },
    data: { ...fields, finishedAt, counts, assets: assets.map((one) => ({ ...one })) },
  });
  const { createdAt, format } = found;
  return { ...settled, createdAt, finishedAt, format: format === "csv" ? "csv" : "jsonl" };
}

async function periodOf(
  db: Database,
  checkId: string,
  { from, to }: { from: Date | null; to: Date | null },
): Promise<Period> {
  const [row] = await readRows<{ first: Date | null; last: Date | null }>(
    db,
    Prisma.sql`
      SELECT min(credited_at) AS first, max(credited_at) AS last FROM credit_line
      WHERE check_id = ${checkId}::uuid`,
  );
  const period = { from: from ?? row?.first, to: to ?? row?.last };
  if (!period.from) throw invalidField("from", "expected a time, as no line has one");
  if (!period.to) throw invalidField("to", "expected a time, as no line has one");
  // Without any end in the request, one credit has the time of both.
  if ((from ?? to) !== null && period.from >= period.to)
    throw invalidField("to", "expected a moment after from");
  return { from: period.from, to: period.to };
}

async function countLines(db: Database, checkId: string): Promise<Record<VerdictName, number>> {
  const rows = await readRows<{ verdict: string; count: number }>(
    db,
    Prisma.sql`
      SELECT verdict, count(*)::int AS count FROM credit_line WHERE check_id = ${checkId}::uuid GROUP BY verdict`,
  );
  const counts = new Map(rows.map(({ verdict, count }) => [verdict, count]));
  const entries = verdictNames.map((name) => [name, counts.get(name) ?? 0]);
  return Object.fromEntries(entries) as Record<VerdictName, number>;
}

/**
 * Adds up by asset. Each transaction counts as received once: with its credit, or as not credited.
 * An unconfirmed transaction does not count, also where its credit says something else.
 */
async function addUp(db: Database, checkId: string): Promise<AssetSummary[]> {
  return readRows<AssetSummary>(
    db,
    Prisma.sql`
      SELECT asset, sum(credits)::int AS credits,
        CASE WHEN asset IS NOT NULL THEN trim_scale(sum(credited))::text END AS credited,
        CASE WHEN asset IS NOT NULL THEN trim_scale(sum(received))::text END AS received,
        CASE WHEN asset IS NOT NULL THEN trim_scale(sum(credited) - sum(received))::text END AS difference
      FROM (
        SELECT k.code AS asset, count(*) AS credits, sum(l.amount) AS credited, 0 AS received
        FROM credit_line l LEFT JOIN (SELECT DISTINCT code FROM asset) k ON k.code = l.asset
        WHERE l.check_id = ${checkId}::uuid AND l.amount IS NOT NULL GROUP BY k.code
        UNION ALL
        SELECT l.received_asset, 0, 0, sum(l.received_amount) FROM credit_line l
        WHERE l.check_id = ${checkId}::uuid
          AND (l.verdict IN ('matches', 'not_credited') OR l.cause = 'early'
            OR l.verdict IN ('other_wallet', 'other_asset', 'other_amount') AND EXISTS (
              SELECT 1 FROM transaction t
              WHERE t.id = l.transaction_id AND t.status = 'completed' AND NOT t.orphaned))
        GROUP BY l.received_asset
      ) s GROUP BY asset ORDER BY asset`,
  );
}
