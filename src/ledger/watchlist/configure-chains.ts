import type { AssetSpec, ChainAssets } from "../../domain/money/asset.ts";
import type { ConfigurationChange } from "../../domain/watch/configuration.ts";
import { lockChain } from "../chain/chain-state.ts";
import { notifyReturned } from "../notifications/notify-returned.ts";
import type { Tx } from "../postgres/transaction.ts";
import { type AbsentAssets, type AssetRow, changesOf, planAssets } from "./plan-assets.ts";
import { beginWatchChange, beginWithTheLater, endWatchChange, holdAssets } from "./watch-change.ts";

/**
 * Makes the ledger know the configured chains and assets, in one transaction. A new asset is
 * watched from the chain's position on. Every live wallet gets a balance of it, whose opening is
 * not read yet. Raises the watch version only when something changed. Safe to repeat, and for any
 * number of processes at once.
 * @param absent the fate of assets that are not configured any more: they are recorded as before
 *   but nobody is notified, or they are no longer watched. Their history stays.
 * @returns what was changed
 * @throws Fault `wrong_chain_id`, `asset_decimals_changed`, `invalid_configuration`; then nothing
 *   changed
 */
export async function configureChains(
  tx: Tx,
  chains: readonly ChainAssets[],
  absent: AbsentAssets,
): Promise<ConfigurationChange[]> {
  // Chains are locked in the order of their names, or two of these might wait for each other.
  const ordered = [...chains].sort((one, other) => (one.name < other.name ? -1 : 1));
  const changes: ConfigurationChange[] = [];
  for (const chain of ordered) changes.push(...(await configureChain(tx, chain, absent)));
  return changes;
}

type Changes = Promise<ConfigurationChange[]>;

async function configureChain(tx: Tx, chain: ChainAssets, absent: AbsentAssets): Changes {
  await holdAssets(tx, chain.name, "configurer");
  const plan = await planAssets(tx, chain, absent);
  const changes = changesOf(chain, plan);
  if (plan.isNewChain) await insertChain(tx, chain);
  if (plan.added.length + plan.changed.length + plan.left.length + plan.removed.length === 0)
    return changes;
  // The return of an asset takes back entries of the journal, which is written under the chain's
  // lock. So the chain is locked before any balance. And no block is committed between the asset's
  // records until now and its notifications from now on.
  if (plan.changed.some(({ row }) => !row.configured || row.leftAt !== null))
    await lockChain(tx, chain.name);
  const changeId = await beginWatchChange(tx, chain.name);
  await tx.asset.updateMany({
    where: { id: { in: plan.removed.map(({ id }) => id) } },
    data: { configured: false, leftAt: null },
  });
  const left = plan.left.map(({ id }) => id);
  await tx.$executeRaw`UPDATE asset SET left_at = now() WHERE id = ANY(${left}::int[])`;
  for (const { spec, row } of plan.changed) await changeAsset(tx, { spec, row, changeId });
  for (const spec of plan.added) {
    const asset = await tx.asset.create({
      data: { chainName: chain.name, ...spec, watchChangeId: changeId },
    });
    await openBalances(tx, asset, changeId);
  }
  await endWatchChange(tx, chain.name, changeId);
  await beginWithTheLater(tx, changeId);
  return changes;
}

async function insertChain(tx: Tx, { name, chainId }: ChainAssets): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO chain (name, evm_chain_id) VALUES (${name}, ${chainId}) ON CONFLICT (name) DO NOTHING`;
}

async function changeAsset(
  tx: Tx,
  change: { spec: AssetSpec; row: AssetRow; changeId: string },
): Promise<void> {
  const { spec, row, changeId } = change;
  const { code, decimals, kind } = spec;
  const isBack = !row.configured;
  await tx.asset.update({
    where: { id: row.id },
    data: {
      code,
      decimals,
      kind,
      configured: true,
      leftAt: null,
      ...(isBack ? { watchChangeId: changeId } : {}),
    },
  });
  if (isBack) await openBalances(tx, row, changeId);
  else if (row.leftAt !== null) await notifyReturned(tx, row.id, row.leftAt);
}

/**
 * Makes a balance to be opened for every live wallet of the chain. Where there is a balance
 * already, the asset has been away and its movements meanwhile are not known. Then the balance is
 * taken back, with the entries that say so, and read anew. A transaction that was confirmed before
 * is a part of the new opening, and weighs nothing beside it (see readWeights).
 */
async function openBalances(tx: Tx, asset: { id: number; chainName: string }, changeId: string) {
  // The asset's earlier transactions are looked for from the beginning of each wallet's history.
  // The transactions that are there stay.
  await tx.$executeRaw`
    UPDATE history h SET next_number = h.from_number, verdict = NULL
    FROM wallet w WHERE w.id = h.wallet_id AND w.chain_name = ${asset.chainName}`;
  // Nobody moves them between the two statements that take them back.
  await tx.$executeRaw`
    SELECT 1 FROM balance b JOIN wallet w ON w.id = b.wallet_id
    WHERE b.asset_id = ${asset.id} AND w.removed_at IS NULL ORDER BY b.wallet_id FOR UPDATE OF b`;
  await tx.$executeRaw`
    WITH held AS (
      SELECT b.wallet_id, b.asset_id, b.confirmed, COALESCE(c.position_number, 0) AS number
      FROM balance b JOIN wallet w ON w.id = b.wallet_id JOIN chain c ON c.name = w.chain_name
      WHERE b.asset_id = ${asset.id} AND w.removed_at IS NULL
    ), weights AS (
      SELECT e.wallet_id, e.transaction_id, sum(e.amount) AS weight, max(held.number) AS number
      FROM held JOIN ledger_entry e ON e.wallet_id = held.wallet_id AND e.asset_id = held.asset_id
      WHERE e.transaction_id IS NOT NULL GROUP BY e.wallet_id, e.transaction_id HAVING sum(e.amount) <> 0
    ), rest AS (
      SELECT wallet_id, number, confirmed - COALESCE(
        (SELECT sum(weight) FROM weights WHERE weights.wallet_id = held.wallet_id), 0) AS weight FROM held
    )
    INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
    SELECT wallet_id, ${asset.id}::int, transaction_id, 'reversal', -weight, number FROM weights
    UNION ALL
    SELECT wallet_id, ${asset.id}::int, NULL::uuid, 'opening_undone', -weight, number FROM rest WHERE weight <> 0`;
  await tx.$executeRaw`
    INSERT INTO balance (wallet_id, asset_id, since_change_id)
    SELECT id, ${asset.id}, ${changeId}::uuid FROM wallet
    WHERE chain_name = ${asset.chainName} AND removed_at IS NULL
    ON CONFLICT (wallet_id, asset_id) DO UPDATE
    SET confirmed = 0, opening = NULL, opening_proof = NULL, since_change_id = EXCLUDED.since_change_id`;
}
