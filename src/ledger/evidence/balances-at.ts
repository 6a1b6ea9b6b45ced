import type { AsOf, WalletBalancesAt } from "../../domain/evidence/balances-at.ts";
import { Fault } from "../../domain/fault.ts";
import { leastIdAt } from "../../domain/id.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { transactionTypes } from "../../domain/money/transaction.ts";
import { chainNotFound, requireFound } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import { confirmedAbove } from "../balances/confirmed-above.ts";
import { isKnown } from "../balances/open-balances.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot, type Tx } from "../postgres/transaction.ts";
import { isMoved } from "../transactions/transaction-branches.ts";

type WalletAt = { businessId: string; walletId: string; at: AsOf };

type Chain = { name: string; confirmedNumber: bigint };

/**
 * Reads the balances of a business's wallet at a confirmed block: the opening and the movements up
 * to that block. Below the height at which watching began, balances follow from the wallet's
 * history, if the history explains the opening. One snapshot.
 * @throws Fault `wallet_not_found`; `state_unavailable` before the chain has a confirmed block.
 *   `invalid_request` if the block is not confirmed yet, or no block of that time is known
 */
export async function readWalletBalancesAt(
  db: Database,
  { businessId, walletId, at }: WalletAt,
): Promise<WalletBalancesAt> {
  return inSnapshot(db, async (tx) => {
    const where = { id: walletId, businessId, removedAt: null };
    const wallet = requireFound(await tx.wallet.findFirst({ where }), "wallet_not_found");
    const chain = await readConfirmed(tx, wallet.chainName);
    const number = await resolveAt(tx, chain, { at, businessId, walletId });
    const block = await tx.block.findUnique({
      where: { chainName_number: { chainName: chain.name, number } },
    });
    const rows = await tx.$queryRaw<BalanceRow[]>`
      ${balancesAtSql(number, comparedSql)} WHERE w.id = ${walletId}::uuid AND a.configured
      ORDER BY a.address <> 'native', a.id`;
    const balances = rows.map(toBalance);
    return { walletId, chainName: chain.name, number, hash: block?.hash ?? null, balances };
  });
}

type Compared = WalletBalancesAt["balances"][number];

type BalanceRow = Omit<Compared, "amountAtomic"> & { amount: string | null };

function toBalance({ amount, ...row }: BalanceRow): Compared {
  return { ...row, amountAtomic: amount === null ? null : BigInt(amount) };
}

/**
 * The block up to which a balance was found to agree with the chain. A comparison covers openings
 * that were recorded before it began, which is known by their lower confirmed height. An open
 * difference limits it to the last block at which that balance agreed.
 */
const comparedSql = Prisma.sql`(
  SELECT CASE WHEN d.wallet_id IS NULL OR d.since_number > r.agreed_number THEN r.agreed_number ELSE d.since_number END
  FROM reconciliation r LEFT JOIN discrepancy d ON d.wallet_id = b.wallet_id AND d.asset_id = b.asset_id
  WHERE r.chain_name = w.chain_name AND b.opening IS NOT NULL
    AND COALESCE(b.opened_number, c.position_number) < r.agreed_number
) AS "comparedNumber",`;

/**
 * Selects balances at a confirmed block, for each wallet `w` and asset `a` of its chain. The SQL
 * after it limits the wallets. Null: the opening is not known. Below the height at which watching
 * began, a balance is the one at that height, less the history in between.
 */
export function balancesAtSql(number: bigint, more: Prisma.Sql = Prisma.empty): Prisma.Sql {
  return Prisma.sql`
    SELECT a.code AS "assetCode", a.decimals AS "assetDecimals", ${more} CASE
      WHEN b.opening IS NULL OR NOT ${isKnown} THEN NULL
      WHEN c.position_number <= ${number} OR (h.verdict = 'agrees' AND h.from_number <= ${number}::bigint + 1)
        THEN b.confirmed - ${confirmedAbove(number, Prisma.sql`c.position_number`)} - COALESCE((
          SELECT sum(CASE t.direction WHEN 'in' THEN t.amount ELSE -t.amount END) FROM transaction t
          WHERE t.chain_name = w.chain_name AND t.wallet_id = b.wallet_id AND t.asset_id = b.asset_id
            AND t.status = 'completed' AND t.block_number > ${number} AND t.block_number <= c.position_number), 0)
    END::text AS amount
    FROM wallet w JOIN asset a ON a.chain_name = w.chain_name
      LEFT JOIN balance b ON b.wallet_id = w.id AND b.asset_id = a.id
      LEFT JOIN watch_change c ON c.id = b.since_change_id LEFT JOIN history h ON h.wallet_id = w.id`;
}

