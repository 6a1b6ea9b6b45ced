import { Fault } from "../../domain/fault.ts";
import type { AssetSpec, ChainAssets } from "../../domain/money/asset.ts";
import { lockChain } from "../chain/chain-state.ts";
import { type Database, inTransaction, type Tx } from "../postgres/database.ts";
import { beginWatchChange, beginWithTheLater, endWatchChange, holdAssets } from "./watch-change.ts";

/**
 * Makes the ledger know what is configured: one transaction a chain. A new asset is watched from the chain's position
 * on, with a balance (opening not read yet) for every live wallet; one that left the configuration is no longer
 * watched, and its history stays. Raises the watch version only when something changed: safe to repeat, and for any
 * number of processes at once.
 * @throws Fault `wrong_chain_id`, `asset_decimals_changed`, `invalid_configuration`; then nothing of that chain changed
 */
export async function configureChains(db: Database, chains: readonly ChainAssets[]): Promise<void> {
  for (const chain of chains) await inTransaction(db, (tx) => configureChain(tx, chain));
}

async function configureChain(tx: Tx, chain: ChainAssets): Promise<void> {
  await holdAssets(tx, chain.name, "configurer");
  await requireChain(tx, chain);
  const known = await tx.asset.findMany({ where: { chainName: chain.name } });
  const plan = planAssets(chain, known);
  if (plan.added.length + plan.changed.length + plan.left.length === 0) return;
  await requireSameDecimals(tx, chain.name, plan);
  // What an asset's return takes back is written to the journal, which goes by the chain's lock; before any balance is.
  if (plan.changed.some(({ row }) => !row.configured)) await lockChain(tx, chain.name);
  const changeId = await beginWatchChange(tx, chain.name);
  await tx.asset.updateMany({
    where: { id: { in: plan.left.map((asset) => asset.id) } },
    data: { configured: false },
  });
  for (const { spec, row } of plan.changed) await changeAsset(tx, { spec, row, changeId });
  for (const spec of plan.added) {
    const asset = await tx.asset.create({
      data: { chainName: chain.name, ...spec, watchChangeId: changeId },
    });
    await openBalances(tx, asset, changeId);
  }
  await endWatchChange(tx, chain.name, changeId);
  await beginWithTheLater(tx, changeId);
}

async function requireChain(tx: Tx, chain: ChainAssets): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO chain (name, evm_chain_id) VALUES (${chain.name}, ${chain.chainId})
    ON CONFLICT (name) DO NOTHING`;
  const row = await tx.chain.findUniqueOrThrow({ where: { name: chain.name } });
  if (row.evmChainId === BigInt(chain.chainId)) return;
  throw new Fault(
    "wrong_chain_id",
    `The ledger knows chain '${chain.name}' with chain id ${row.evmChainId}, the configuration says ${chain.chainId}: correct chain_id, or give the other chain a name of its own.`,
    { facts: { chain: chain.name, known: Number(row.evmChainId), configured: chain.chainId } },
  );
}

type AssetRow = {
  id: number;
  chainName: string;
  code: string;
  address: string;
  decimals: number;
  kind: string;
  configured: boolean;
};

type AssetPlan = {
  added: AssetSpec[];
  changed: { spec: AssetSpec; row: AssetRow }[];
  left: AssetRow[];
};

/** An asset is its address; code, decimals and kind are what is said of it. */
function planAssets(chain: ChainAssets, known: AssetRow[]): AssetPlan {
  const plan: AssetPlan = { added: [], changed: [], left: [] };
  const byAddress = new Map(known.map((row) => [row.address, row]));
  for (const spec of chain.assets) {
    const holder = known.find((row) => row.code === spec.code && row.address !== spec.address);
    if (holder !== undefined) throw codeTaken(chain.name, spec, holder);
    const row = byAddress.get(spec.address);
    if (row === undefined) plan.added.push(spec);
    else if (!isSame(spec, row)) plan.changed.push({ spec, row });
  }
  const configured = new Set<string>(chain.assets.map((spec) => spec.address));
  plan.left = known.filter((row) => row.configured && !configured.has(row.address));
  return plan;
}

function isSame(spec: AssetSpec, row: AssetRow): boolean {
  const isDescribed =
    spec.code === row.code && spec.decimals === row.decimals && spec.kind === row.kind;
  return row.configured && isDescribed;
}

function codeTaken(chainName: string, spec: AssetSpec, holder: AssetRow): Fault {
  return new Fault(
    "invalid_configuration",
    `Asset '${spec.code}' of chain '${chainName}' is ${spec.address} in the configuration, but the ledger has that code at ${holder.address}: give the new one a code of its own.`,
    {
      facts: { chain: chainName, code: spec.code, known: holder.address, configured: spec.address },
    },
  );
}

/** Decimals say what the stored amounts mean: once there are any, they stay. */
async function requireSameDecimals(tx: Tx, chainName: string, plan: AssetPlan): Promise<void> {
  for (const { spec, row } of plan.changed) {
    if (spec.decimals === row.decimals) continue;
    const where = { where: { assetId: row.id }, select: { id: true } };
    const used = (await tx.transaction.findFirst(where)) ?? (await tx.ledgerEntry.findFirst(where));
    if (used === null) continue;
    throw new Fault(
      "asset_decimals_changed",
      `Asset '${spec.code}' of chain '${chainName}' has entries with ${row.decimals} decimals, the configuration says ${spec.decimals}: put ${row.decimals} back.`,
      {
        facts: {
          chain: chainName,
          code: spec.code,
          known: row.decimals,
          configured: spec.decimals,
        },
      },
    );
  }
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
      ...(isBack ? { watchChangeId: changeId } : {}),
    },
  });
  if (isBack) await openBalances(tx, row, changeId);
}

/**
 * A balance to be opened for every live wallet of the chain. Where there is one already, the asset has been away and
 * what moved meanwhile is not known: its balance is taken back, with the entries that say so, and read anew. What was
 * confirmed before is a part of what is read then, and weighs nothing beside it (see readWeights).
 */
async function openBalances(tx: Tx, asset: { id: number; chainName: string }, changeId: string) {
  // What an asset did before is looked for from the beginning of each wallet's history; what is there stays.
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
    SET confirmed = 0, opening = NULL, since_change_id = EXCLUDED.since_change_id`;
}
