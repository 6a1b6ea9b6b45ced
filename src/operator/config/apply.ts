import type { Audited } from "../../domain/business/audit.ts";
import type { ChainAssets } from "../../domain/money/asset.ts";
import type { ApplyWhen, ConfigurationOutcome } from "../../domain/watch/configuration.ts";
import { defineCommand } from "../define-command.ts";
import { flag } from "../parameter.ts";
import { type Configured, presentChanges } from "./changes.ts";

type Request = {
  chains: readonly ChainAssets[];
  when: ApplyWhen;
  absent: "recorded" | "removed";
};

type Ledger = { applyConfiguration: (request: Request) => Promise<ConfigurationOutcome> };

type Ports = Configured & { audited: Audited<Ledger> };

/**
 * Watches the chains and assets of the file from now on, in one transaction. Chains that the file
 * does not name are still watched. Safe to repeat.
 * @throws Fault `wrong_chain_id`, `asset_decimals_changed`, `invalid_configuration`
 */
export const configApply = defineCommand({
  noun: "config",
  name: "apply",
  help: "Watch what this configuration file names: its chains and assets, from now on. Chains that it does not name stay as they are. An asset that it leaves out is recorded as before, and nobody is notified of it. Restart the daemons of a chain that is added.",
  examples: ["config apply", "config apply --remove-absent"],
  takes: {
    removesAbsent: flag(
      "--remove-absent",
      "stop recording the assets that the file leaves out of its chains",
    ),
  },
  run: ({ audited, configured }: Ports, { removesAbsent }: { removesAbsent: boolean }) =>
    audited("config.apply", async (ledger) => {
      const absent = removesAbsent ? "removed" : "recorded";
      const request = { chains: configured, when: "asked", absent } as const;
      const outcome = await ledger.applyConfiguration(request);
      const changes = outcome.kind === "same" ? [] : outcome.changes;
      const output = presentChanges({ version: outcome.version, changes });
      return { output, entry: { subject: null, details: output } };
    }),
});
