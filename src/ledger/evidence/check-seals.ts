import type { LedgerFinding, SealHead } from "../../domain/evidence/ledger-check.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** One statement reads this many seals, which are at most some hundred thousand entries. */
const sealsAtOnce = 1_000n;

const noHash = "0".repeat(64);

type Checked = { head: SealHead | null; findings: LedgerFinding[] };

/**
 * Checks the seals of a chain's journal from the first to the last. Each must follow from the one
 * before, and match its entries. Names the first seal that does not, and the first entry that
 * differs from its seal.
 */
export async function checkSeals(db: Database, chainName: string): Promise<Checked> {
  let head: SealHead | null = null;
  for (;;) {
    const from: bigint = (head?.number ?? 0n) + 1n;
    const last = await readSeal(db, chainName, from + sealsAtOnce - 1n);
    if (last === null || last.number < from) return { head, findings: [] };
    const findings = [
      ...(await findSeal(db, { chainName, from, to: last.number, before: head?.hash ?? noHash })),
      ...(await findEntry(db, { chainName, from, to: last.number })),
    ];
    if (findings.length > 0) return { head: await readSeal(db, chainName, null), findings };
    head = last;
  }
}

/** Finds entries that were never sealed. The number of findings is limited. */
export async function findUnsealed(db: Database): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<{ entryId: bigint }[]>`
    WITH sealed AS (SELECT unnest(entry_ids) AS id FROM ledger_seal)
    SELECT e.id AS "entryId" FROM ledger_entry e
    WHERE NOT EXISTS (SELECT 1 FROM sealed s WHERE s.id = e.id) ORDER BY e.id LIMIT 100`;
  return rows.map(({ entryId }) => ({ kind: "entry_unsealed", entryId }));
}

/** The highest seal up to a number; null: of all seals. */
async function readSeal(
  db: Database,
  chainName: string,
  upTo: bigint | null,
): Promise<SealHead | null> {
  const rows = await statementsOf(db).$queryRaw<SealHead[]>`
    SELECT chain_name AS "chainName", number, hash FROM ledger_seal
    WHERE chain_name = ${chainName} AND (${upTo}::bigint IS NULL OR number <= ${upTo})
    ORDER BY number DESC LIMIT 1`;
  return rows[0] ?? null;
}

/** The published heads that are no seals of this journal. */
export async function findLostHeads(
  db: Database,
  heads: readonly SealHead[],
): Promise<LedgerFinding[]> {
  const found: LedgerFinding[] = [];
  for (const { chainName, number, hash } of heads) {
    const seal = await readSeal(db, chainName, number);
    if (seal?.number !== number || seal.hash !== hash)
      found.push({ kind: "head", chainName, number });
  }
  return found;
}

type Stretch = { chainName: string; from: bigint; to: bigint };

/**
 * `before` is the hash of the last seal of the earlier batch, as it was read then. So a change
 * between two batches is noticed.
 */
async function findSeal(
  db: Database,
  { chainName, from, to, before }: Stretch & { before: string },
): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<{ number: bigint }[]>`
    SELECT COALESCE(s.number, n.number) AS number
    FROM (
      SELECT number, previous_hash, hash, digests, facts, cardinality(entry_ids) AS entries,
        lag(hash, 1, ${before}) OVER (ORDER BY number) AS before
      FROM ledger_seal WHERE chain_name = ${chainName} AND number BETWEEN ${from} AND ${to}
    ) s FULL JOIN generate_series(${from}::bigint, ${to}::bigint) AS n(number) ON n.number = s.number
    WHERE s.number IS NULL OR s.previous_hash <> s.before OR octet_length(s.digests) <> 32 * s.entries
      OR octet_length(s.facts) <> 32 * s.entries
      OR s.hash <> ledger_seal_hash(${chainName}, s.number, s.previous_hash, s.digests || COALESCE(s.facts, ''))
    ORDER BY 1 LIMIT 1`;
  return rows.map(({ number }) => ({ kind: "seal", chainName, number }));
}

async function findEntry(db: Database, { chainName, from, to }: Stretch): Promise<LedgerFinding[]> {
  const rows = await statementsOf(db).$queryRaw<
    { number: bigint; entryId: bigint; isThere: boolean }[]
  >`
    WITH sealed AS (
      SELECT s.number, u.id, u.place, substr(s.digests, ((u.place - 1) * 32 + 1)::int, 32) AS digest
      FROM ledger_seal s CROSS JOIN LATERAL unnest(s.entry_ids) WITH ORDINALITY AS u(id, place)
      WHERE s.chain_name = ${chainName} AND s.number BETWEEN ${from} AND ${to}
    )
    SELECT s.number, s.id AS "entryId", e.id IS NOT NULL AS "isThere"
    FROM sealed s LEFT JOIN ledger_entry e ON e.id = s.id LEFT JOIN transaction t ON t.id = e.transaction_id
    WHERE e.id IS NULL OR s.digest IS DISTINCT FROM ledger_entry_digest(e.id, e.wallet_id, e.asset_id,
      e.transaction_id, e.kind, e.amount, e.block_number, e.created_at, ledger_account_of(e.kind, t.type))
    ORDER BY s.number, s.place LIMIT 1`;
  return rows.map(({ number, entryId, isThere }) => ({
    kind: isThere ? "entry_changed" : "entry_missing",
    chainName,
    number,
    entryId,
  }));
}
