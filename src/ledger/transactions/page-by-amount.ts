import type {
  ListedTransaction,
  TransactionsAsked,
} from "../../domain/money/recorded-transaction.ts";
import { isNotifiedType, notifiedTypes } from "../../domain/money/transaction.ts";
import { cursorRule, type PageRequest, type PlaceAmount } from "../../domain/page.ts";
import { invalidField } from "../../domain/text.ts";
import { Prisma } from "../generated/client.ts";
import { transactionBranches } from "./transaction-branches.ts";

/** The columns of a page, and the joins that each of its transactions `t` needs for them. */
export type Shown = { columns: Prisma.Sql; join: Prisma.Sql };

/** An asset with the decimals of its atomic amounts. */
export type SortedAsset = { id: number; decimals: number };

type Wanted = { assets: readonly SortedAsset[] | null; shown: Shown };

/** @throws Fault `invalid_request` without an asset */
export function requireSorted(assets: readonly SortedAsset[] | null): readonly SortedAsset[] {
  if (assets === null) throw invalidField("sort", "amount needs an asset");
  return assets;
}

/**
 * Makes the query of a page in the order of one asset's amounts. The result takes the wallets that
 * a text matches, or null.
 * @throws Fault `invalid_request` without an asset, and for a type and a cursor without
 *   this order
 */
export function pageByAmount(
  asked: TransactionsAsked,
  { assets: known, shown }: Wanted,
): (walletIds: readonly string[] | null) => Prisma.Sql {
  const assets = requireSorted(known);
  if (!asked.filter.types.every(isNotifiedType)) {
    throw invalidField("sort", `amount needs a type of ${notifiedTypes.join(", ")}`);
  }
  const after = placeOf(asked.page);
  return (walletIds) => amountPageSql(asked, { assets, walletIds, after, shown });
}

/** The row after which a page begins, with its amount as the page before showed it. */
export type AmountPlace = PlaceAmount & { id: string };

function placeOf({ afterId, afterAmount }: PageRequest): AmountPlace | null {
  if (afterId === null) return null;
  if (afterAmount === undefined) throw invalidField("cursor", cursorRule);
  return { ...afterAmount, id: afterId };
}

/** A part of the cursor of each page in this order. */
export function amountOf(row: ListedTransaction): { afterAmount: PlaceAmount } {
  return { afterAmount: { atomic: row.amountAtomic, decimals: row.assetDecimals } };
}

type Within = {
  assets: readonly SortedAsset[];
  /** The wallets that a text matches. Null: all. */
  walletIds: readonly string[] | null;
  after: AmountPlace | null;
  /** True: the row of the place itself is wanted too, for what it has not shown yet. */
  isPlaceWanted?: boolean;
};

type Page = Within & { shown: Shown };

/** The rows `t` of one asset. `scale` makes their amounts comparable with those of the others. */
export type AmountBranch = { asset: SortedAsset; scale: Prisma.Sql; where: Prisma.Sql };

/**
 * Divides the wanted transactions by asset, from the place on. An index has each asset's rows in
 * the order of their amounts. Assets with one code on several chains are compared as decimals.
 */
export function amountBranches(
  asked: TransactionsAsked,
  { assets, walletIds, after, isPlaceWanted = false }: Within,
): AmountBranch[] {
  const first = { ...asked, page: { ...asked.page, afterId: null } };
  const decimals = Math.max(...assets.map((asset) => asset.decimals));
  const named =
    walletIds === null
      ? Prisma.empty
      : Prisma.sql`AND t.wallet_id = ANY(${[...walletIds]}::uuid[])`;
  return assets.flatMap((asset) => {
    const scale = Prisma.raw(`1${"0".repeat(decimals - asset.decimals)}`);
    const rest =
      after === null ? Prisma.empty : Prisma.sql`AND ${isAfter(after, asset, isPlaceWanted)}`;
    return transactionBranches(first, { assetIds: [asset.id], walletIds: null }).map(
      ({ where }) => ({ asset, scale, where: Prisma.sql`${where} ${named} ${rest}` }),
    );
  });
}

/**
 * Selects one row more than the page, largest amount first, and of equal amounts the newest first.
 * A page reads the rows that it shows. Other filters are tested row by row. If they leave most rows
 * out, PostgreSQL may read and sort the matching rows instead.
 */
export function amountPageSql(asked: TransactionsAsked, { shown, ...within }: Page): Prisma.Sql {
  const most = Prisma.raw(`LIMIT ${asked.page.limit + 1}`);
  const branches = amountBranches(asked, within).map(
    ({
      where,
      scale,
    }) => Prisma.sql`(SELECT t.*, t.amount * ${scale} AS sorted_amount FROM transaction t
      WHERE ${where} ORDER BY t.amount DESC, t.id DESC ${most})`,
  );
  return Prisma.sql`SELECT ${shown.columns} FROM (${Prisma.join(branches, " UNION ALL ")}) t
    ${shown.join} ORDER BY t.sorted_amount DESC, t.id DESC ${most}`;
}

/**
 * Condition: a row of an asset comes after a place, or is there if that is wanted. The place may be
 * of an asset with other decimals.
 */
function isAfter(
  { id, atomic, decimals }: AmountPlace,
  asset: SortedAsset,
  isPlaceWanted: boolean,
): Prisma.Sql {
  const more = 10n ** BigInt(Math.max(0, asset.decimals - decimals));
  const fewer = 10n ** BigInt(Math.max(0, decimals - asset.decimals));
  const amount = (atomic * more) / fewer;
  const isExact = amount * fewer === atomic * more;
  const less = isPlaceWanted ? Prisma.sql`<=` : Prisma.sql`<`;
  return isExact
    ? Prisma.sql`(t.amount, t.id) ${less} (${amount.toString()}::numeric, ${id}::uuid)`
    : Prisma.sql`t.amount <= ${amount.toString()}::numeric`;
}
