import type { AnyNotificationsAsked } from "../../domain/delivery/recorded-notification.ts";
import { notifiedTypes } from "../../domain/money/transaction.ts";
import { cursorRule, type PagePlace, type PageRequest } from "../../domain/page.ts";
import { invalidField } from "../../domain/text.ts";
import { joinDeliveryState } from "../deliveries/delivery-state.ts";
import { mostCollected } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";
import {
  type AmountBranch,
  type AmountPlace,
  amountBranches,
  requireSorted,
  type SortedAsset,
} from "../transactions/page-by-amount.ts";
import { all, columns, conditionsOf, isOf, isSeldom, withStatus } from "./matching.ts";

/** The amount of a notification's transaction. Null: the list is in the order of time. */
export type PlacedRow = { sortedAtomic: string | null; sortedDecimals: number | null };

/**
 * The order of a page `n`: the largest amount first, and of equal amounts the newest transaction.
 * Of one transaction, the newest notification is first.
 */
export const inOrderOfAmount = Prisma.sql`n."sortedAmount" DESC, n."transactionId" DESC, n."createdAt" DESC, n.id DESC`;

type PageOf = (on: Statements, walletIds: readonly string[] | null) => Promise<Prisma.Sql>;

/**
 * Makes the query of a page in the order of one asset's amounts. It has one row more than the page.
 * The result takes the wallets that a text matches, or null.
 *
 * Without a filter, a page reads the transactions and the states that it shows. Few notifications
 * of a status, a time or a seldom event are collected first. Other filters are tested row by row.
 * @throws Fault `invalid_request` without an asset or a business, and for a cursor without
 *   this order
 */
export function pageByAmount(
  asked: AnyNotificationsAsked,
  known: readonly SortedAsset[] | null,
): PageOf {
  const { businessId, filter, page } = asked;
  const assets = requireSorted(known);
  if (businessId === null) throw invalidField("sort", "amount needs one business");
  const after = placeIn(page);
  // An asset is of one chain.
  const { chainName: _, ...others } = filter;
  const ofTransactions = { businessId, filter: { types: notifiedTypes }, page };
  return async (on, walletIds) => {
    const { candidates, isOfStatus } = await withStatus(on, asked);
    const few = candidates?.kind === "few" ? candidates.ids : await collectWritten(on, asked);
    const matches = [
      ...conditionsOf(others),
      ...(candidates?.kind === "many" ? [candidates.condition] : []),
      ...(after === null ? [] : [after.isNotShown]),
    ];
    const place = after?.transaction ?? null;
    const within = { assets, walletIds, after: place, isPlaceWanted: true };
    const parts = { branches: amountBranches(ofTransactions, within), matches: all(matches) };
    const state = Prisma.sql`${joinDeliveryState(filter.webhookId ?? null)} WHERE ${isOfStatus}`;
    const most = Prisma.raw(`LIMIT ${page.limit + 1}`);
    return few === null
      ? inTurn({ ...parts, state, most, transactionId: filter.transactionId })
      : collected(few, { ...parts, state, most });
  };
}

type Parts = {
  branches: readonly AmountBranch[];
  /** Condition on a notification `n`. */
  matches: Prisma.Sql;
  /** Joins the state `s` of `n`, and ends with a condition. */
  state: Prisma.Sql;
  most: Prisma.Sql;
};

/**
 * Goes through the transactions of each asset in the order of the index, and looks up the
 * notifications of each.
 */
function inTurn({
  branches,
  matches,
  state,
  most,
  transactionId,
}: Parts & { transactionId: string | undefined }): Prisma.Sql {
  const isIt =
    transactionId === undefined ? Prisma.empty : Prisma.sql`AND t.id = ${transactionId}::uuid`;
  const ofEach = branches.map(
    ({ asset, scale, where }) => Prisma.sql`(
      SELECT ${columns}, s.webhook_id AS "webhookId", t.amount * ${scale} AS "sortedAmount",
        t.amount::text AS "sortedAtomic", ${asset.decimals}::int AS "sortedDecimals"
      FROM transaction t
        CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.transaction_id = t.id AND ${matches} OFFSET 0) n
        ${state} AND ${where} ${isIt}
      ORDER BY t.amount DESC, t.id DESC, n.created_at DESC, n.id DESC ${most})`,
  );
  return Prisma.sql`
    SELECT * FROM (${Prisma.join(ofEach, " UNION ALL ")}) n ORDER BY ${inOrderOfAmount} ${most}`;
}

