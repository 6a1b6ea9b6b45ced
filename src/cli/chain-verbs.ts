import type { Command } from "commander";
import type { Verb } from "./verb.ts";
import { addNoun, addVerb } from "./verb.ts";

/** `status`, `chain reset` */
export function addChainVerbs(program: Command, onVerb: (verb: Verb) => void): void {
  addVerb(program, {
    usage: "status",
    description: "Show how far each chain is, and what is still to be told.",
    examples: ["status", "status --json"],
  }).action(() => onVerb((commands) => commands.showStatus()));
  const chain = addNoun(program, "chain", "The chains that are watched.");
  addVerb(chain, {
    usage: "reset <name>",
    description:
      "Forget a chain and begin it anew, after a test chain was set up afresh: what was on it becomes dropped or reversed, which rings.",
    examples: ["chain reset anvil"],
  }).action((name: string) => onVerb((commands) => commands.resetChain(name)));
}
