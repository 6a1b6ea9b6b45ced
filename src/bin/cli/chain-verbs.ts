import type { Command } from "commander";
import type { Verb } from "./verb.ts";
import { addNoun, addVerb, parseBlock } from "./verb.ts";

/** `status`, `rewind`, `chain reset` */
export function addChainVerbs(program: Command, onVerb: (verb: Verb) => void): void {
  addVerb(program, {
    usage: "status",
    description: "Show how far each chain is, and what is still to be told.",
    examples: ["status", "status --json"],
  }).action(() => onVerb((commands) => commands.showStatus()));
  addVerb(program, {
    usage: "rewind",
    description:
      "Read the blocks above a block once more, as after a reorg: what is found again stays as it is and notifies nobody, what is not becomes dropped or reversed.",
    examples: ["rewind --chain ethereum --to-block 19000000"],
  })
    .requiredOption("--chain <name>", "which chain")
    .requiredOption("--to-block <n>", "the last block that is left as it is", parseBlock)
    .action(({ chain, toBlock }: { chain: string; toBlock: number }) =>
      onVerb((commands) => commands.rewindChain({ name: chain, toBlock })),
    );
  const chain = addNoun(program, "chain", "The chains that are watched.");
  addVerb(chain, {
    usage: "reset <name>",
    description:
      "Forget a chain and begin it anew, after a test chain was set up afresh: what was on it becomes dropped or reversed, which notifies.",
    examples: ["chain reset anvil"],
  }).action((name: string) => onVerb((commands) => commands.resetChain(name)));
}
