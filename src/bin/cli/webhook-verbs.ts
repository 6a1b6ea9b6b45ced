import type { Command } from "commander";
import { addNoun, addVerb, parseCount, readAll, type Verb } from "./verb.ts";

/** `webhook list | enable | disable`, `notification redeliver` */
export function addWebhookVerbs(program: Command, onVerb: (verb: Verb) => void): void {
  const webhook = addNoun(program, "webhook", "Where businesses are notified.");
  addVerb(webhook, {
    usage: "list",
    description: "List the current webhooks with their health, newest first.",
    examples: ["webhook list --json"],
  })
    .option("--limit <n>", "at most so many", parseCount)
    .action(({ limit }: { limit?: number }) =>
      onVerb((commands) => readAll((page) => commands.listWebhooks(page), limit)),
    );
  addVerb(webhook, {
    usage: "enable <id>",
    description: "Notify a webhook again; what was held for it is due at once.",
    examples: ["webhook enable 018f…"],
  }).action((id: string) => onVerb((commands) => commands.enableWebhook(id)));
  addVerb(webhook, {
    usage: "disable <id>",
    description: "Notify a webhook no more; its events are held.",
    examples: ["webhook disable 018f…"],
  }).action((id: string) => onVerb((commands) => commands.disableWebhook(id)));
  const notification = addNoun(program, "notification", "What businesses are told.");
  addVerb(notification, {
    usage: "redeliver <id>",
    description: "Deliver a notification once more: the same body and id, one attempt.",
    examples: ["notification redeliver 018f…"],
  }).action((id: string) => onVerb((commands) => commands.redeliverNotification(id)));
}
