import {
  type CompletedSums,
  maxTotals,
  type Total,
  type TotalKey,
  type TotalSums,
  type TotalsAsked,
} from "../../domain/business/totals.ts";
import { Fault } from "../../domain/fault.ts";
import { leastIdAt } from "../../domain/id.ts";
import { keysOf } from "../../domain/keys-of.ts";
import {
  type Direction,
  type TransactionStatus,
  type TransactionType,
  transactionTypes,
} from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { isMoved } from "../transactions/transaction-branches.ts";
import { conditionsOf, requireNamed, walletConditionsOf } from "./statement-filter.ts";

/** The statuses that are added up. A dropped transaction never happened. */
const summed = ["completed", "pending", "reversed"] as const satisfies TransactionStatus[];

/**
 * Adds up the transactions of a period by the times of their blocks, the oldest part first, then by
 * asset. The sum of one asset code over several chains is exact too. Reads each transaction of the
 * period once.
 * @throws Fault `wallet_not_found`, `chain_not_found`; `invalid_request` for an asset that the
 *   ledger does not know, and for more than 10,000 totals
 */
export async function readTotals(db: Database, asked: TotalsAsked): Promise<Total[]> {
  await requireNamed(db, asked.businessId, asked.filter);
  const rows = await readRows<Row>(db, totalsSql(asked));
  if (rows.length > maxTotals)
    throw new Fault(
      "invalid_request",
      `There are more than ${maxTotals} totals: ask for a shorter period, or by fewer keys.`,
    );
  return rows.map((row) => toTotal(row, asked));
}

type Row = {
  part: number;
  code: string;
  chain: string | null;
  type: string | null;
  label: string | null;
  usdIn: string | null;
  usdOut: string | null;
  unpricedIn: number;
  unpricedOut: number;
} & { [Sum in `${(typeof summed)[number]}${"In" | "Out"}`]: string | null } & {
  [Count in `${(typeof summed)[number]}Count`]: number;
};

/**
 * An id begins with the time of the block in which its transaction was first seen: see
 * transactionBranches. OFFSET 0 reads each type and status by the index that has both before the
 * id. Otherwise PostgreSQL would read the ids of all businesses.
 *
 * The transactions are added up in atomic units first, by asset and, where one is asked for, by
 * wallet. Only those few sums meet the names of assets and labels.
 */
export function totalsSql({ businessId, period, filter, by, parts }: TotalsAsked): Prisma.Sql {
  const { chainName, type } = filter;
  const types = type === undefined ? keysOf(transactionTypes) : [type];
  const isOurs = Prisma.sql`t.business_id = ${businessId}::uuid`;
  const isAsked = Prisma.sql`t.block_time >= ${period.from} AND t.block_time < ${period.to}
    ${chainName === undefined ? Prisma.empty : Prisma.sql`AND t.chain_name = ${chainName}`}`;
  const inIds = Prisma.sql`t.id >= ${leastIdAt(period.from)}::uuid AND t.id < ${leastIdAt(period.to)}::uuid`;
  const starts = (parts ?? []).map(({ from }) => from);
  const ofWallets = walletConditionsOf(filter);
  const hasWallets = by.includes("label") || ofWallets.length > 1;
  const key = (name: TotalKey, column: string) =>
    by.includes(name) ? Prisma.raw(column) : Prisma.sql`NULL::text`;
  return Prisma.sql`
    WITH moved AS MATERIALIZED (SELECT ${columns} FROM transaction t WHERE ${isOurs} AND ${isMoved}),
    t AS (
      SELECT t.* FROM unnest(${types}::text[]) ty(type) CROSS JOIN unnest(${[...summed]}::text[]) st(status)
        CROSS JOIN LATERAL (
          SELECT ${columns} FROM transaction t WHERE ${isOurs} AND t.type = ty.type AND t.status = st.status
            AND ${inIds} AND ${isAsked} OFFSET 0
        ) t
      UNION ALL SELECT * FROM moved t
        WHERE t.type = ANY(${types}) AND t.status = ANY(${[...summed]}) AND ${isAsked} AND NOT (${inIds})
    ),
    s AS (
      SELECT ${parts === null ? Prisma.sql`0` : Prisma.sql`width_bucket(t.block_time, ${starts}::timestamptz[])`} AS part,
        t.asset_id, ${key("type", "t.type")} AS type, ${hasWallets ? Prisma.sql`t.wallet_id` : Prisma.sql`NULL::uuid`} AS wallet_id,
        ${Prisma.join(summed.flatMap(sumsSql))},
        ${usdSql("in")} AS "usdIn", ${usdSql("out")} AS "usdOut",
        ${unpricedSql("in")} AS "unpricedIn", ${unpricedSql("out")} AS "unpricedOut"
      FROM t GROUP BY 1, 2, 3, 4
    )
    SELECT s.part, a.code, ${key("blockchain", "a.chain_name")} AS chain, s.type, ${key("label", "w.label")} AS label,
      ${Prisma.join(summed.flatMap(inUnitsSql))},
      trim_scale(sum(s."usdIn"))::text AS "usdIn", trim_scale(sum(s."usdOut"))::text AS "usdOut",
      sum(s."unpricedIn")::int AS "unpricedIn", sum(s."unpricedOut")::int AS "unpricedOut"
    FROM s JOIN asset a ON a.id = s.asset_id ${hasWallets ? Prisma.sql`JOIN wallet w ON w.id = s.wallet_id` : Prisma.empty}
    WHERE true ${Prisma.join(conditionsOf(filter), " ")}
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3 NULLS FIRST, 4 NULLS FIRST, 5 NULLS FIRST LIMIT ${maxTotals + 1}`;
}

