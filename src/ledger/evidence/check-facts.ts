import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { mostNamed } from "./find-among.ts";

/**
 * Finds completed transactions of a chain, and openings, whose facts differ from those sealed with
 * their last entry. The facts are memo, virtual address, proof, times, amount and parties. Entries
 * that a release before 0.3.0 sealed have no such facts.
 */
export async function findChangedFacts(db: Database, chainName: string): Promise<LedgerFinding[]> {
  const transactions = await statementsOf(db).$queryRaw<{ transactionId: string }[]>`
    WITH ${sealedOf(chainName)}, last AS (
      SELECT DISTINCT ON (e.transaction_id) e.transaction_id, e.kind, s.facts
      FROM sealed s JOIN ledger_entry e ON e.id = s.id
      WHERE e.transaction_id IS NOT NULL ORDER BY e.transaction_id, e.id DESC
    )
    SELECT t.id AS "transactionId" FROM last JOIN transaction t ON t.id = last.transaction_id
    WHERE last.kind = 'confirmation' AND t.status = 'completed' AND last.facts <> transaction_facts(t)
    ORDER BY t.id LIMIT ${mostNamed}`;
  const openings = await statementsOf(db).$queryRaw<{ walletId: string; assetId: number }[]>`
    WITH ${sealedOf(chainName)}, last AS (
      SELECT DISTINCT ON (e.wallet_id, e.asset_id) e.wallet_id, e.asset_id, e.kind, s.facts
      FROM sealed s JOIN ledger_entry e ON e.id = s.id
      WHERE e.transaction_id IS NULL ORDER BY e.wallet_id, e.asset_id, e.id DESC
    )
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId"
    FROM last JOIN balance b ON b.wallet_id = last.wallet_id AND b.asset_id = last.asset_id
    WHERE last.kind <> 'opening_undone' AND b.opening IS NOT NULL AND last.facts <> opening_facts(b)
    ORDER BY 1, 2 LIMIT ${mostNamed}`;
  return [
    ...transactions.map((one): LedgerFinding => ({ kind: "transaction_changed", ...one })),
    ...openings.map((one): LedgerFinding => ({ kind: "opening_changed", ...one })),
  ];
}

/** The facts of each entry's latest seal. */
function sealedOf(chainName: string): Prisma.Sql {
  return Prisma.sql`sealed AS (
      SELECT DISTINCT ON (u.id) u.id, substr(s.facts, ((u.place - 1) * 32 + 1)::int, 32) AS facts
      FROM ledger_seal s CROSS JOIN LATERAL unnest(s.entry_ids) WITH ORDINALITY AS u(id, place)
      WHERE s.chain_name = ${chainName} AND s.facts IS NOT NULL ORDER BY u.id, s.number DESC
    )`;
}
