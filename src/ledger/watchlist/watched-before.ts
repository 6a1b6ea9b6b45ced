import type { Tx } from "../postgres/transaction.ts";

type Added = { chainName: string; address: string; changeId: string };

/**
 * Ends leaving wallets whose addresses are added, at the block that the new wallets begin after: no
 * block is between the two. `ofBusiness` null: whoever's they are.
 */
export async function takeOver(
  tx: Tx,
  added: readonly Added[],
  ofBusiness: string | null,
): Promise<void> {
  const rows = added.map(({ chainName, address, changeId }) => ({ chainName, address, changeId }));
  await tx.$executeRaw`
    UPDATE wallet w SET removed_at = ${new Date()}, removed_change_id = r."changeId"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("chainName" text, address text, "changeId" uuid)
    WHERE w.chain_name = r."chainName" AND w.address = r.address AND w.removed_at IS NULL
      AND w.leaving_at IS NOT NULL AND (${ofBusiness}::uuid IS NULL OR w.business_id = ${ofBusiness}::uuid)`;
}

type Before = { walletId: string; endedAt: bigint };

/**
 * The wallets of these changes whose business has watched the address before, each with the
 * position at which anybody's watching of it ended last. Not those that follow another wallet
 * without a gap: call it before the watch changes have ended, and after `takeOver`.
 */
export async function findWatchedBefore(tx: Tx, changeIds: readonly string[]): Promise<Before[]> {
  return tx.$queryRaw<Before[]>`
    SELECT w.id AS "walletId", max(c.position_number) AS "endedAt"
    FROM wallet w JOIN wallet old ON old.chain_name = w.chain_name AND old.address = w.address
        AND old.removed_at IS NOT NULL
      JOIN watch_change c ON c.id = old.removed_change_id
    WHERE w.added_change_id = ANY(${[...changeIds]}::uuid[])
    GROUP BY w.id
    HAVING bool_or(old.business_id = w.business_id) AND NOT bool_or(c.id = w.added_change_id)
      AND max(c.position_number) IS NOT NULL`;
}

/**
 * Has the history of such wallets begin with the first block that nobody watched any more, unless
 * somebody asked for another one. So no payment of meanwhile is only in the opening balance, and
 * none is another business's too (docs/invariants.md#i4). Call it after the watch changes have
 * ended. Answers the first blocks.
 */
export async function fillSince(
  tx: Tx,
  before: readonly Before[],
): Promise<ReadonlyMap<string, bigint>> {
  if (before.length === 0) return new Map();
  const rows = await tx.$queryRaw<{ walletId: string; fromNumber: bigint }[]>`
    INSERT INTO history (wallet_id, chain_name, from_number, next_number)
    SELECT w.id, w.chain_name, r.ended + 1, r.ended + 1
    FROM unnest(${before.map(({ walletId }) => walletId)}::uuid[],
        ${before.map(({ endedAt }) => endedAt)}::bigint[]) AS r(id, ended)
      JOIN wallet w ON w.id = r.id JOIN watch_change c ON c.id = w.added_change_id
    WHERE r.ended < c.position_number
    ON CONFLICT (wallet_id) DO NOTHING
    RETURNING wallet_id AS "walletId", from_number AS "fromNumber"`;
  return new Map(rows.map(({ walletId, fromNumber }) => [walletId, fromNumber]));
}
