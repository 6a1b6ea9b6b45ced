import type { AssetSpec, ChainAssets } from "../../domain/money/asset.ts";
import type { ConfigurationChange } from "../../domain/watch/configuration.ts";
import { beginOpening, makeAllBalances } from "../balances/open-balances.ts";
import { lockChain } from "../chain/chain-state.ts";
import { notifyReturned } from "../notifications/notify-returned.ts";
import type { Tx } from "../postgres/transaction.ts";
import {
  type AbsentAssets,
  type AssetPlan,
  type AssetRow,
  changesOf,
  planAssets,
} from "./plan-assets.ts";
import { beginWatchChange, endWatchChange, holdAssets } from "./watch-change.ts";

/**
 * Writes the configured chains and assets to the ledger, in one transaction. A new asset is watched
 * from the chain's position on, for every live wallet. Its balances follow in batches
 * (`makeBalances`), so the transaction is as short for a million wallets as for one. Raises the
 * watch version only if something changed. Safe to repeat, and for any number of processes at once.
 * @param absent whether removed assets are still recorded without notifications, or not watched any
 *   more. Their history stays
 * @returns what was changed
 * @throws Fault `wrong_chain_id`, `asset_decimals_changed`, `invalid_configuration`; then nothing
 *   changed
 */
export async function configureChains(
  tx: Tx,
  chains: readonly ChainAssets[],
  absent: AbsentAssets,
): Promise<ConfigurationChange[]> {
  // Chains are locked in the order of their names, so that two calls do not deadlock.
  const ordered = [...chains].sort((one, other) => (one.name < other.name ? -1 : 1));
  const changes: ConfigurationChange[] = [];
  for (const chain of ordered) changes.push(...(await configureChain(tx, chain, absent)));
  return changes;
}

type Changes = Promise<ConfigurationChange[]>;

async function configureChain(tx: Tx, chain: ChainAssets, absent: AbsentAssets): Changes {
  await holdAssets(tx, chain.name, "configurer");
  let plan = await planAssets(tx, chain, absent);
  if (plan.changed.some(keepsBlocksOut)) {
    await lockChain(tx, chain.name);
    // A block may have written the asset's first amount before the lock.
    plan = await planAssets(tx, chain, absent);
  }
  const changes = changesOf(chain, plan);
  if (plan.isNewChain) await insertChain(tx, chain);
  if (plan.added.length + plan.changed.length + plan.left.length + plan.removed.length === 0)
    return changes;
  const changeId = await beginWatchChange(tx, chain.name);
  await tx.asset.updateMany({
    where: { id: { in: plan.removed.map(({ id }) => id) } },
    data: { configured: false, leftAt: null, openingAfter: null },
  });
  const left = plan.left.map(({ id }) => id);
  await tx.$executeRaw`UPDATE asset SET left_at = now() WHERE id = ANY(${left}::int[])`;
  for (const { spec, row } of plan.changed) await changeAsset(tx, { spec, row, changeId });
  for (const spec of plan.added) {
    const asset = await tx.asset.create({
      data: { chainName: chain.name, ...spec, watchChangeId: changeId },
    });
    await beginOpening(tx, asset.id);
  }
  const { isReplaying } = await endWatchChange(tx, chain.name, changeId);
  if (isReplaying) await openInReplay(tx, plan);
  return changes;
}

/**
 * True if no block may come between the plan and the change. A block could record an amount with
 * the old decimals. Or it could come between what was recorded of a returning asset so far and its
 * notifications from now on.
 */
function keepsBlocksOut({ spec, row }: AssetPlan["changed"][number]): boolean {
  return spec.decimals !== row.decimals || !row.configured || row.leftAt !== null;
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
  if (isBack) await beginOpening(tx, row.id);
  // It may have been left out first, before its recording was ended.
  if (isBack || row.leftAt !== null) await notifyReturned(tx, row.id);
}

/**
 * While a reorg is replayed, makes the balances of a returning asset at once. An old balance may
 * have begun above the asset's new beginning, and could not be recognised as stale later.
 */
async function openInReplay(tx: Tx, { changed }: AssetPlan): Promise<void> {
  for (const { row } of changed) if (!row.configured) await makeAllBalances(tx, row.id);
}
