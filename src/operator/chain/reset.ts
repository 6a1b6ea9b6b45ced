import { z } from "zod";
import { count } from "../../schema/answers.ts";
import { noBody } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { requireChainName } from "./chain-name.ts";

type Outcome = { dropped: number; reversed: number; notified: number };

type Ledger = { resetChain: (chainName: string) => Promise<Outcome> };

/**
 * Forgets a chain and begins it anew with whatever chain answers next; what was on it becomes dropped or reversed, which
 * notifies. @throws Fault `chain_not_found`
 */
export const chainReset = defineChange({
  noun: "chain",
  http: {
    method: "POST",
    path: "/chains/:name/reset",
    summary: "Forget a chain and begin it anew",
    description: "What was on it becomes dropped or reversed, which notifies.",
    body: noBody,
    input: ({ params }) => ({ name: params.name }),
  },
  cli: {
    name: "reset",
    help: "Forget a chain and start over, for a test chain that was set up again: what was on it becomes dropped or reversed, and is notified.",
    examples: ["chain reset anvil"],
    takes: { name: argument("<name>") },
  },
  check: ({ name }: { name: string }) => requireChainName(name),
  call: ({ ledger }: { ledger: Ledger }, name) => ledger.resetChain(name),
  audit: {
    action: "chain.reset",
    describe: (outcome, name) => ({ subject: name, details: outcome }),
  },
  answer: z.object({ name: z.string(), dropped: count, reversed: count, notified: count }),
  present: ({ dropped, reversed, notified }, name) => ({ name, dropped, reversed, notified }),
});
