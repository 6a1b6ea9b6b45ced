import type { Command } from "commander";
import type { Verb } from "./verb.ts";
import { addNoun, addVerb, parseCount, readAll } from "./verb.ts";

type Options = { limit?: number; actor?: string; action?: string; subject?: string };

/** `audit list` */
export function addAuditVerbs(program: Command, onVerb: (verb: Verb) => void): void {
  const audit = addNoun(program, "audit", "Who did what, and when.");
  addVerb(audit, {
    usage: "list",
    description: "List what operators did, newest first, by HTTP and on the command line.",
    examples: ["audit list --limit 20", "audit list --subject 018f… --json"],
  })
    .option("--actor <name>", "of this operator alone")
    .option("--action <noun.verb>", "this action alone, such as business.suspend")
    .option("--subject <id>", "done to this alone")
    .option("--limit <n>", "at most so many", parseCount, defaultLimit)
    .action(({ limit, ...filter }: Options) =>
      onVerb((commands) => readAll((page) => commands.listAudit({ ...page, ...filter }), limit)),
    );
}

/** A trail only grows: nobody wants all of it on the screen. */
const defaultLimit = 100;
