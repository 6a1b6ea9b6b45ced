import { z } from "zod";
import { count } from "../../schema/answers.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";
import { requireChainName } from "./chain-name.ts";

type Outcome = { dropped: number; reversed: number; notified: number };

type Ledger = { resetChain: (chainName: string) => Promise<Outcome> };

/**
 * Deletes what is known of a chain, and starts again with the chain that the endpoints serve then.
 * @throws Fault `chain_not_found`
 */
export const chainReset = defineChangeOfOne({
  noun: "chain",
  name: "reset",
  param: "name",
  http: {
    method: "POST",
    path: "/chains/:name/reset",
    summary: "Forget a chain and begin it anew",
    description: "Its transactions become dropped or reversed, which notifies.",
    refusesBody: true,
  },
  help: "Forget a chain and start over. This is for a test chain that was set up again. Its transactions become dropped or reversed, which is notified.",
  check: requireChainName,
  call: (ledger: Ledger, name) => ledger.resetChain(name),
  describe: (outcome, name) => ({ subject: name, details: outcome }),
  answer: z.object({ name: z.string(), dropped: count, reversed: count, notified: count }),
  present: ({ dropped, reversed, notified }, name) => ({ name, dropped, reversed, notified }),
});
