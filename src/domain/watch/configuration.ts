import { createHash } from "node:crypto";
import type { ChainAssets } from "../money/asset.ts";

/**
 * One difference between what is configured and what the ledger watches. An asset that `left` is recorded as before, and
 * nobody is notified of it, until it comes back or is removed.
 */
export type ConfigurationChange = {
  chain: string;
  /** Its code; null: the chain itself. */
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
 * When a configuration is applied: where the ledger knows no chain yet (`first`); where it has not been applied before
 * (`once`); or because somebody asked for it (`asked`).
 */
export type ApplyWhen = "first" | "once" | "asked";

/**
 * What came of it. `older`: it was applied before, and another one since, which it would undo.
 * `not_asked`: there are changes, and nobody asked for them.
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

/** What a configuration watches, as 64 hexadecimal digits; the order of chains and assets does not matter. */
export function digestOf(chains: readonly ChainAssets[]): string {
  const lines = chains.flatMap(({ name, chainId, assets }) => [
    JSON.stringify([name, chainId]),
    ...assets.map(({ code, address, decimals, kind }) =>
      JSON.stringify([name, code, address, decimals, kind]),
    ),
  ]);
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}
