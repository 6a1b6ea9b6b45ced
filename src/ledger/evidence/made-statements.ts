import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { StatementAsked } from "../../domain/evidence/account-statement.ts";
import type { MadeStatement, StatementName } from "../../domain/evidence/made-statement.ts";
import { statedFilter } from "../../domain/evidence/statement-lines.ts";
import { Fault } from "../../domain/fault.ts";
import { isTurnOver, nextTurn } from "../../domain/in-slices.ts";
import { notFound, requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { oneAhead } from "../../runtime/one-ahead.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";
import { conditionsOf } from "./statement-filter.ts";

const decompress = promisify(gunzip);

/**
 * A buffer of this many bytes is large enough for most chunks. A chunk that does not fit is joined
 * from parts.
 */
const roomOfChunk = 96 * 1024;

/** The columns of a finished statement. */
export const madeColumns = Prisma.sql`
  id, business_id AS "businessId", made_at AS "madeAt", made_by AS "byName", made_via AS "byVia", period_from AS "from",
  period_to AS "to", time_zone AS zone, filter, chains, is_final AS "isFinal", holdings,
  unknown_openings AS "unknownOpenings", entries, unpriced, unconfirmed, digest, key_id AS "keyId", signature AS "value"`;

/** The row of a finished statement. */
export type MadeRow = Omit<MadeStatement, "madeBy" | "period" | "signature"> &
  MadeStatement["period"] &
  MadeStatement["signature"] & { byName: string; byVia: MadeStatement["madeBy"]["via"] };

export function toMade(row: MadeRow): MadeStatement {
  const { byName, byVia, from, to, zone, keyId, value, ...made } = row;
  return {
    ...made,
    madeBy: { name: byName, via: byVia },
    period: { from, to, zone },
    signature: { keyId, value },
  };
}

/**
 * Finds the newest complete statement of the same period and filter; null: there is none. Complete
 * means that the period was over, and all openings were known that will ever be. A wallet may end
 * before its opening is read, which nobody reads then.
 */
export async function findSame(
  on: Pick<Statements, "$queryRaw">,
  { businessId, period, filter }: StatementAsked,
): Promise<MadeStatement | null> {
  const { from, to, zone } = period;
  const { chainName = null } = filter;
  const [row] = await on.$queryRaw<MadeRow[]>`
    SELECT ${madeColumns} FROM account_statement
    WHERE business_id = ${businessId}::uuid AND period_from = ${from} AND period_to = ${to} AND lower(time_zone) = lower(${zone})
      AND filter = ${JSON.stringify(statedFilter(filter))}::jsonb
      AND finished_at IS NOT NULL AND is_final AND (unknown_openings = 0 OR unknown_openings = (
        SELECT count(*) FROM balance b JOIN wallet w ON w.id = b.wallet_id JOIN asset a ON a.id = b.asset_id
        WHERE b.opening IS NULL AND a.configured AND w.business_id = ${businessId}::uuid
          AND (${chainName}::text IS NULL OR w.chain_name = ${chainName})
          AND w.created_at < ${to} AND w.removed_at >= ${from} ${Prisma.join(conditionsOf(filter), " ")}))
    ORDER BY id DESC LIMIT 1`;
  return row === undefined ? null : toMade(row);
}

/** The statements that were made for a business or by it, newest first. */
export async function readStatements(
  db: Database,
  businessId: string,
  { limit, afterId }: PageRequest,
): Promise<Page<MadeStatement>> {
  const after = afterId === null ? Prisma.empty : Prisma.sql`AND id < ${afterId}::uuid`;
  const rows = await statementsOf(db).$queryRaw<MadeRow[]>`
    SELECT ${madeColumns} FROM account_statement
    WHERE business_id = ${businessId}::uuid AND finished_at IS NOT NULL ${after}
    ORDER BY id DESC LIMIT ${limit + 1}`;
  return toPage(rows.map(toMade), limit);
}

/** Reads one statement. @throws Fault `statement_not_found` */
export function findStatement(db: Database, name: StatementName): Promise<MadeStatement> {
  return requireStatement(statementsOf(db), name);
}

/** See findStatement. */
export async function requireStatement(
  on: Pick<Statements, "$queryRaw">,
  { id, businessId }: StatementName,
): Promise<MadeStatement> {
  const [row] = await on.$queryRaw<MadeRow[]>`
    SELECT ${madeColumns} FROM account_statement
    WHERE id = ${id}::uuid AND finished_at IS NOT NULL
      AND (${businessId}::uuid IS NULL OR business_id = ${businessId}::uuid)`;
  return toMade(requireFound(row, "statement_not_found"));
}

/**
 * The lines of a statement as they were signed, chunk by chunk, whole lines in each. Nothing is
 * locked between chunks. If the lines differ from the signed digest, it throws before the last
 * chunk.
 * @throws Fault `statement_not_found` if it is removed in the meantime; `invariant_broken`
 */
export async function* readStatementTexts(
  db: Database,
  { id, digest }: Pick<MadeStatement, "id" | "digest">,
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let before: Buffer | null = null;
  for await (const chunk of oneAhead(readChunks(db, id))) {
    if (before !== null) {
      if (isTurnOver()) await nextTurn();
      hash.update(before);
      yield before.toString();
    }
    before = chunk;
  }
  if (before === null) throw notFound("statement_not_found");
  hash.update(before.subarray(0, before.lastIndexOf("\n", before.length - 2) + 1));
  if (hash.digest("hex") !== digest) throw notAsSigned(id);
  yield before.toString();
}

async function* readChunks(db: Database, id: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const [row] = await statementsOf(db).$queryRaw<{ body: Uint8Array }[]>`
      SELECT body FROM account_statement_chunk WHERE statement_id = ${id}::uuid AND number = ${number}`;
    if (row === undefined) return;
    const text = await decompress(row.body, { chunkSize: roomOfChunk }).catch(() => null);
    if (text === null) throw notAsSigned(id);
    yield text;
  }
}

function notAsSigned(id: string): Fault {
  return new Fault("invariant_broken", `The lines of statement ${id} are not what was signed.`);
}
