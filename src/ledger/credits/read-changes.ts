import {
  type ChangedLine,
  type CreditCheck,
  encodeLineCursor,
  type LinesAsked,
  type LinesPage,
} from "../../domain/credits/credit-check.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { lineColumns } from "./credit-lines.ts";
import { isOf, pageOf, readCreditCheck } from "./read-checks.ts";

/**
 * A cursor at or above this number is among the lines of the earlier run. No run has so many lines.
 */
const goneFrom = 1_000_000_000;

/**
 * Compares a finished run with the finished run before it. First come findings that are new or have
 * another verdict or cause. Then come findings of the earlier run that are gone, as far as the
 * period of this run covers them. Without an earlier run, all findings are new.
 *
 * A credit is known by its reference. A finding of it is the same if the credit says the same.
 * Some books have a customer's number as the reference of several credits. Money without a credit
 * is the same by its transaction, and a malformed line by its number and text.
 * @throws Fault `reconciliation_not_found`
 */
export async function readCreditChanges(
  db: Database,
  asked: LinesAsked,
): Promise<LinesPage<ChangedLine>> {
  const check = await readCreditCheck(db, asked);
  const beforeId = await findBefore(db, asked);
  const page =
    asked.after >= goneFrom
      ? { rows: [], nextCursor: null }
      : pageOf(await readChanged(db, asked, beforeId), asked.limit);
  const room = asked.limit - page.rows.length;
  if (page.nextCursor !== null || beforeId === null) return page;
  const after = Math.max(0, asked.after - goneFrom);
  const rows = await readGone(db, { ...asked, after, limit: room, check, beforeId });
  const gone = rows.slice(0, room);
  const last = gone.at(-1)?.number ?? 0;
  const nextCursor = rows.length > room ? encodeLineCursor(goneFrom + last) : null;
  return { rows: [...page.rows, ...gone], nextCursor };
}

async function findBefore(
  db: Database,
  { businessId, checkId }: LinesAsked,
): Promise<string | null> {
  const rows = await readRows<{ id: string }>(
    db,
    Prisma.sql`
      SELECT id FROM credit_check WHERE business_id = ${businessId}::uuid AND finished_at IS NOT NULL
        AND id < ${checkId}::uuid ORDER BY id DESC LIMIT 1`,
  );
  return rows[0]?.id ?? null;
}

/** The fields that the credit `name` has. A hash that it names may be of several transactions. */
const saidBy = (name: string) =>
  Prisma.raw(
    `(${name}.credited_at, ${name}.asset, ${name}.amount, COALESCE(${name}.tx_hash, ${name}.transaction_id::text))`,
  );

/** Selects the findings of a run about the same thing as `l`. Each clause has an index. */
function sameAs(checkId: string | null): Prisma.Sql {
  const found = Prisma.sql`
    SELECT o.verdict, o.cause, ${saidBy("o")} IS NOT DISTINCT FROM ${saidBy("l")} AS "saysSame"
    FROM credit_line o WHERE o.check_id = ${checkId}::uuid AND o.verdict <> 'matches'`;
  return Prisma.sql`
    ${found} AND o.reference IS NOT NULL AND o.reference = l.reference
    UNION ALL
    ${found} AND o.verdict <> 'not_received' AND o.transaction_id IS NOT NULL AND o.verdict = 'not_credited'
      AND l.verdict = 'not_credited' AND o.transaction_id = l.transaction_id
    UNION ALL
    ${found} AND o.verdict = 'malformed' AND l.verdict = 'malformed' AND o.number = l.number AND o.text = l.text`;
}

/** Reads one row more than the limit, which shows whether there is a next page. */
async function readChanged(
  db: Database,
  { checkId, verdict, after, limit }: LinesAsked,
  beforeId: string | null,
): Promise<ChangedLine[]> {
  return readRows<ChangedLine>(
    db,
    Prisma.sql`
      SELECT ${lineColumns}, b.change FROM credit_line l CROSS JOIN LATERAL (
        SELECT CASE WHEN bool_or(o.verdict = l.verdict AND o.cause = l.cause AND o."saysSame") THEN NULL
          WHEN count(*) > 0 THEN 'changed' ELSE 'new' END AS change
        FROM (${sameAs(beforeId)}) o
      ) b
      WHERE l.check_id = ${checkId}::uuid AND l.verdict <> 'matches' AND l.number > ${after}::int
        AND b.change IS NOT NULL ${isOf(verdict)}
      ORDER BY l.number LIMIT ${limit + 1}`,
  );
}

type GoneAsked = LinesAsked & { check: CreditCheck; beforeId: string };

/**
 * Reads one row more than the limit. Malformed lines are left out: they have no time that could be
 * in the period.
 */
async function readGone(
  db: Database,
  { checkId, beforeId, check, verdict, after, limit }: GoneAsked,
): Promise<ChangedLine[]> {
  const { periodFrom, periodTo } = check;
  return readRows<ChangedLine>(
    db,
    Prisma.sql`
      SELECT ${lineColumns}, 'gone' AS change FROM credit_line l
      WHERE l.check_id = ${beforeId}::uuid AND l.verdict NOT IN ('matches', 'malformed')
        AND l.number > ${after}::int ${isOf(verdict)}
        AND NOT EXISTS (${sameAs(checkId)})
        AND COALESCE(l.credited_at, (SELECT t.block_time FROM transaction t WHERE t.id = l.transaction_id))
          BETWEEN ${periodFrom} AND ${periodTo}
      ORDER BY l.number LIMIT ${limit + 1}`,
  );
}
