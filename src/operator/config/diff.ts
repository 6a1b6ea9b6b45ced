import type { ChainAssets } from "../../domain/money/asset.ts";
import type { ConfigurationChange } from "../../domain/watch/configuration.ts";
import { defineCommand } from "../define-command.ts";
import { type Configured, presentChanges } from "./changes.ts";

type Stored = { version: bigint | null; changes: ConfigurationChange[] };

type Ports = Configured & {
  ledger: { readConfiguration: (chains: readonly ChainAssets[]) => Promise<Stored> };
};

/** Compares the file's chains and assets with what is watched. Changes nothing. */
export const configDiff = defineCommand({
  noun: "config",
  name: "diff",
  help: "Show what `config apply` would change of what is watched. Status 3 where there is something.",
  examples: ["config diff"],
  takes: {},
  run: async ({ ledger, configured }: Ports, _: object) =>
    presentChanges(await ledger.readConfiguration(configured)),
  hasFindings: ({ changes }) => changes.length > 0,
});
