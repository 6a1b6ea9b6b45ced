import type {
  TransactionDetail,
  TransactionNotification,
} from "../../domain/delivery/transaction-detail.ts";
import type { MovementProof } from "../../domain/money/movement.ts";
import type {
  ListedTransaction,
  RecordedTransaction,
} from "../../domain/money/recorded-transaction.ts";
import type { Direction } from "../../domain/money/transaction.ts";
import { requireFound } from "../../domain/not-found.ts";
import { joinDeliveryState } from "../deliveries/delivery-state.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot, type Tx } from "../postgres/transaction.ts";
import { type ListedRow, listedColumns, toListed } from "./read-transactions.ts";
import { onChainStatuses } from "./transaction-words.ts";

type TransactionRow = ListedRow &
  Omit<RecordedTransaction, keyof ListedTransaction | "direction" | "proof"> &
  Pick<TransactionDetail, "businessId" | "seenAt" | "completedAt"> & {
    direction: string;
    proof: string | null;
  };

/** The columns that only a single transaction shows, beside those of lists. */
const ownColumns = Prisma.sql`
  t.business_id AS "businessId", t.direction, t.block_hash AS "blockHash", t.since_number AS "sinceNumber", t.confirmed_alone AS "isConfirmedAlone", t.log_index AS "logIndex",
  t.trace_path AS "tracePath", t.proof, trim_scale(t.usd_value)::text AS "usdValue",
  t.created_at AS "seenAt", t.completed_at AS "completedAt",
  (SELECT w.reference FROM wallet w WHERE w.id = t.wallet_id) AS reference`;

/**
 * One transaction with everything known of it. Another business's is not found; `businessId` null:
 * of any business.
 * @throws Fault `transaction_not_found`
 */
export async function readTransaction(
  db: Database,
  asked: { businessId: string | null; transactionId: string },
): Promise<TransactionDetail> {
  const { businessId, transactionId } = asked;
  const isOurs =
    businessId === null ? Prisma.sql`true` : Prisma.sql`t.business_id = ${businessId}::uuid`;
  return inSnapshot(db, async (tx) => {
    const rows = await tx.$queryRaw<TransactionRow[]>`
      SELECT ${listedColumns}, ${ownColumns} FROM transaction t
      WHERE t.id = ${transactionId}::uuid AND ${isOurs}`;
    const transaction = toRecorded(requireFound(rows[0], "transaction_not_found"));
    return {
      ...transaction,
      fee: await readFee(tx, transaction),
      notifications: await readNotifications(tx, transactionId),
    };
  });
}

function toRecorded(row: TransactionRow): Omit<TransactionDetail, "fee" | "notifications"> {
  const { direction, proof, amount: _, ...rest } = row;
  return {
    ...rest,
    ...toListed(row),
    direction: direction as Direction,
    proof: proof as MovementProof | null,
  };
}

/**
 * The fee that the wallet paid for the send. Where the send was included again, it is the last one
 * paid.
 */
async function readFee(
  tx: Tx,
  transaction: RecordedTransaction,
): Promise<TransactionDetail["fee"]> {
  if (transaction.direction !== "out") return null;
  const rows = await tx.$queryRaw<{ amount: string; assetCode: string; assetDecimals: number }[]>`
    SELECT t.amount::text, a.code AS "assetCode", a.decimals AS "assetDecimals"
    FROM transaction t JOIN asset a ON a.id = t.asset_id
    WHERE t.tx_hash = ${transaction.txHash} AND t.wallet_id = ${transaction.walletId}::uuid
      AND t.chain_name = ${transaction.chainName} AND t.type = 'fee'
    ORDER BY t.status IN (${onChainStatuses}) DESC, t.id DESC LIMIT 1`;
  const fee = rows[0];
  if (fee === undefined) return null;
  const { amount, assetCode, assetDecimals } = fee;
  return { amountAtomic: BigInt(amount), assetCode, assetDecimals };
}

async function readNotifications(
  tx: Tx,
  transactionId: string,
): Promise<TransactionNotification[]> {
  return tx.$queryRaw<TransactionNotification[]>`
    SELECT n.id, n.event, s.status, s.attempts, n.created_at AS "createdAt", s.delivered_at AS "deliveredAt",
      (SELECT max(a.started_at) FROM delivery d JOIN attempt a ON a.delivery_id = d.id
        WHERE d.notification_id = n.id) AS "lastAttemptAt",
      CASE WHEN s.status = 'waiting' THEN (SELECT min(d.due_at) FROM delivery d
        WHERE d.notification_id = n.id AND d.status = 'waiting') END AS "nextAttemptAt",
      n.body::jsonb #>> '{data,reversesNotificationId}' AS "reversesNotificationId"
    FROM notification n ${joinDeliveryState()}
    WHERE n.transaction_id = ${transactionId}::uuid ORDER BY n.created_at, n.id`;
}