/** The columns of a transaction `t` that totals need. */
const columns = Prisma.sql`t.id, t.block_time, t.chain_name, t.asset_id, t.wallet_id, t.type, t.status,
  t.direction, t.amount, t.usd_value`;

const isOf = (status: TransactionStatus, direction: Direction) =>
  Prisma.sql`FILTER (WHERE t.status = ${Prisma.raw(`'${status}'`)} AND t.direction = ${Prisma.raw(`'${direction}'`)})`;

const named = (status: TransactionStatus, name: string) => Prisma.raw(`"${status}${name}"`);

function sumsSql(status: (typeof summed)[number]): Prisma.Sql[] {
  return [
    Prisma.sql`count(*) FILTER (WHERE t.status = ${Prisma.raw(`'${status}'`)}) AS ${named(status, "Count")}`,
    Prisma.sql`sum(t.amount) ${isOf(status, "in")} AS ${named(status, "In")}`,
    Prisma.sql`sum(t.amount) ${isOf(status, "out")} AS ${named(status, "Out")}`,
  ];
}

/** Sums in units of the asset, since chains may have different decimals for one asset code. */
function inUnitsSql(status: (typeof summed)[number]): Prisma.Sql[] {
  const inUnits = (sum: Prisma.Sql) =>
    Prisma.sql`trim_scale(sum(s.${sum} * ('1e-' || a.decimals)::numeric))::text AS ${sum}`;
  return [
    Prisma.sql`sum(s.${named(status, "Count")})::int AS ${named(status, "Count")}`,
    inUnits(named(status, "In")),
    inUnits(named(status, "Out")),
  ];
}

const usdSql = (direction: Direction) =>
  Prisma.sql`sum(t.usd_value) ${isOf("completed", direction)}`;

const unpricedSql = (direction: Direction) =>
  Prisma.sql`count(*) ${isOf("completed", direction)} - count(t.usd_value) ${isOf("completed", direction)}`;

function toTotal(row: Row, { parts }: TotalsAsked): Total {
  return {
    assetCode: row.code,
    chainName: row.chain,
    type: row.type as TransactionType | null,
    label: row.label,
    part: parts?.[row.part - 1]?.name ?? null,
    completed: completedIn(row),
    pending: sumsOf(row.pendingCount, row.pendingIn, row.pendingOut),
    reversed: sumsOf(row.reversedCount, row.reversedIn, row.reversedOut),
  };
}

function completedIn(row: Row): CompletedSums {
  return {
    ...sumsOf(row.completedCount, row.completedIn, row.completedOut),
    usdIn: row.usdIn ?? (row.unpricedIn === 0 ? "0" : null),
    usdOut: row.usdOut ?? (row.unpricedOut === 0 ? "0" : null),
    unpriced: row.unpricedIn + row.unpricedOut,
  };
}

function sumsOf(count: number, into: string | null, out: string | null): TotalSums {
  return { count, in: into ?? "0", out: out ?? "0" };
}
