import {
  type CheckedLine,
  type CreditCheck,
  encodeLineCursor,
  type LinesAsked,
  type LinesPage,
} from "../../domain/credits/credit-check.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { lineColumns } from "./credit-lines.ts";

const checkColumns = Prisma.sql`
  id, created_at AS "createdAt", finished_at AS "finishedAt", format, digest, credits, period_from AS "periodFrom",
  period_to AS "periodTo", counts, assets`;

type Named = { businessId: string; checkId: string };

/** The finished runs of a business, newest first. */
export async function readCreditChecks(
  db: Database,
  businessId: string,
  { limit, afterId }: PageRequest,
): Promise<Page<CreditCheck>> {
  const after = afterId === null ? Prisma.empty : Prisma.sql`AND id < ${afterId}::uuid`;
  const rows = await readRows<CreditCheck>(
    db,
    Prisma.sql`
      SELECT ${checkColumns} FROM credit_check
      WHERE business_id = ${businessId}::uuid AND finished_at IS NOT NULL ${after}
      ORDER BY id DESC LIMIT ${limit + 1}`,
  );
  return toPage(rows, limit);
}

/** A finished run. @throws Fault `reconciliation_not_found` */
export async function readCreditCheck(
  db: Database,
  { businessId, checkId }: Named,
): Promise<CreditCheck> {
  const rows = await readRows<CreditCheck>(
    db,
    Prisma.sql`
      SELECT ${checkColumns} FROM credit_check
      WHERE id = ${checkId}::uuid AND business_id = ${businessId}::uuid AND finished_at IS NOT NULL`,
  );
  return requireFound(rows[0], "reconciliation_not_found");
}

/** The answered lines of a finished run. @throws Fault `reconciliation_not_found` */
export async function readCreditLines(
  db: Database,
  asked: LinesAsked,
): Promise<LinesPage<CheckedLine>> {
  const { checkId, verdict, after, limit } = asked;
  await readCreditCheck(db, asked);
  const rows = await readRows<CheckedLine>(
    db,
    Prisma.sql`
      SELECT ${lineColumns} FROM credit_line l
      WHERE l.check_id = ${checkId}::uuid AND l.number > ${after}::int ${isOf(verdict)}
      ORDER BY l.number LIMIT ${limit + 1}`,
  );
  return pageOf(rows, limit);
}

/**
 * A condition on the verdict of lines `l`; null: any verdict. It is written as in the condition of
 * an index.
 */
export function isOf(verdict: string | null): Prisma.Sql {
  if (verdict === null) return Prisma.empty;
  return verdict === "matches"
    ? Prisma.sql`AND l.verdict = 'matches'`
    : Prisma.sql`AND l.verdict <> 'matches' AND l.verdict = ${verdict}`;
}

/** Makes a page of rows that were read with one more than the limit. */
export function pageOf<Line extends { number: number }>(
  rows: Line[],
  limit: number,
): LinesPage<Line> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor =
    rows.length > limit && last !== undefined ? encodeLineCursor(last.number) : null;
  return { rows: shown, nextCursor };
}
