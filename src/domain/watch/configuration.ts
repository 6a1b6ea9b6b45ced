import { createHash } from "node:crypto";
import type { ChainAssets } from "../money/asset.ts";

/**
 * One difference between the configuration and what the ledger watches. An asset that has `left` is
 * recorded as before, and nobody is notified of it. That lasts until it comes back or is removed.
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
 * The condition on which a configuration is applied. `first`: the ledger knows no chain yet.
 * `once`: it has not been applied before. `asked`: somebody asked for it.
 */
export type ApplyWhen = "first" | "once" | "asked";

/**
 * The outcome of applying a configuration. `older`: it was applied before, and another one since,
 * which it would undo. `not_asked`: there are changes, and nobody asked for them.
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
 * The digest of what a configuration watches, as 64 hexadecimal digits. The order of chains and
 * assets does not matter.
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