/**
 * The same of notifications that are known by id. Their order comes first, so that few bodies and
 * states are read.
 */
function collected(ids: readonly string[], { branches, matches, state, most }: Parts): Prisma.Sql {
  const isWanted = Prisma.join(
    branches.map(({ where }) => Prisma.sql`(${where})`),
    " OR ",
  );
  const assets = branches.map(
    ({ asset, scale }) => Prisma.sql`(${asset.id}::int, ${asset.decimals}::int, ${scale}::numeric)`,
  );
  return Prisma.sql`
    SELECT ${columns}, s.webhook_id AS "webhookId", k."sortedAmount", k."sortedAtomic", k."sortedDecimals"
    FROM (
      SELECT n.id, t.id AS transaction_id, t.amount * a.scale AS "sortedAmount", t.amount::text AS "sortedAtomic",
        a.decimals AS "sortedDecimals"
      FROM unnest(${[...ids]}::uuid[]) c(id)
        CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.id = c.id OFFSET 0) n
        CROSS JOIN LATERAL (SELECT * FROM transaction t WHERE t.id = n.transaction_id OFFSET 0) t
        JOIN (VALUES ${Prisma.join(assets)}) a(id, decimals, scale) ON a.id = t.asset_id
      WHERE ${matches} AND (${isWanted})
      ORDER BY "sortedAmount" DESC, t.id DESC OFFSET 0
    ) k CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.id = k.id OFFSET 0) n
    ${state}
    ORDER BY k."sortedAmount" DESC, k.transaction_id DESC, n.created_at DESC, n.id DESC ${most}`;
}

/**
 * The ids of the notifications of a time or of a seldom event. An index has both in the order of
 * time. Null: the filter names neither, or there are too many.
 */
async function collectWritten(
  on: Statements,
  { businessId, filter: { event, from, to } }: AnyNotificationsAsked,
): Promise<string[] | null> {
  if (from === undefined && to === undefined && !isSeldom(event)) return null;
  const written = conditionsOf({
    ...(isSeldom(event) && { event }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  const found = await on.$queryRaw<{ id: string }[]>`
    SELECT n.id FROM notification n WHERE ${all([isOf(businessId), ...written])}
    ORDER BY n.created_at DESC, n.id DESC LIMIT ${mostCollected + 1}`;
  return found.length > mostCollected ? null : found.map(({ id }) => id);
}

/** The transaction of the last row that was shown, and what a condition leaves of it. */
type Place = { transaction: AmountPlace; isNotShown: Prisma.Sql };

function placeIn({ afterId, ...by }: PageRequest): Place | null {
  if (afterId === null) return null;
  const { afterAt: at, afterAmount: amount, afterTransactionId: id } = by;
  if (at === undefined || amount === undefined || id === undefined)
    throw invalidField("cursor", cursorRule);
  return {
    transaction: { ...amount, id },
    isNotShown: Prisma.sql`(n.transaction_id <> ${id}::uuid OR (n.created_at, n.id) < (${at}::timestamptz, ${afterId}::uuid))`,
  };
}

/** A part of the cursor of each page, beside the id of the notification. */
export function placeOf(
  row: PlacedRow & { createdAt: Date; transactionId: string | null },
): Omit<PagePlace, "afterId"> {
  const { createdAt: afterAt, transactionId, sortedAtomic: atomic, sortedDecimals: decimals } = row;
  if (transactionId === null || atomic === null || decimals === null) return { afterAt };
  const afterAmount = { atomic: BigInt(atomic), decimals };
  return { afterAt, afterAmount, afterTransactionId: transactionId };
}
