import type {
  TransactionCount,
  TransactionCountsAsked,
} from "../../domain/business/transaction-counts.ts";
import { leastIdAt } from "../../domain/id.ts";
import {
  isNotifiedType,
  notifiedTypes,
  type TransactionStatus,
  type TransactionType,
} from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { isMoved } from "./transaction-branches.ts";

/** The statuses that are counted. A dropped transaction never happened. */
const counted = ["pending", "completed", "reversed"] as const satisfies TransactionStatus[];

type Counted = { bucket: number; type: TransactionType; status: string; count: bigint };

/**
 * Counts the transactions of each bucket by the times of their blocks. An id begins with the time
 * of the block in which its transaction was first seen. So an index of ids counts a bucket. The few
 * transactions that moved since then are moved from one bucket to the other.
 */
export async function countTransactions(
  db: Database,
  asked: TransactionCountsAsked,
): Promise<TransactionCount[]> {
  const { starts, to } = asked.range;
  const [rows, moved] = await Promise.all([readCounts(db, asked), readMoved(db, asked)]);
  const counts = starts.map((at) => ({ at, deposit: 0, withdrawal: 0, payment: 0, reversed: 0 }));
  const add = (index: number, { type, status, count }: Omit<Counted, "bucket">) => {
    const bucket = counts[index];
    if (bucket === undefined || !isNotifiedType(type)) return;
    bucket[status === "reversed" ? "reversed" : type] += Number(count);
  };
  for (const row of rows) add(row.bucket - 1, row);
  const indexOf = (time: Date) => (time >= to ? -1 : starts.findLastIndex((at) => at <= time));
  for (const { seen, blockTime, ...row } of moved) {
    add(indexOf(seen), { ...row, count: -1n });
    add(indexOf(blockTime), { ...row, count: 1n });
  }
  return counts;
}

function readCounts(db: Database, asked: TransactionCountsAsked): Promise<Counted[]> {
  const { businessId, range } = asked;
  const edges = [...range.starts, range.to].map(leastIdAt);
  return readRows<Counted>(
    db,
    Prisma.sql`
      SELECT b.bucket::int, ty.type, st.status, n.count
      FROM unnest(${edges.slice(0, -1)}::uuid[], ${edges.slice(1)}::uuid[])
        WITH ORDINALITY b(low, high, bucket)
      CROSS JOIN unnest(${[...notifiedTypes]}::text[]) ty(type)
      CROSS JOIN unnest(${[...counted]}::text[]) st(status)
      CROSS JOIN LATERAL (
        SELECT count(*) FROM transaction t
        WHERE t.business_id = ${businessId}::uuid AND t.type = ty.type AND t.status = st.status
          AND t.id >= b.low AND t.id < b.high AND ${ofWallet(asked)}
      ) n WHERE n.count > 0`,
  );
}

type Moved = { seen: Date; blockTime: Date; type: TransactionType; status: string };

/**
 * Reads the moved transactions alone first. PostgreSQL does not know that they are few, and with
 * more conditions it would read all transactions.
 */
async function readMoved(db: Database, asked: TransactionCountsAsked): Promise<Moved[]> {
  const { businessId, range } = asked;
  const rows = await readRows<Omit<Moved, "seen"> & { id: string }>(
    db,
    Prisma.sql`
      WITH moved AS MATERIALIZED (SELECT * FROM transaction t WHERE t.business_id = ${businessId}::uuid AND ${isMoved})
      SELECT t.id, t.block_time AS "blockTime", t.type, t.status FROM moved t
      WHERE t.type = ANY(${[...notifiedTypes]}) AND t.status = ANY(${[...counted]})
        AND (t.block_time >= ${range.from} AND t.block_time < ${range.to}
          OR t.id >= ${leastIdAt(range.from)}::uuid AND t.id < ${leastIdAt(range.to)}::uuid)
        AND ${ofWallet(asked)}`,
  );
  return rows.map(({ id, ...row }) => ({ ...row, seen: timeIn(id) }));
}

function ofWallet({ walletId }: TransactionCountsAsked): Prisma.Sql {
  return walletId === null ? Prisma.sql`true` : Prisma.sql`t.wallet_id = ${walletId}::uuid`;
}

/** The time that a UUID v7 begins with. */
function timeIn(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
