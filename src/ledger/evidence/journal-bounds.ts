import type { ChainBounds, JournalBound } from "../../domain/evidence/account-statement.ts";
import type { StatementPeriod } from "../../domain/evidence/statement-period.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";

type Chain = { name: string; evmChainId: bigint };

/** The names of the chains on which a business has wallets, or had, in their order. */
export async function readChainsOf(db: Database, businessId: string): Promise<string[]> {
  return (await readChains(db, businessId, null)).map(({ name }) => name);
}

function readChains(db: Database, businessId: string, chainName: string | null): Promise<Chain[]> {
  return readRows<Chain>(
    db,
    Prisma.sql`
      SELECT c.name, c.evm_chain_id AS "evmChainId" FROM chain c
      WHERE (${chainName}::text IS NULL OR c.name = ${chainName})
        AND EXISTS (SELECT 1 FROM wallet w WHERE w.chain_name = c.name AND w.business_id = ${businessId}::uuid)
      ORDER BY c.name`,
  );
}

/**
 * The two ends of a period on each chain that a business has wallets of, in the order of their
 * names. Of a period that is over they never change. `chainName` null: of every such chain.
 */
export async function readChainBounds(
  db: Database,
  asked: { businessId: string; chainName: string | null; period: StatementPeriod },
): Promise<ChainBounds[]> {
  const { businessId, chainName, period } = asked;
  const chains = await readChains(db, businessId, chainName);
  const bounds: ChainBounds[] = [];
  for (const { name, evmChainId } of chains) {
    const opening = await readBound(db, name, period.from);
    const closing = await readBound(db, name, period.to);
    bounds.push({ chainName: name, evmChainId, opening, closing: notBefore(closing, opening) });
  }
  return bounds;
}

/** The end of a period holds whatever its beginning holds. */
function notBefore(closing: JournalBound, opening: JournalBound): JournalBound {
  const isBefore = (closing.number ?? -1n) < (opening.number ?? -1n);
  const number = isBefore ? opening.number : closing.number;
  const { seal, sealHash, lastEntryId } = closing.seal < opening.seal ? opening : closing;
  return { ...closing, number, seal, sealHash, lastEntryId };
}

/**
 * The cutoff of a moment; where several branches had one, the first (decision 110). Entries of a
 * height that an earlier cutoff had reached lie before it too: after a deep reorg its own is lower.
 *
 * Without a cutoff, a moment that no confirmed block has reached ends at the confirmed height. A
 * moment of before cutoffs were kept ends at the last block of a transaction, with the journal as
 * it was at the first cutoff after it.
 */
async function readBound(db: Database, chainName: string, moment: Date): Promise<JournalBound> {
  const [row] = await readRows<JournalBound>(
    db,
    Prisma.sql`
      WITH exact AS (
        SELECT number, hash, time, seal FROM cutoff
        WHERE chain_name = ${chainName} AND time < ${moment} AND next_time >= ${moment}
        ORDER BY seal, number LIMIT 1
      ), later AS (
        SELECT number, seal FROM cutoff WHERE chain_name = ${chainName} AND next_time >= ${moment}
        ORDER BY seal, number LIMIT 1
      ), confirmed AS (
        SELECT c.confirmed_number AS number, b.hash, b.time FROM chain c
          LEFT JOIN block b ON b.chain_name = c.name AND b.number = c.confirmed_number
        WHERE c.name = ${chainName}
      ), last AS (
        SELECT COALESCE(max(number), 0) AS seal FROM ledger_seal WHERE chain_name = ${chainName}
      ), chosen AS (
        SELECT number, hash, time, seal, true AS is_over FROM exact
        UNION ALL
        SELECT c.number, c.hash, c.time, last.seal, false FROM confirmed c, last
        WHERE NOT EXISTS (SELECT 1 FROM later) AND (c.time IS NULL OR c.time < ${moment})
        UNION ALL
        SELECT (
          SELECT t.block_number FROM transaction t
          WHERE t.chain_name = ${chainName} AND t.block_time < ${moment}
            AND t.block_number <= COALESCE(later.number, c.number)
          ORDER BY t.block_number DESC LIMIT 1
        ), NULL, NULL, COALESCE(later.seal, last.seal), true
        FROM confirmed c CROSS JOIN last LEFT JOIN later ON true
        WHERE NOT EXISTS (SELECT 1 FROM exact)
          AND (EXISTS (SELECT 1 FROM later) OR c.time >= ${moment})
      ), reached AS (
        SELECT max(k.number) AS number FROM cutoff k, chosen
        WHERE k.chain_name = ${chainName} AND k.time < ${moment} AND k.seal <= chosen.seal
      )
      SELECT GREATEST(chosen.number, reached.number) AS number,
        CASE WHEN chosen.number >= COALESCE(reached.number, 0) THEN chosen.hash END AS hash,
        chosen.time AS "blockTime", chosen.seal, chosen.is_over AS "isOver", s.hash AS "sealHash",
        COALESCE(s.entry_ids[cardinality(s.entry_ids)], 0) AS "lastEntryId"
      FROM chosen CROSS JOIN reached
        LEFT JOIN ledger_seal s ON s.chain_name = ${chainName} AND s.number = chosen.seal`,
  );
  return row ?? nothing;
}

const nothing: JournalBound = {
  number: null,
  hash: null,
  blockTime: null,
  seal: 0n,
  sealHash: null,
  lastEntryId: 0n,
  isOver: false,
};
