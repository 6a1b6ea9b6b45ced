import { createHash } from "node:crypto";
import type { ChainAssets } from "../money/asset.ts";

/**
 * A difference between the configuration and what the ledger watches. An asset that has `left` is
 * still recorded, but not notified, until it comes back or is removed.
 */
export type ConfigurationChange = {
  chain: string;
  /** The asset's code; null: the change is about the chain itself. */
  asset: string | null;
  change:
    | "chain_added"
    | "asset_added"
    | "asset_changed"
    | "asset_back"
    | "asset_left"
    | "asset_removed";
};

/**
 * When a configuration is applied. `first`: only if the ledger knows no chain yet. `once`: only if
 * it was never applied before. `asked`: in any case, because somebody asked for it.
 */
export type ApplyWhen = "first" | "once" | "asked";

/**
 * The outcome of applying a configuration. `older`: it was applied before, and a later one would be
 * undone. `not_asked`: it has changes that nobody asked for.
 */
export type ConfigurationOutcome =
  | { kind: "same"; version: bigint | null }
  | { kind: "applied"; version: bigint; changes: ConfigurationChange[] }
  | {
      kind: "pending";
      why: "not_asked" | "older";
      version: bigint | null;
      changes: ConfigurationChange[];
    };

/**
 * The digest of what a configuration watches: 64 hexadecimal digits. The order of chains and assets
 * does not matter.
 */
export function digestOf(chains: readonly ChainAssets[]): string {
  const lines = chains.flatMap(({ name, chainId, assets }) => [
    JSON.stringify([name, chainId]),
    ...assets.map(({ code, address, decimals, kind }) =>
      JSON.stringify([name, code, address, decimals, kind]),
    ),
  ]);
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}
