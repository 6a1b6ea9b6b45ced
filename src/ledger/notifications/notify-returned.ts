import type { BalanceKey } from "../../domain/money/balance.ts";
import { Prisma } from "../generated/client.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { readTransactionsThat } from "../transactions/move-transactions.ts";
import { notify } from "./notify.ts";
import { notifyBalances } from "./notify-crossings.ts";

/** This many notifications are written in one step. */
const batch = 2_000;

/** The transactions of an asset that were not notified, because the asset was not configured. */
export const unnotifiedOf = (assetId: number): Prisma.Sql =>
  Prisma.sql`asset_id = ${assetId} AND unnotified`;

/**
 * Notifies of an asset's transactions that were recorded while the asset was not configured. Only
 * those that are confirmed or pending now count. A transaction that an unsettled reorg has undone
 * is included: it still has its status, and may return. Then compares the asset's balances with
 * their thresholds.
 *
 * Call it once the asset is back, with its chain locked. Safe to repeat.
 */
export async function notifyReturned(
  tx: TxStatements,
  assetId: number,
): Promise<{ notified: number }> {
  const isUnnotified = unnotifiedOf(assetId);
  const those = (status: "completed" | "pending") =>
    readTransactionsThat(tx, Prisma.sql`${isUnnotified} AND status = ${status}`);
  const [confirmed, pending] = [await those("completed"), await those("pending")];
  await tx.$executeRaw`UPDATE transaction SET unnotified = NULL WHERE ${isUnnotified}`;
  let notified = 0;
  for (const rows of batchesOf(confirmed)) {
    notified += (await notify(tx, { confirmed: rows })).notified;
  }
  for (const rows of batchesOf(pending)) {
    notified += (await notify(tx, { pending: rows })).notified;
  }
  const judged = await tx.$queryRaw<(BalanceKey & { chainName: string })[]>`
    SELECT DISTINCT t.wallet_id AS "walletId", t.asset_id AS "assetId", a.chain_name AS "chainName"
    FROM threshold t JOIN asset a ON a.id = t.asset_id WHERE t.asset_id = ${assetId} AND t.ended_at IS NULL`;
  for (const balances of batchesOf(judged)) {
    const chainName = balances[0]?.chainName ?? "";
    notified += (await notifyBalances(tx, chainName, balances)).notified;
  }
  return { notified };
}

function batchesOf<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / batch);
  return Array.from({ length: count }, (_, at) => rows.slice(at * batch, (at + 1) * batch));
}
