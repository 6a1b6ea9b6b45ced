import type { ChainAssets } from "../../domain/money/asset.ts";
import type { ConfigurationChange } from "../../domain/watch/configuration.ts";

/** The chains and assets that this process's configuration file watches. */
export type Configured = { configured: readonly ChainAssets[] };

const meanings = {
  chain_added: "the chain is added",
  asset_added: "is watched from now on",
  asset_changed: "is described otherwise",
  asset_back: "is watched and notified again",
  asset_left: "is recorded as before, and nobody is notified of it",
  asset_removed: "is not recorded any more",
} as const satisfies Record<ConfigurationChange["change"], string>;

export function presentChanges(of: { version: bigint | null; changes: ConfigurationChange[] }) {
  return {
    version: of.version === null ? null : Number(of.version),
    changes: of.changes.map(({ change, ...what }) => ({ ...what, change: meanings[change] })),
  };
}
