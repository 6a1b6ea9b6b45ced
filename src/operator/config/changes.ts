import type { ChainAssets } from "../../domain/money/asset.ts";
import type { ConfigurationChange } from "../../domain/watch/configuration.ts";

/** The chains and assets that this process's configuration file watches. */
export type Configured = { configured: readonly ChainAssets[] };

/** The changes of a configuration, in words after the name of the chain or asset. */
export const configurationChanges = {
  chain_added: { description: "the chain is added" },
  asset_added: { description: "is watched from now on" },
  asset_changed: { description: "is described otherwise" },
  asset_back: { description: "is watched and notified again" },
  asset_left: { description: "is recorded as before, and nobody is notified of it" },
  asset_removed: { description: "is not recorded any more" },
} as const satisfies Record<ConfigurationChange["change"], { description: string }>;

export function presentChanges(of: { version: bigint | null; changes: ConfigurationChange[] }) {
  return {
    version: of.version === null ? null : Number(of.version),
    changes: of.changes.map(presentChange),
  };
}

export function presentChange({ change, ...what }: ConfigurationChange) {
  return { ...what, change: configurationChanges[change].description };
}
