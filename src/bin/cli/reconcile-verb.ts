import type { Command } from "commander";
import type { Verb } from "./verb.ts";
import { addVerb } from "./verb.ts";

/** docs/contract.md#exit-status. */
const foundDifferences = 3;

/** `reconcile` */
export function addReconcileVerb(program: Command, onVerb: (verb: Verb) => void): void {
  addVerb(program, {
    usage: "reconcile",
    description:
      "Compare the ledger with the chains, of all wallets or of one, and show each difference and what came of it: found (by reading its blocks again), adjusted (an asset that changes by itself), unattributed (on a chain that cannot be traced) or discrepancy. Status 3 where there are discrepancies.",
    examples: ["reconcile", "reconcile --wallet 018f… --json"],
  })
    .option("--wallet <id>", "of this wallet alone")
    .action((options: { wallet?: string }) =>
      onVerb(async (_, terminal, chains) => {
        const { wallet } = options;
        const report = await chains.reconcile(wallet === undefined ? {} : { walletId: wallet });
        if (report.discrepancies > 0) terminal.endWith(foundDifferences);
        return report;
      }),
    );
}
