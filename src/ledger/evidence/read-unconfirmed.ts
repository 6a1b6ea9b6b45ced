import type {
  ChainBounds,
  StatementAsked,
  UnconfirmedTransaction,
} from "../../domain/evidence/account-statement.ts";
import { nilId } from "../../domain/id.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { transactionTypes } from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { conditionsOf } from "./statement-filter.ts";

/** One statement reads at most this many transactions. */
const atOnce = 200;

/**
 * Reads the transactions in blocks of a period that its closing does not include, in the order of
 * their ids. These are pending ones. If the period is not over, they are also those confirmed since
 * the closing was read. No PostgreSQL transaction is held between two pages.
 */
export async function* readUnconfirmed(
  db: Database,
  asked: StatementAsked & { bounds: readonly ChainBounds[] },
): AsyncGenerator<UnconfirmedTransaction[]> {
  for (let after = nilId; ; ) {
    const rows: Row[] = await readRows<Row>(db, pageSql(asked, after));
    if (rows.length > 0) yield rows.map(toUnconfirmed);
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) return;
    after = last.id;
  }
}

type Row = Omit<UnconfirmedTransaction, "amountAtomic"> & { amount: string };

function toUnconfirmed({ amount, ...row }: Row): UnconfirmedTransaction {
  return { ...row, amountAtomic: BigInt(amount) };
}

/**
 * LATERAL reads each type by the index that has type and status before the id. The entries since
 * the closing are found by the seals after its own.
 */
function pageSql(
  { businessId, period, filter, bounds }: StatementAsked & { bounds: readonly ChainBounds[] },
  after: string,
): Prisma.Sql {
  const open = bounds.filter(({ closing }) => !closing.isOver);
  const isAsked = Prisma.sql`t.business_id = ${businessId}::uuid AND NOT t.is_history
    AND t.block_time < ${period.to} AND t.id > ${after}::uuid
    AND t.chain_name = ANY(${arrayLiteral(bounds.map(({ chainName }) => chainName))}::text[])
    ${Prisma.join(conditionsOf(filter), " ")}`;
  const joined = Prisma.sql`JOIN wallet w ON w.id = t.wallet_id JOIN asset a ON a.id = t.asset_id`;
  return Prisma.sql`
    SELECT t.id, t.wallet_id AS "walletId", w.address, w.label, w.reference, t.chain_name AS "chainName",
      a.code AS "assetCode", a.decimals AS "assetDecimals", t.type, t.status, t.unproven AS "isHeld",
      (CASE t.direction WHEN 'in' THEN t.amount ELSE -t.amount END)::text AS amount, t.tx_hash AS "txHash",
      t.from_address AS "fromAddress", t.to_address AS "toAddress", t.block_number AS "blockNumber",
      t.block_hash AS "blockHash", t.block_time AS "blockTime", t.memo
    FROM (
      SELECT p.id FROM unnest(${keysOf(transactionTypes)}::text[]) ty(type) CROSS JOIN LATERAL (
        SELECT t.id FROM transaction t ${joined}
        WHERE t.type = ty.type AND t.status = 'pending' AND ${isAsked} ORDER BY t.id NULLS FIRST LIMIT ${atOnce}
      ) p
      UNION
      SELECT t.id
      FROM unnest(
          ${arrayLiteral(open.map(({ chainName }) => chainName))}::text[],
          ${arrayLiteral(open.map(({ closing }) => closing.seal))}::bigint[]
        ) AS k(chain_name, seal)
        JOIN ledger_seal s ON s.chain_name = k.chain_name AND s.number > k.seal AND s.again IS NOT TRUE
        CROSS JOIN LATERAL unnest(s.entry_ids) AS u(id)
        JOIN ledger_entry e ON e.id = u.id AND e.kind = 'confirmation'
        JOIN transaction t ON t.id = e.transaction_id ${joined}
      WHERE t.status = 'completed' AND ${isAsked}
    ) u JOIN transaction t ON t.id = u.id ${joined}
    ORDER BY t.id LIMIT ${atOnce}`;
}
