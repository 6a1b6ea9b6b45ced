import type {
  ChainBounds,
  JournalBound,
  StatementFilter,
} from "../../domain/evidence/account-statement.ts";
import type { StatementPeriod } from "../../domain/evidence/statement-period.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { walletConditionsOf } from "./statement-filter.ts";

type Chain = { name: string; evmChainId: bigint };

/** The names, in order, of the chains on which a business has or had wallets. */
export async function readChainsOf(db: Database, businessId: string): Promise<string[]> {
  return (await readChains(db, businessId, {})).map(({ name }) => name);
}

/** Those with such wallets, and with the asset, that the filter names. */
function readChains(db: Database, businessId: string, filter: StatementFilter): Promise<Chain[]> {
  const { chainName = null, assetCode = null } = filter;
  return readRows<Chain>(
    db,
    Prisma.sql`
      SELECT c.name, c.evm_chain_id AS "evmChainId" FROM chain c
      WHERE (${chainName}::text IS NULL OR c.name = ${chainName})
        AND (${assetCode}::text IS NULL
          OR EXISTS (SELECT 1 FROM asset a WHERE a.chain_name = c.name AND a.code = ${assetCode}))
        AND EXISTS (
          SELECT 1 FROM wallet w WHERE w.chain_name = c.name AND w.business_id = ${businessId}::uuid
            ${Prisma.join(walletConditionsOf(filter), " ")})
      ORDER BY c.name`,
  );
}

/**
 * The two ends of a period on each chain where a business has wallets and assets of the filter.
 * Chains are in the order of their names. Of a period that is over they never change. A chain that
 * has not confirmed the end is left out where the business had left it before the period.
 */
export async function readChainBounds(
  db: Database,
  asked: { businessId: string; filter: StatementFilter; period: StatementPeriod },
): Promise<ChainBounds[]> {
  const { businessId, filter, period } = asked;
  const chains = await readChains(db, businessId, filter);
  const bounds: ChainBounds[] = [];
  for (const { name, evmChainId } of chains) {
    const opening = await readBound(db, name, period.from);
    const closing = await readBound(db, name, period.to);
    if (!closing.isOver && (await hasLeft(db, { businessId, chainName: name, period }))) continue;
    bounds.push({ chainName: name, evmChainId, opening, closing: notBefore(closing, opening) });
  }
  return bounds;
}

/**
 * True if all wallets of a business on a chain had ended with nothing before a period. Nothing may
 * have been entered since. A chain that is configured no more confirms nothing, and nobody waits
 * for it.
 */
async function hasLeft(
  db: Database,
  {
    businessId,
    chainName,
    period,
  }: { businessId: string; chainName: string; period: StatementPeriod },
): Promise<boolean> {
  const rows = await readRows<{ hasLeft: boolean }>(
    db,
    Prisma.sql`
      SELECT NOT EXISTS (
        SELECT 1 FROM wallet w
        WHERE w.business_id = ${businessId}::uuid AND w.chain_name = ${chainName} AND (
          w.removed_at IS NULL OR w.removed_at >= ${period.from}
          OR EXISTS (SELECT 1 FROM balance b WHERE b.wallet_id = w.id AND (b.confirmed <> 0 OR b.pending <> 0))
          OR EXISTS (SELECT 1 FROM ledger_entry e WHERE e.wallet_id = w.id AND e.created_at >= ${period.from}))
      ) AS "hasLeft"`,
  );
  return rows[0]?.hasLeft ?? false;
}

/**
 * The chains that have not confirmed a moment, of these or, with null, of all that the ledger
 * knows.
 */
export async function readNotOver(
  db: Database,
  { chainNames, moment }: { chainNames: readonly string[] | null; moment: Date },
): Promise<string[]> {
  const all = chainNames ?? (await readChainNames(db));
  const notOver: string[] = [];
  for (const name of all) if (!(await readBound(db, name, moment)).isOver) notOver.push(name);
  return notOver;
}

async function readChainNames(db: Database): Promise<string[]> {
  const rows = await readRows<{ name: string }>(db, Prisma.sql`SELECT name FROM chain ORDER BY 1`);
  return rows.map(({ name }) => name);
}

/**
 * Moves the closing up to the opening if it is lower. So the end of a period includes all of its
 * beginning.
 */
function notBefore(closing: JournalBound, opening: JournalBound): JournalBound {
  const isBefore = (closing.number ?? -1n) < (opening.number ?? -1n);
  const number = isBefore ? opening.number : closing.number;
  const { seal, sealHash, lastEntryId } = closing.seal < opening.seal ? opening : closing;
  return { ...closing, number, seal, sealHash, lastEntryId };
}

/**
 * The bound of a moment is its cutoff. If several branches had a cutoff, it is the first (decision
 * 110). After a deep reorg a later cutoff may have a lower height. Entries up to the height of an
 * earlier cutoff then lie before it too.
 *
 * Without a cutoff there are two cases. If no later block is confirmed, the bound is the confirmed
 * height. A moment may be older than the first cutoff. The bound is then the last block with a
 * transaction before it, with the seal of that first cutoff.
 *
 * Entry ids of a chain rise with its seals. A seal that only seals entries again has no entry of
 * its own. The last id is then that of the seal before.
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
        COALESCE(own.entry_ids[cardinality(own.entry_ids)], 0) AS "lastEntryId"
      FROM chosen CROSS JOIN reached
        LEFT JOIN ledger_seal s ON s.chain_name = ${chainName} AND s.number = chosen.seal
        LEFT JOIN LATERAL (
          SELECT o.entry_ids FROM ledger_seal o
          WHERE o.chain_name = ${chainName} AND o.number <= chosen.seal AND o.again IS NOT TRUE
          ORDER BY o.number DESC LIMIT 1
        ) own ON true`,
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
