import { Command } from "commander";
import { addAuditVerbs } from "./audit-verbs.ts";
import { addBackfillVerb } from "./backfill-verb.ts";
import { addBusinessVerbs } from "./business-verbs.ts";
import { addChainVerbs } from "./chain-verbs.ts";
import { addKeyVerbs } from "./key-verbs.ts";
import { addReconcileVerb } from "./reconcile-verb.ts";
import type { Verb } from "./verb.ts";
import { addWalletVerbs } from "./wallet-verbs.ts";
import { addWebhookVerbs } from "./webhook-verbs.ts";

type ProgramDeps = {
  /** Called once, when the command line is whole; nothing has been done yet. */
  onVerb: (verb: Verb) => void;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
};

const exitStatusHelp = `
Exit status:
  0   done
  1   your command line, configuration or environment is at fault
  3   reconcile found discrepancies
  75  the database is out of reach: try again

Examples:
  $ npm run -s chainbell -- business create --name "Example Ltd" --verified
  $ npm run -s chainbell -- key create --business 018f… --label production
  $ npm run -s chainbell -- wallet add --business 018f… --blockchain ethereum --address 0x…
  $ npm run -s chainbell -- wallet import --business 018f… wallets.csv
  $ npm run -s chainbell -- status --json
`;

/** Every verb of the operator. Parsing throws a CommanderError instead of ending the process. */
export function createProgram(deps: ProgramDeps): Command {
  const program = new Command("chainbell")
    .description("What an operator does: businesses, their API keys and wallets, and the chains.")
    .option("--json", "print exactly one JSON document")
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ writeOut: deps.stdout, writeErr: deps.stderr })
    .addHelpText("after", exitStatusHelp);
  addBusinessVerbs(program, deps.onVerb);
  addKeyVerbs(program, deps.onVerb);
  addWalletVerbs(program, deps.onVerb);
  addChainVerbs(program, deps.onVerb);
  addBackfillVerb(program, deps.onVerb);
  addReconcileVerb(program, deps.onVerb);
  addAuditVerbs(program, deps.onVerb);
  addWebhookVerbs(program, deps.onVerb);
  return program;
}
