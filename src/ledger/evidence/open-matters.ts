import {
  differs,
  matterOf,
  notOver,
  type OpenMatter,
  type OpenMattersAsked,
} from "../../domain/evidence/open-matter.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { isKnown } from "../balances/open-balances.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { everyTypeWords } from "../transactions/transaction-words.ts";
import { readChainBounds, readNotOver } from "./journal-bounds.ts";

/** One answer names at most this many transactions, openings, and differences each. */
const namedAtMost = 1_000;

/**
 * Reads what keeps a business's period open, as far as the ledger knows:
 * - chains that have not confirmed the end of the period;
 * - money on chains that are not configured;
 * - pending transactions of before its end;
 * - unread openings.
 *
 * It names at most 1,000 transactions and 1,000 openings.
 */
export async function readOpenMatters(
  db: Database,
  asked: OpenMattersAsked,
): Promise<OpenMatter[]> {
  const { businessId, period } = asked;
  const bounds = await readChainBounds(db, { businessId, period, filter: {} });
  const isConfigured = (chainName: string) => asked.chainNames.includes(chainName);
  const waitedFor =
    bounds.length > 0
      ? bounds.filter(({ closing }) => !closing.isOver).map(({ chainName }) => chainName)
      : // A wallet that is added may begin in a block of the period.
        await readNotOver(db, { chainNames: asked.chainNames, moment: period.to });
  const open = waitedFor.filter(isConfigured).map(notOver);
  const absent = bounds.map(({ chainName }) => chainName).filter((name) => !isConfigured(name));
  if (absent.length > 0) open.push(...(await readAbsentMoney(db, asked, absent)));
  open.push(...(await readWaiting(db, asked)), ...(await readUnreadOpenings(db, asked)));
  return open;
}

/**
 * As readOpenMatters, and first at most 1,000 balances that differed at their last comparison. It
 * asks no chain. `close` makes a new comparison, which may find more differences.
 */
export async function readKnownMatters(
  db: Database,
  asked: OpenMattersAsked,
): Promise<OpenMatter[]> {
  return [...(await readDifferences(db, asked)), ...(await readOpenMatters(db, asked))];
}

type DifferenceRow = {
  chainName: string;
  walletId: string;
  assetCode: string;
  decimals: number;
  atNumber: bigint;
  ledgerAmount: string;
  chainAmount: string;
};

async function readDifferences(
  db: Database,
  { businessId, chainNames }: OpenMattersAsked,
): Promise<OpenMatter[]> {
  const rows = await readRows<DifferenceRow>(
    db,
    Prisma.sql`
      SELECT d.chain_name AS "chainName", d.wallet_id AS "walletId", a.code AS "assetCode", a.decimals,
        d.at_number AS "atNumber", d.ledger_amount::text AS "ledgerAmount", d.chain_amount::text AS "chainAmount"
      FROM discrepancy d JOIN wallet w ON w.id = d.wallet_id JOIN asset a ON a.id = d.asset_id
      WHERE w.business_id = ${businessId}::uuid AND d.chain_name = ANY(${chainNames}::text[])
      ORDER BY d.wallet_id, a.id LIMIT ${namedAtMost}`,
  );
  return rows.map((row) =>
    differs({
      chainName: row.chainName,
      walletId: row.walletId,
      assetCode: row.assetCode,
      blockNumber: Number(row.atNumber),
      ledger: toDecimal(BigInt(row.ledgerAmount), row.decimals),
      chain: toDecimal(BigInt(row.chainAmount), row.decimals),
    }),
  );
}

/**
 * Names chains that are not configured, if the business has money there or had some in the period.
 * Nothing confirms the end of a period on such a chain, so nobody waits for it.
 */
