import { Fault } from "../../domain/fault.ts";
import type { AssetSpec, ChainAssets } from "../../domain/money/asset.ts";
import type { ConfigurationChange } from "../../domain/watch/configuration.ts";
import type { Tx } from "../postgres/transaction.ts";

export type AssetRow = {
  id: number;
  chainName: string;
  code: string;
  address: string;
  decimals: number;
  kind: string;
  configured: boolean;
  leftAt: Date | null;
};

/**
 * The steps from a chain of the ledger to the configured one. Without steps nothing has to be done.
 */
export type AssetPlan = {
  isNewChain: boolean;
  added: AssetSpec[];
  changed: { spec: AssetSpec; row: AssetRow }[];
  /** Assets that are still recorded, but not notified. */
  left: AssetRow[];
  /** Assets that are not recorded any more. */
  removed: AssetRow[];
};

/** The fate of an asset that is not configured any more. */
export type AbsentAssets = "recorded" | "removed";

/**
 * Compares a chain's configuration with the ledger. Reads only.
 * @throws Fault `wrong_chain_id`, `asset_decimals_changed`, `invalid_configuration` if it can never
 *   be applied
 */
export async function planAssets(
  tx: Tx,
  chain: ChainAssets,
  absent: AbsentAssets,
): Promise<AssetPlan> {
  const row = await tx.chain.findUnique({ where: { name: chain.name } });
  if (row !== null && row.evmChainId !== BigInt(chain.chainId))
    throw wrongChainId(chain, row.evmChainId);
  const known = await tx.asset.findMany({ where: { chainName: chain.name } });
  const plan: AssetPlan = {
    isNewChain: row === null,
    added: [],
    changed: [],
    left: [],
    removed: [],
  };
  const byAddress = new Map(known.map((asset) => [asset.address, asset]));
  // An asset is identified by its address. Its code, decimals and kind are properties.
  for (const spec of chain.assets) {
    const holder = known.find(
      (asset) => asset.code === spec.code && asset.address !== spec.address,
    );
    if (holder !== undefined) throw codeTaken(chain.name, spec, holder);
    const asset = byAddress.get(spec.address);
    if (asset === undefined) plan.added.push(spec);
    else if (!isSame(spec, asset)) plan.changed.push({ spec, row: asset });
  }
  const configured = new Set<string>(chain.assets.map((spec) => spec.address));
  const missing = known.filter((asset) => asset.configured && !configured.has(asset.address));
  if (absent === "removed") plan.removed = missing;
  else plan.left = missing.filter(({ leftAt }) => leftAt === null);
  await requireSameDecimals(tx, chain.name, plan);
  return plan;
}

/** The plan's changes, for the operator who decides on them. */
export function changesOf({ name: chain }: ChainAssets, plan: AssetPlan): ConfigurationChange[] {
  const change = (kind: ConfigurationChange["change"], code: string | null) => {
    return { chain, asset: code, change: kind };
  };
  return [
    ...(plan.isNewChain ? [change("chain_added", null)] : []),
    ...plan.added.map(({ code }) => change("asset_added", code)),
    ...plan.changed.map(({ spec, row }) => change(kindOfChange(row), spec.code)),
    ...plan.left.map(({ code }) => change("asset_left", code)),
    ...plan.removed.map(({ code }) => change("asset_removed", code)),
  ];
}

function kindOfChange({ configured, leftAt }: AssetRow): ConfigurationChange["change"] {
  return configured && leftAt === null ? "asset_changed" : "asset_back";
}

function isSame(spec: AssetSpec, row: AssetRow): boolean {
  const isDescribed =
    spec.code === row.code && spec.decimals === row.decimals && spec.kind === row.kind;
  return row.configured && row.leftAt === null && isDescribed;
}

function wrongChainId({ name, chainId }: ChainAssets, known: bigint): Fault {
  return new Fault(
    "wrong_chain_id",
    `Chain '${name}' has chain id ${known} in the ledger and ${chainId} in the configuration. Correct chain_id, or give the other chain a name of its own.`,
    { facts: { chain: name, known: Number(known), configured: chainId } },
  );
}

function codeTaken(chainName: string, spec: AssetSpec, holder: AssetRow): Fault {
  return new Fault(
    "invalid_configuration",
    `Asset '${spec.code}' of chain '${chainName}' is ${spec.address} in the configuration and ${holder.address} in the ledger. Give the new asset a code of its own.`,
    {
      facts: { chain: chainName, code: spec.code, known: holder.address, configured: spec.address },
    },
  );
}

/** Refuses other decimals for an asset with stored amounts: they would mean something else. */
async function requireSameDecimals(tx: Tx, chainName: string, plan: AssetPlan): Promise<void> {
  for (const { spec, row } of plan.changed) {
    if (spec.decimals === row.decimals) continue;
    const where = { where: { assetId: row.id }, select: { id: true } };
    const used =
      (await tx.transaction.findFirst(where)) ??
      (await tx.ledgerEntry.findFirst(where)) ??
      (await tx.threshold.findFirst({ where: { assetId: row.id }, select: { assetId: true } }));
    if (used === null) continue;
    throw new Fault(
      "asset_decimals_changed",
      `Asset '${spec.code}' of chain '${chainName}' has amounts with ${row.decimals} decimals, the configuration says ${spec.decimals}: put ${row.decimals} back.`,
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
