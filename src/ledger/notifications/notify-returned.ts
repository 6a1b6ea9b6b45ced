import type { BalanceKey } from "../../domain/money/balance.ts";
import { Prisma } from "../generated/client.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { readTransactionsThat } from "../transactions/move-transactions.ts";
import { notify } from "./notify.ts";
import { notifyCrossings } from "./notify-crossings.ts";

/**
 * No transaction of the database takes longer, so none that saw the asset as it was began earlier.
 */
const slackMs = 2 * 60_000;

/** Notifications written at once. */
const batch = 2_000;

/**
 * Notifies of what was recorded of an asset while it was left out of the configuration: of what was
 * confirmed meanwhile, and of what is pending. Judges its balances by their thresholds. Call it
 * after the asset is back, with its chain locked. Safe to repeat.
 * @param since when it was left out
 */
export async function notifyReturned(
  tx: TxStatements,
  assetId: number,
  since: Date,
): Promise<{ notified: number }> {
  const from = new Date(since.getTime() - slackMs).toISOString();
  const recorded = Prisma.sql`asset_id = ${assetId} AND NOT orphaned AND NOT is_history`;
  const confirmed = await readTransactionsThat(
    tx,
    Prisma.sql`${recorded} AND status = 'completed' AND completed_at >= ${from}::timestamptz`,
  );
  const pending = await readTransactionsThat(
    tx,
    Prisma.sql`${recorded} AND status = 'pending' AND created_at >= ${from}::timestamptz`,
  );
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
    notified += (await notifyCrossings(tx, chainName, balances)).notified;
  }
  return { notified };
}

function batchesOf<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / batch);
  return Array.from({ length: count }, (_, at) => rows.slice(at * batch, (at + 1) * batch));
}
