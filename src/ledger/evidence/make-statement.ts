import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { mostOfBusiness } from "../../domain/business/rate-limit.ts";
import type { OpenStatement } from "../../domain/evidence/account-statement.ts";
import type { MadeStatement, StatementMaking } from "../../domain/evidence/made-statement.ts";
import {
  type StatementOutcome,
  statedChain,
  statedFilter,
  statementLines,
} from "../../domain/evidence/statement-lines.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { notFound } from "../../domain/not-found.ts";
import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { lockBusiness } from "../webhooks/lock-business.ts";
import { countEntries, openStatement } from "./account-statement.ts";
import {
  findSame,
  type MadeRow,
  madeColumns,
  requireStatement,
  toMade,
} from "./made-statements.ts";
import { followed } from "./statement-progress.ts";

const compress = promisify(gzip);

/**
 * Answers a business's statement. If a complete one of that period exists, it is that one, with the
 * names and prices of its day. Else the statement is read from the journal and stored chunk by
 * chunk. Memory is constant, and no transaction is held between chunks.
 *
 * Nobody sees a statement before its last line is stored. It is deleted if its process ends before
 * that. Safe to repeat, and for several processes: of the same period the first complete one
 * counts.
 * @throws Fault `business_not_found`, `wallet_not_found`, `chain_not_found`. `invalid_request` if
 *   the ledger does not know the asset. `limit_reached` if the business itself asks, and no more
 *   may be stored. `invariant_broken` if it does not add up
 */
export async function makeStatement(db: Database, making: StatementMaking): Promise<MadeStatement> {
  const { asked, sign, nowMs, isAnew, onProgress = () => {} } = making;
  const known = isAnew ? null : await findSame(statementsOf(db), asked);
  if (known !== null) return known;
  const id = idAt(nowMs);
  const statement = await openStatement(db, asked);
  const expected = await countEntries(db, asked, statement);
  await inTransaction(db, (tx) => begin(tx, { id, making, statement, expected }));
  try {
    const isShared = isAskedByBusiness(making);
    const parts = followed(db, { id, expected, isShared, onProgress }, statement.parts);
    const watched = { ...statement, parts };
    const lines = statementLines({ id, madeAt: new Date(nowMs), asked, statement: watched, sign });
    const outcome = await storeLines(db, id, lines);
    return await inTransaction(db, (tx) => finish(tx, { id, making, outcome }));
  } catch (error) {
    await forget(statementsOf(db), id);
    throw error;
  }
}

/** True if the business itself asks, by the API or the console. That process serves others too. */
function isAskedByBusiness({ by: { via } }: StatementMaking): boolean {
  return via === "api" || via === "console";
}

type Begun = { id: string; making: StatementMaking; statement: OpenStatement; expected: number };

async function begin(tx: Tx, { id, making, statement, expected }: Begun): Promise<void> {
  const { asked, by, nowMs } = making;
  // A month is closed for a business whatever it has had made.
  if (isAskedByBusiness(making)) await requireRoom(tx, asked.businessId, expected);
  const { from, to, zone } = asked.period;
  const { bounds, isOver } = statement;
  await tx.$executeRaw`
    INSERT INTO account_statement (id, business_id, made_at, made_by, made_via, period_from, period_to, time_zone,
      filter, chains, is_final, entries_expected, progress_at)
    VALUES (${id}::uuid, ${asked.businessId}::uuid, ${new Date(nowMs)}, ${by.name}, ${by.via}, ${from}, ${to}, ${zone},
      ${JSON.stringify(statedFilter(asked.filter))}::jsonb, ${JSON.stringify(bounds.map(statedChain))}::jsonb,
      ${isOver}, ${expected}, clock_timestamp())`;
}

/** Statements that are being made count too. @throws Fault `limit_reached` */
async function requireRoom(tx: Tx, businessId: string, expected: number): Promise<void> {
  await lockBusiness(tx, businessId);
  const { storedStatements, storedEntries } = mostOfBusiness;
  const [row] = await tx.$queryRaw<{ statements: number; entries: bigint }[]>`
    SELECT count(*)::int AS statements,
      COALESCE(sum(CASE WHEN finished_at IS NULL THEN entries_expected ELSE entries END), 0)::bigint AS entries
    FROM account_statement WHERE business_id = ${businessId}::uuid`;
  const { statements = 0, entries = 0n } = row ?? {};
  if (statements >= storedStatements)
    throw noRoom(`The business has ${storedStatements} statements`);
  if (entries > 0n && entries + BigInt(expected) > storedEntries)
    throw noRoom(`The statements of the business would have more than ${storedEntries} entries`);
}