async function readAbsentMoney(
  db: Database,
  { businessId, period }: OpenMattersAsked,
  chainNames: readonly string[],
): Promise<OpenMatter[]> {
  const rows = await readRows<{ chainName: string }>(
    db,
    Prisma.sql`
      SELECT DISTINCT w.chain_name AS "chainName" FROM wallet w
      WHERE w.business_id = ${businessId}::uuid AND w.chain_name = ANY(${chainNames}::text[])
        AND (
          EXISTS (SELECT 1 FROM transaction t WHERE t.wallet_id = w.id AND t.block_time >= ${period.from})
          OR (w.removed_at IS NULL OR w.removed_at >= ${period.to}) AND EXISTS (
            SELECT 1 FROM balance b WHERE b.wallet_id = w.id AND (b.confirmed <> 0 OR b.pending <> 0))
        )
      ORDER BY 1`,
  );
  return rows.map(({ chainName }) =>
    matterOf(
      "chain_not_configured",
      `${chainName} is not configured, and the business has money on it, or had some in the period`,
      { chainName },
    ),
  );
}

type WaitingRow = {
  id: string;
  chainName: string;
  walletId: string;
  assetCode: string;
  txHash: string;
  isHeld: boolean;
};

/** Transactions that wait for their proof come first, so that a full answer still shows them. */
async function readWaiting(
  db: Database,
  { businessId, period }: OpenMattersAsked,
): Promise<OpenMatter[]> {
  const rows = await readRows<WaitingRow>(
    db,
    Prisma.sql`
      SELECT t.id, t.chain_name AS "chainName", t.wallet_id AS "walletId", a.code AS "assetCode",
        t.tx_hash AS "txHash", t.unproven AS "isHeld"
      FROM transaction t JOIN asset a ON a.id = t.asset_id
      WHERE t.business_id = ${businessId}::uuid AND t.type IN (${everyTypeWords}) AND t.status = 'pending'
        AND t.block_time < ${period.to}
      ORDER BY t.unproven DESC, t.id LIMIT ${namedAtMost}`,
  );
  return rows.map(({ id, isHeld, txHash, ...of }) =>
    matterOf(
      isHeld ? "held" : "unconfirmed",
      `transaction ${id} (${txHash}) ${isHeld ? "waits for its proof" : "is not confirmed"}`,
      { ...of, transactionId: id },
    ),
  );
}

type OpeningRow = { chainName: string; walletId: string; assetCode: string };

/**
 * Leaves out wallets added after the period, and assets that are not configured any more: nobody
 * reads their openings. Balances without an opening are few and have an index. Only an asset whose
 * balances are being made can lack a balance.
 */
async function readUnreadOpenings(
  db: Database,
  { businessId, period }: OpenMattersAsked,
): Promise<OpenMatter[]> {
  const isAsked = Prisma.sql`
    w.business_id = ${businessId}::uuid AND w.removed_at IS NULL AND w.created_at < ${period.to} AND a.configured`;
  const rows = await readRows<OpeningRow>(
    db,
    Prisma.sql`
      SELECT x."chainName", x."walletId", x."assetCode" FROM (
        SELECT w.chain_name AS "chainName", w.id AS "walletId", a.code AS "assetCode", a.id AS "assetId"
        FROM balance b JOIN wallet w ON w.id = b.wallet_id JOIN asset a ON a.id = b.asset_id
        WHERE b.opening IS NULL AND ${isAsked}
        UNION
        SELECT w.chain_name, w.id, a.code, a.id
        FROM asset a JOIN wallet w ON w.chain_name = a.chain_name AND w.address > a.opening_after
          LEFT JOIN balance b ON b.wallet_id = w.id AND b.asset_id = a.id
        WHERE a.opening_after IS NOT NULL AND (b.wallet_id IS NULL OR NOT ${isKnown}) AND ${isAsked}
      ) x ORDER BY x."walletId", x."assetId" LIMIT ${namedAtMost}`,
  );
  return rows.map((of) =>
    matterOf(
      "opening_not_read",
      `the first balance of wallet ${of.walletId} in ${of.assetCode} was not read yet`,
      of,
    ),
  );
}
