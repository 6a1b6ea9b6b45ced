import { leastIdAt } from "../../domain/id.ts";
import { keysOf } from "../../domain/keys-of.ts";
import type {
  TransactionFilter,
  TransactionsAsked,
} from "../../domain/money/recorded-transaction.ts";
import {
  isNotifiedType,
  notifiedTypes,
  type TransactionType,
  transactionStatuses,
} from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import { hashIs } from "../postgres/shortened-hash.ts";
import { notifiedTypeWords } from "./transaction-words.ts";

const hashColumn = Prisma.sql`t.tx_hash`;

/** The condition of the list's partial indexes. */
const isNotified = Prisma.sql`t.type IN (${notifiedTypeWords})`;

/**
 * The condition of transaction_moved_idx, in its exact words. The transaction was included again,
 * in a block with another time than the one in its id.
 */
export const isMoved = Prisma.raw(
  `substr(replace(t.id::text, '-', ''), 1, 12) <> lpad(to_hex((EXTRACT(epoch FROM t.block_time AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0')`,
);

/** The ids that a filter names. Null: it names nothing of that kind. */
export type Named = {
  assetIds: readonly number[] | null;
  walletIds: readonly string[] | null;
};

/**
 * A part of the wanted rows, as a WHERE clause. With `each`, the clause is about one row `p` of
 * that relation, and the part is the rows of all `p`.
 */
export type Branch = { where: Prisma.Sql; each?: Prisma.Sql };

/**
 * Divides the wanted rows into WHERE clauses: each row matches exactly one. A clause has equalities
 * on the leading columns of an index that ends in the id. So PostgreSQL merges index scans that are
 * already in the list's order. It does not sort, and reads no more rows than it shows. Its cost
 * does not grow with the table. Filters other than the one that chose the index are tested row by
 * row.
 *
 * A hash is the exception, because its index is not in the list's order. PostgreSQL reads and sorts
 * all rows of that hash, of any business. A shortened hash is a range of that index: six digits
 * leave one hash of 16 million. Wallets that match a text may be thousands: one clause with `each`
 * stands for all of them.
 */
export function transactionBranches(asked: TransactionsAsked, named: Named): Branch[] {
  const filters = filtersOf(asked, named);
  const driver = driverOf(asked.filter, named);
  const each = driver.each === undefined ? {} : { each: driver.each };
  const rest = Object.entries(filters).flatMap(([name, condition]) =>
    condition === null || driver.covers.includes(name) ? [] : [condition],
  );
  const { from, to } = asked.filter;
  if (from === undefined && to === undefined) {
    return driver.alternatives.map((one) => ({ where: and([one, ...rest]), ...each }));
  }
  // An id begins with the time of the block in which its transaction was first seen. The few
  // transactions that moved since then are searched outside of that range of ids.
  const inTime = and(timeRange(from, to));
  const inIds = and(idRange(from, to));
  const every = Object.values(filters).filter((condition) => condition !== null);
  return [
    ...driver.alternatives.map((one) => ({ where: and([one, ...rest, inIds, inTime]), ...each })),
    { where: and([...every, isMoved, inTime, Prisma.sql`NOT (${inIds})`]) },
  ];
}

/**
 * Alternatives, exactly one of which holds for each wanted row. `covers`: the filters that they
 * include.
 */
type Driver = { alternatives: Prisma.Sql[]; covers: string[]; each?: Prisma.Sql };

function driverOf(filter: TransactionFilter, { assetIds, walletIds }: Named): Driver {
  const { types, status, walletId, txHash } = filter;
  if (txHash !== undefined) {
    return { alternatives: [hashIs(hashColumn, txHash)], covers: ["txHash"] };
  }
  if (walletId !== undefined) {
    const ofType = (type: string) =>
      Prisma.sql`t.wallet_id = ${walletId}::uuid AND t.type = ${type}`;
    return { alternatives: types.map(ofType), covers: ["wallet", "types"] };
  }
  if (walletIds !== null) {
    return {
      each: Prisma.sql`SELECT * FROM unnest(${[...walletIds]}::uuid[]) w(wallet_id), unnest(${[...types]}::text[]) y(type)`,
      alternatives: [Prisma.sql`t.wallet_id = p.wallet_id AND t.type = p.type`],
      covers: ["wallets", "types"],
    };
  }
  if (assetIds !== null && types.every(isNotifiedType)) {
    const ofAsset = (id: number) => Prisma.sql`t.asset_id = ${id} AND ${isNotified}`;
    const covers = isDefault(types) ? ["assets", "types"] : ["assets"];
    return { alternatives: assetIds.map(ofAsset), covers };
  }
  if (status === undefined && isDefault(types))
    return { alternatives: [isNotified], covers: ["types"] };
  const statuses = status === undefined ? keysOf(transactionStatuses) : [status];
  const alternatives = types.flatMap((type) =>
    statuses.map((one) => Prisma.sql`t.type = ${type} AND t.status = ${one}`),
  );
  return { alternatives, covers: ["types", "status"] };
}

function filtersOf(
  { businessId, filter, page }: TransactionsAsked,
  { assetIds, walletIds }: Named,
) {
  const { types, chainName, status, walletId, txHash } = filter;
  return {
    business: Prisma.sql`t.business_id = ${businessId}::uuid`,
    types: isDefault(types) ? isNotified : Prisma.sql`t.type IN (${Prisma.join([...types])})`,
    assets: assetIds === null ? null : Prisma.sql`t.asset_id IN (${Prisma.join([...assetIds])})`,
    chain: chainName === undefined ? null : Prisma.sql`t.chain_name = ${chainName}`,
    status: status === undefined ? null : Prisma.sql`t.status = ${status}`,
    wallet: walletId === undefined ? null : Prisma.sql`t.wallet_id = ${walletId}::uuid`,
    wallets: walletIds === null ? null : Prisma.sql`t.wallet_id = ANY(${[...walletIds]}::uuid[])`,
    txHash: txHash === undefined ? null : hashIs(hashColumn, txHash),
    after: page.afterId === null ? null : Prisma.sql`t.id < ${page.afterId}::uuid`,
  };
}

/** True for the types that the list shows if no type is asked for. */
function isDefault(types: readonly TransactionType[]): boolean {
  return types.length === notifiedTypes.length && types.every(isNotifiedType);
}

function timeRange(from: Date | undefined, to: Date | undefined): Prisma.Sql[] {
  return [
    ...(from === undefined ? [] : [Prisma.sql`t.block_time >= ${from}`]),
    ...(to === undefined ? [] : [Prisma.sql`t.block_time < ${to}`]),
  ];
}

function idRange(from: Date | undefined, to: Date | undefined): Prisma.Sql[] {
  return [
    ...(from === undefined ? [] : [Prisma.sql`t.id >= ${leastIdAt(from)}::uuid`]),
    ...(to === undefined ? [] : [Prisma.sql`t.id < ${leastIdAt(to)}::uuid`]),
  ];
}

function and(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.join([...conditions], " AND ");
}