function noRoom(why: string): Fault {
  return new Fault("limit_reached", `${why}: ask the operator to remove one first.`);
}

/** Stores a part of the lines as a chunk while the next part is made. */
async function storeLines(
  db: Database,
  id: string,
  lines: AsyncGenerator<Buffer, StatementOutcome>,
): Promise<StatementOutcome> {
  let stored: Promise<void> = Promise.resolve();
  try {
    for (let number = 0; ; number += 1) {
      const next = await lines.next();
      await stored;
      if (next.done === true) return next.value;
      stored = storeChunk(db, { id, number, part: next.value });
      // The next chunk, or the end, awaits `stored` and throws its error.
      stored.catch(() => undefined);
    }
  } finally {
    await stored.catch(() => undefined);
  }
}

type Chunk = { id: string; number: number; part: Buffer };

/**
 * The fastest level takes 3 µs of CPU time a line and leaves 102 bytes. The default level takes 7.6
 * µs and leaves 95 bytes.
 *
 * The commit does not wait for the disk. A crash of the server may lose chunks of a statement that
 * is not finished. The commit that finishes it waits, also for all that was written before.
 */
async function storeChunk(db: Database, { id, number, part }: Chunk): Promise<void> {
  const body = await compress(part, { level: constants.Z_BEST_SPEED });
  await statementsOf(db).$executeRaw`${prepared}
    INSERT INTO account_statement_chunk (statement_id, number, body)
    SELECT ${id}::uuid, ${number}::int, ${body}::bytea FROM set_config('synchronous_commit', 'off', true)`;
}

type Finished = { id: string; making: StatementMaking; outcome: StatementOutcome };

async function finish(tx: Tx, { id, making, outcome }: Finished): Promise<MadeStatement> {
  const { asked, isAnew } = making;
  await lockBusiness(tx, asked.businessId);
  const known = isAnew ? null : await findSame(tx, asked);
  if (known !== null) {
    await forget(tx, id);
    return known;
  }
  const { holdings, unknownOpenings, entries, unpriced, unconfirmed, digest, signature } = outcome;
  const [row] = await tx.$queryRaw<MadeRow[]>`
    UPDATE account_statement SET finished_at = clock_timestamp(), holdings = ${holdings},
      unknown_openings = ${unknownOpenings}, entries = ${entries}, unpriced = ${unpriced},
      unconfirmed = ${unconfirmed}, digest = ${digest}, key_id = ${signature.keyId}, signature = ${signature.value}
    WHERE id = ${id}::uuid RETURNING ${madeColumns}`;
  if (row === undefined) throw notFound("statement_not_found");
  return toMade(row);
}

async function forget(on: Pick<Tx, "$executeRaw">, id: string): Promise<void> {
  await on.$executeRaw`DELETE FROM account_statement WHERE id = ${id}::uuid AND finished_at IS NULL`;
}

/**
 * Removes a statement with its lines. Another one of its period may be made afterwards.
 * @throws Fault `statement_not_found`
 */
export async function removeStatement(tx: Tx, id: string): Promise<MadeStatement> {
  const made = await requireStatement(tx, { id, businessId: null });
  await tx.$executeRaw`DELETE FROM account_statement WHERE id = ${id}::uuid`;
  return made;
}

/** A statement of a period that was not over is kept for this many days. */
const interimDays = 400;

/**
 * Deletes at most `limit` statements that were not finished within a day. It also deletes those
 * that are 400 days old and of a period that was not over. Safe to repeat, and for several
 * processes.
 * @returns how many were deleted
 */
export async function pruneStatements(db: Database, { limit }: { limit: number }): Promise<number> {
  return statementsOf(db).$executeRaw`
    DELETE FROM account_statement WHERE id IN (
      SELECT id FROM account_statement
      WHERE (NOT is_final OR finished_at IS NULL) AND made_at < now() - interval '1 day'
        AND (finished_at IS NULL OR made_at < now() - ${interimDays}::int * interval '1 day')
      ORDER BY made_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
