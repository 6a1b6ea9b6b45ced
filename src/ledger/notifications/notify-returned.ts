import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";
import { readTransactionsThat } from "../transactions/move-transactions.ts";
import { notify } from "./notify.ts";

/** No transaction of the database takes longer, so none that saw the asset as it was began earlier. */
const slackMs = 2 * 60_000;

/** Notifications written at once. */
const batch = 2_000;

/**
 * Notifies of what was recorded of an asset while it was left out of the configuration: of what was confirmed meanwhile, and
 * of what is pending. Call it after the asset is back, with its chain locked. Safe to repeat.
 * @param since when it was left out
 */
export async function notifyReturned(
  tx: Statements,
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
  const states = [
    ["confirmed", confirmed],
    ["pending", pending],
  ] as const;
  for (const [state, rows] of states) {
    for (let index = 0; index < rows.length; index += batch) {
      notified += (await notify(tx, [{ state, rows: rows.slice(index, index + batch) }])).notified;
    }
  }
  return { notified };
}
