import type { Command } from "commander";
import type { Verb } from "./verb.ts";
import { addNoun, addVerb, parseCount, readAll } from "./verb.ts";

/** `key create | revoke | list` */
export function addKeyVerbs(program: Command, onVerb: (verb: Verb) => void): void {
  const key = addNoun(program, "key", "API keys of businesses.");
  addVerb(key, {
    usage: "create",
    description: "Create an API key. It is shown now and never again.",
    examples: ["key create --business 018f… --label production"],
  })
    .requiredOption("--business <id>", "whose key it is")
    .option("--label <label>", "what it is for")
    .action(({ business, label }: { business: string; label?: string }) =>
      onVerb((commands) =>
        commands.createKey({ businessId: business, ...(label === undefined ? {} : { label }) }),
      ),
    );
  addVerb(key, {
    usage: "revoke <id>",
    description: "Revoke an API key, by its id: it is refused within two seconds, for ever.",
    examples: ["key revoke 018f…"],
  }).action((id: string) => onVerb((commands) => commands.revokeKey(id)));
  addVerb(key, {
    usage: "list",
    description: "List the API keys of a business, newest first, revoked ones too.",
    examples: ["key list --business 018f…"],
  })
    .requiredOption("--business <id>", "whose keys")
    .option("--limit <n>", "at most so many", parseCount)
    .action(({ business, limit }: { business: string; limit?: number }) =>
      onVerb((commands) =>
        readAll((page) => commands.listApiKeys({ ...page, businessId: business }), limit),
      ),
    );
}
