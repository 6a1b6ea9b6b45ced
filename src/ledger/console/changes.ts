import type { ChangeMarks, Changes, ReadChanges } from "../../domain/console/changes.ts";
import { Fault } from "../../domain/fault.ts";
import { notifiedTypes } from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { words } from "../postgres/words.ts";

/**
 * At most this many new rows are read to find their businesses. Beyond that the oldest rows are
 * left out.
 */
const maxRows = 5_000;

/**
 * Finds what has changed since the marks. It reads the ends of four indexes and two small tables.
 * For each business it reads the newest transaction, the newest sightings, and up to `maxPending`
 * pending transactions. The cost does not grow with the ledger.
 *
 * The answer is only a hint, and pages also read again by themselves. It can miss a row: a higher
 * number may be committed before a lower one, and then hides it.
 */
export async function readChanges(
  db: Database,
  { since, businessIds }: Parameters<ReadChanges>[0],
): Promise<Changes> {
  const { ends, newest } = await readNow(db, businessIds);
  const marks = {
    ...ends,
    newest: new Map(newest.map(({ id, mark }) => [id, mark])),
    sighted: new Map(newest.map(({ id, sighted }) => [id, sighted])),
  };
  const known = since ?? marks;
  const [entered, attempted, audited] = await Promise.all([
    known.entry === marks.entry ? [] : readRows<{ id: string }>(db, whereEntered(known, marks)),
    known.attempt === marks.attempt
      ? []
      : readRows<{ id: string }>(db, whereAttempted(known, marks)),
    known.audit === marks.audit ? [] : readAudited(db, known, marks),
  ]);
  return {
    marks,
    moved: new Set([...entered.map(({ id }) => id), ...changed(known.newest, marks.newest)]),
    sighted: new Set(changed(known.sighted, marks.sighted)),
    haveSightingsChanged: known.sightings !== marks.sightings,
    attempted: new Set(attempted.map(({ id }) => id)),
    audited,
    waiting: new Set(newest.filter(({ pending }) => pending > 0n).map(({ id }) => id)),
    haveChainsMoved: known.chains !== marks.chains,
    haveDiscrepanciesChanged: known.discrepancies !== marks.discrepancies,
  };
}

/**
 * The keys whose mark has changed. A key that had no mark before counts as unchanged: its first
 * page begins with this look.
 */
function changed(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  return [...now].flatMap(([id, mark]) => ((before.get(id) ?? mark) === mark ? [] : [id]));
}

type Ends = Omit<ChangeMarks, "newest" | "sighted">;
type Newest = { id: string; mark: string; pending: bigint; sighted: string };

const notified = words(notifiedTypes);

/** Pending transactions are counted up to this number. */
const maxPending = 1_000;

/** Changes of state are noticed for this many of the newest sightings: a list's first page. */
const maxSightings = 50;

/** The newest sightings, and how many of them were confirmed, reported and undone. */
const sightingsMark = (isOurs: Prisma.Sql) => Prisma.sql`(
  SELECT concat_ws(' ', max(s.id::text), count(s.reported_at), count(*) FILTER (WHERE s.is_undone),
    count(*) FILTER (WHERE s.block_number <= c.confirmed_number))
  FROM (SELECT * FROM sighting s WHERE ${isOurs} ORDER BY s.id DESC LIMIT ${maxSightings}) s
  JOIN chain c ON c.name = s.chain_name)`;

/**
 * Reads all marks in one statement, since open pages cause it once a second. Without businesses it
 * gives one row, with the marks of the ledger alone.
 */
async function readNow(
  db: Database,
  businessIds: readonly string[],
): Promise<{ ends: Ends; newest: Newest[] }> {
  const rows = await readRows<Ends & (Newest | { id: null })>(
    db,
    Prisma.sql`
      SELECT e.*, b.id, n.pending, n.sighted, concat_ws(' ', n.newest, n.pending) AS mark
      FROM (
        SELECT (SELECT COALESCE(max(id), 0) FROM ledger_entry) AS entry,
          (SELECT COALESCE(max(id), 0) FROM attempt) AS attempt,
          (SELECT id::text FROM audit_entry ORDER BY id DESC LIMIT 1) AS audit,
          (SELECT COALESCE(string_agg(concat_ws(' ', name, position_number, confirmed_number, stopped_code), ',' ORDER BY name), '')
            FROM chain) AS chains,
          (SELECT concat_ws(' ', count(*), max(seen_at)) FROM discrepancy) AS discrepancies,
          ${sightingsMark(Prisma.sql`true`)} AS sightings
      ) e
      LEFT JOIN unnest(${[...businessIds]}::uuid[]) b(id) ON true
      LEFT JOIN LATERAL (
        SELECT (SELECT t.id FROM transaction t WHERE t.business_id = b.id AND t.type IN (${notified})
            ORDER BY t.id DESC LIMIT 1) AS newest,
          (SELECT count(*) FROM (SELECT 1 FROM transaction t WHERE t.business_id = b.id
            AND t.type IN (${notified}) AND t.status = 'pending' LIMIT ${maxPending}) p) AS pending,
          ${sightingsMark(Prisma.sql`s.business_id = b.id`)} AS sighted
      ) n ON b.id IS NOT NULL`,
  );
  const [ends] = rows;
  if (ends === undefined) throw new Fault("invariant_broken", "The ends of the ledger are no row.");
  const { entry, attempt, audit, chains, discrepancies, sightings } = ends;
  return {
    ends: { entry, attempt, audit, chains, discrepancies, sightings },
    newest: rows.flatMap((row) => (row.id === null ? [] : row)),
  };
}

const whereEntered = (from: ChangeMarks, to: Ends) => Prisma.sql`
  SELECT DISTINCT w.business_id AS id
  FROM (SELECT wallet_id FROM ledger_entry WHERE id > ${from.entry} AND id <= ${to.entry}
    ORDER BY id DESC LIMIT ${maxRows}) e
  JOIN wallet w ON w.id = e.wallet_id`;

const whereAttempted = (from: ChangeMarks, to: Ends) => Prisma.sql`
  SELECT DISTINCT d.business_id AS id
  FROM (SELECT delivery_id FROM attempt WHERE id > ${from.attempt} AND id <= ${to.attempt} ORDER BY id DESC LIMIT ${maxRows}) a
  JOIN delivery d ON d.id = a.delivery_id`;

function readAudited(
  db: Database,
  from: ChangeMarks,
  to: Ends,
): Promise<Changes["audited"][number][]> {
  return readRows(
    db,
    Prisma.sql`
      SELECT business_id AS "businessId", action FROM audit_entry
      WHERE (${from.audit}::uuid IS NULL OR id > ${from.audit}::uuid) AND id <= ${to.audit}::uuid
      ORDER BY id DESC LIMIT ${maxRows}`,
  );
}