/** @throws Fault `chain_not_found`, `state_unavailable` */
export async function readConfirmed(tx: Tx, chainName: string): Promise<Chain> {
  const chain = await tx.chain.findUnique({ where: { name: chainName } });
  if (chain === null) throw chainNotFound(chainName);
  const { name, confirmedNumber } = chain;
  if (confirmedNumber === null)
    throw new Fault("state_unavailable", `Chain '${name}' has no confirmed block yet. Try again.`);
  return { name, confirmedNumber };
}

async function resolveAt(
  tx: Tx,
  { name, confirmedNumber }: Chain,
  { at, ...of }: WalletAt,
): Promise<bigint> {
  if (at.kind === "confirmed") return confirmedNumber;
  const number =
    at.kind === "block"
      ? at.number
      : await readNewest(tx, { ...of, chainName: name, time: at.time });
  if (number === null)
    throw invalidField("at", "must be the number of a block: none of that time is known");
  if (number <= confirmedNumber) return number;
  throw invalidField(
    "at",
    at.kind === "block"
      ? `must be a confirmed block: ${number} is not, and the last is ${confirmedNumber}`
      : `must be a moment that is confirmed: its block ${number} is not, and the last is ${confirmedNumber}`,
  );
}

type Moment = Omit<WalletAt, "at"> & { chainName: string; time: Date };

async function readNewest(tx: Tx, moment: Moment): Promise<bigint | null> {
  const rows = await tx.$queryRaw<{ number: bigint | null }[]>`${newestAtSql(moment)}`;
  return rows[0]?.number ?? null;
}

/**
 * Selects the newest block at or before a moment whose time is stored. Those are the blocks of the
 * window and of the wallet's own transactions. The wallet had no transaction between that block and
 * the moment.
 *
 * An id begins with the time of the block. So the newest transaction of each type is the last of an
 * index, beside all others of its time. The few transactions that moved to a block of another time
 * have an index of their own.
 */
export function newestAtSql({ chainName, businessId, walletId, time }: Moment): Prisma.Sql {
  const counts = Prisma.sql`t.wallet_id = ${walletId}::uuid AND t.status = 'completed' AND NOT t.orphaned`;
  // By NOT, the planner would expect so few rows that it sorts all of a wallet.
  const hasStayed = Prisma.sql`CASE WHEN ${isMoved} THEN false ELSE true END`;
  const ofType = Prisma.sql`${counts} AND t.type = ty.type AND ${hasStayed}
    AND t.id < ${leastIdAt(new Date(time.getTime() + 1))}::uuid`;
  return Prisma.sql`
    SELECT max(number) AS number FROM (
      SELECT number FROM block WHERE chain_name = ${chainName} AND time <= ${time}
      UNION ALL
      SELECT same.number FROM unnest(${keysOf(transactionTypes)}::text[]) ty(type) CROSS JOIN LATERAL (
          SELECT (left(t.id::text, 13) || '-0000-0000-000000000000')::uuid AS least FROM transaction t
          WHERE ${ofType} ORDER BY t.id DESC NULLS LAST LIMIT 1
        ) newest CROSS JOIN LATERAL (
          SELECT max(t.block_number) AS number FROM transaction t WHERE ${ofType} AND t.id >= newest.least
        ) same
      UNION ALL
      SELECT t.block_number FROM (
        SELECT * FROM transaction t WHERE t.business_id = ${businessId}::uuid AND ${isMoved} OFFSET 0
      ) t WHERE ${counts} AND t.block_time <= ${time}
    ) known`;
}
