import type { Command } from "commander";
import type { Verb } from "./verb.ts";
import { addNoun, addVerb, parseCount, readAll } from "./verb.ts";

type OnVerb = (verb: Verb) => void;

/** `business create | verify | suspend | resume | set | list` */
export function addBusinessVerbs(program: Command, onVerb: OnVerb): void {
  const business = addNoun(program, "business", "Customers of the service.");
  addVerb(business, {
    usage: "create",
    description: "Create a business. Its API keys open nothing until it is verified.",
    examples: ['business create --name "Example Ltd" --verified'],
  })
    .requiredOption("--name <name>", "what it is called")
    .option("--verified", "verify it at once")
    .action(({ name, verified }: { name: string; verified?: true }) =>
      onVerb((commands) => commands.createBusiness({ name, verified: verified ?? false })),
    );
  addStateVerbs(business, onVerb);
  addSetVerb(business, onVerb);
  addVerb(business, {
    usage: "list",
    description: "List the businesses, newest first.",
    examples: ["business list", "business list --limit 10 --json"],
  })
    .option("--limit <n>", "at most so many", parseCount)
    .action(({ limit }: { limit?: number }) =>
      onVerb((commands) => readAll((page) => commands.listBusinesses(page), limit)),
    );
}

function addStateVerbs(business: Command, onVerb: OnVerb): void {
  addVerb(business, {
    usage: "verify <id>",
    description: "Verify a business: from now on its API keys open the API.",
    examples: ["business verify 018f…"],
  }).action((id: string) => onVerb((commands) => commands.verifyBusiness(id)));
  addVerb(business, {
    usage: "suspend <id>",
    description: "Suspend a business: its API keys are refused; its wallets stay watched.",
    examples: ["business suspend 018f…"],
  }).action((id: string) => onVerb((commands) => commands.suspendBusiness(id)));
  addVerb(business, {
    usage: "resume <id>",
    description: "End the suspension of a business.",
    examples: ["business resume 018f…"],
  }).action((id: string) => onVerb((commands) => commands.resumeBusiness(id)));
}

type Settings = { name?: string; notifyPending?: boolean; inFlight?: number | "default" };

function addSetVerb(business: Command, onVerb: OnVerb): void {
  addVerb(business, {
    usage: "set <id>",
    description: "Change what is said of a business; what is left out stays.",
    examples: ["business set 018f… --notify-pending", "business set 018f… --in-flight default"],
  })
    .option("--name <name>", "what it is called")
    .option("--notify-pending", "notify transaction.pending and transaction.dropped too")
    .option("--no-notify-pending", "notify them no more")
    .option("--in-flight <k>", "deliveries under way at once, or `default`", parseInFlight)
    .action((id: string, { name, notifyPending, inFlight }: Settings) =>
      onVerb((commands) =>
        commands.setBusiness(id, {
          ...(name === undefined ? {} : { name }),
          ...(notifyPending === undefined ? {} : { notify_pending: notifyPending }),
          ...(inFlight === undefined
            ? {}
            : { in_flight: inFlight === "default" ? null : inFlight }),
        }),
      ),
    );
}

function parseInFlight(text: string): number | "default" {
  return text === "default" ? text : parseCount(text);
}
