import type { StatementPart } from "../../domain/evidence/account-statement.ts";
import type { OnProgress, StatementUnderWay } from "../../domain/evidence/made-statement.ts";
import { HalfPace } from "../../domain/in-slices.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** Progress is written at most this often, in ms. */
const everyMs = 1_000;

/** After this time without progress the statement's process is taken to have ended. */
const silence = Prisma.sql`interval '5 minutes'`;

type Followed = { id: string; expected: number; isShared: boolean; onProgress: OnProgress };

/**
 * Passes the parts on. While they are read, reports the number of entries read and expected to
 * `onProgress`, and stores it in the statement's row.
 * @param followed.isShared the process serves others: they get half of its time
 */
export async function* followed(
  db: Database,
  { id, expected, isShared, onProgress }: Followed,
  parts: AsyncIterable<StatementPart>,
): AsyncGenerator<StatementPart> {
  let read = 0;
  let writtenMs = Number.NEGATIVE_INFINITY;
  const pace = new HalfPace();
  const entriesOf = async function* ({ entries }: StatementPart) {
    for await (const page of entries) {
      read += page.length;
      onProgress(read, expected);
      if (performance.now() - writtenMs >= everyMs) {
        await statementsOf(db).$executeRaw`
          UPDATE account_statement SET entries = ${read}, progress_at = clock_timestamp()
          WHERE id = ${id}::uuid AND finished_at IS NULL`;
        writtenMs = performance.now();
      }
      const begunMs = performance.now();
      yield page;
      if (isShared) await pace.rest(performance.now() - begunMs);
    }
  };
  for await (const part of parts) yield { ...part, entries: entriesOf(part) };
}

/**
 * The statements of a business that any process is making, newest first. The statement of a crashed
 * process is included for five minutes.
 */
export async function readStatementsUnderWay(
  db: Database,
  businessId: string,
  { limit, afterId }: PageRequest,
): Promise<Page<StatementUnderWay>> {
  const after = afterId === null ? Prisma.empty : Prisma.sql`AND id < ${afterId}::uuid`;
  const rows = await statementsOf(db).$queryRaw<Row[]>`
    SELECT id, made_at AS "begunAt", period_from AS "from", period_to AS "to", time_zone AS zone, filter, entries,
      entries_expected AS "entriesExpected"
    FROM account_statement
    WHERE business_id = ${businessId}::uuid AND finished_at IS NULL AND entries_expected IS NOT NULL
      AND progress_at > clock_timestamp() - ${silence} ${after}
    ORDER BY id DESC LIMIT ${limit + 1}`;
  const underWay = rows.map(({ from, to, zone, ...row }) => ({
    ...row,
    period: { from, to, zone },
  }));
  return toPage(underWay, limit);
}

type Row = Omit<StatementUnderWay, "period"> & StatementUnderWay["period"];
