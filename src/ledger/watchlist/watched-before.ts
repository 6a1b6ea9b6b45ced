import type { Tx } from "../postgres/transaction.ts";

type Added = { chainName: string; address: string; changeId: string };

/**
 * Ends leaving wallets whose addresses are added again, at the block after which the new wallets
 * begin. So no block lies between the two. `ofBusiness`: only wallets of this business; null: of
 * any.
 * @returns the chains on which a wallet ends
 */
export async function takeOver(
  tx: Tx,
  added: readonly Added[],
  ofBusiness: string | null,
): Promise<readonly string[]> {
  const rows = added.map(({ chainName, address, changeId }) => ({ chainName, address, changeId }));
  const ended = await tx.$queryRaw<{ chainName: string }[]>`
    UPDATE wallet w SET removed_at = ${new Date()}, removed_change_id = r."changeId"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("chainName" text, address text, "changeId" uuid)
    WHERE w.chain_name = r."chainName" AND w.address = r.address AND w.removed_at IS NULL
      AND w.leaving_at IS NOT NULL AND (${ofBusiness}::uuid IS NULL OR w.business_id = ${ofBusiness}::uuid)
    RETURNING w.chain_name AS "chainName"`;
  return ended.map(({ chainName }) => chainName);
}

/**
 * True if a wallet of this change has the address of an ended one. The ended one has transactions
 * in blocks that are read again. Call it only while blocks are replayed.
 */
export async function isAnyReplayed(tx: Tx, changeId: string): Promise<boolean> {
  const [one] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM wallet w JOIN wallet old ON old.chain_name = w.chain_name AND old.address = w.address
        AND old.removed_at IS NOT NULL
      JOIN transaction t ON t.wallet_id = old.id AND t.chain_name = w.chain_name AND t.orphaned
    WHERE w.added_change_id = ${changeId}::uuid LIMIT 1`;
  return one !== undefined;
}

/**
 * Finds the wallets of these changes whose business has watched the address before. Wallets that
 * follow another without a gap are left out. Call it after `takeOver`, and before the watch changes
 * end: the chain need not be locked for it.
 */
export async function findWatchedBefore(tx: Tx, changeIds: readonly string[]): Promise<string[]> {
  const found = await tx.$queryRaw<{ id: string }[]>`
    SELECT w.id FROM wallet w JOIN wallet old ON old.chain_name = w.chain_name AND old.address = w.address
        AND old.removed_at IS NOT NULL
    WHERE w.added_change_id = ANY(${[...changeIds]}::uuid[])
    GROUP BY w.id
    HAVING bool_or(old.business_id = w.business_id) AND NOT bool_or(old.removed_change_id = w.added_change_id)`;
  return found.map(({ id }) => id);
}

/**
 * Begins the history of these wallets with the first block in which nobody watched the address. A
 * block that was asked for replaces it. So payments of that gap are not only in the opening
 * balance, and none belongs to another business too (docs/invariants.md#i4). Call it after the
 * watch changes have ended. Before that, a reorg may still lower the end of a wallet. Answers the
 * first blocks.
 */
export async function fillSince(
  tx: Tx,
  walletIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (walletIds.length === 0) return new Map();
  const rows = await tx.$queryRaw<{ walletId: string; fromNumber: bigint }[]>`
    INSERT INTO history (wallet_id, chain_name, from_number, next_number)
    SELECT w.id, w.chain_name, last.ended + 1, last.ended + 1
    FROM wallet w JOIN watch_change c ON c.id = w.added_change_id CROSS JOIN LATERAL (
        SELECT max(e.position_number) AS ended FROM wallet old JOIN watch_change e ON e.id = old.removed_change_id
        WHERE old.chain_name = w.chain_name AND old.address = w.address AND old.removed_at IS NOT NULL
      ) last
    WHERE w.id = ANY(${[...walletIds]}::uuid[]) AND last.ended < c.position_number
    ON CONFLICT (wallet_id) DO NOTHING
    RETURNING wallet_id AS "walletId", from_number AS "fromNumber"`;
  return new Map(rows.map(({ walletId, fromNumber }) => [walletId, fromNumber]));
}
