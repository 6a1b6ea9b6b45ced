import type { DeliveryRecovery, RecoveryName } from "../../domain/delivery/recovery.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { presentRecovery, shownRecovery } from "../../schema/recovery.ts";
import { defineList } from "../define-list.ts";
import { defineReading } from "../define-verb.ts";
import { argument } from "../parameter.ts";
import { requireWebhookName } from "./webhook-name.ts";

type ListPorts = {
  ledger: {
    readRecoveries: (name: WebhookName, page: PageRequest) => Promise<Page<DeliveryRecovery>>;
  };
};

/** Lists the recoveries of a webhook, newest first. */
export const webhookRecoveries = defineList({
  noun: "webhook",
  http: {
    path: "/webhooks/:id/recoveries",
    summary: "List the recoveries of a webhook",
    filter: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "recoveries",
    help: "List the recoveries of a webhook and how far they are, newest first.",
    examples: ["webhook recoveries 018f…"],
    takes: { id: argument("<id>", "the id of the webhook") },
    standardLimit: 100,
  },
  check: ({ id }: { id: string }) => requireWebhookName(id),
  call: ({ ledger }: ListPorts, name, page) => ledger.readRecoveries(name, page),
  row: shownRecovery,
  present: presentRecovery,
});

type Ports = {
  ledger: { readDeliveryRecovery: (name: RecoveryName) => Promise<DeliveryRecovery> };
};

/** Shows one recovery. @throws Fault `recovery_not_found` */
export const webhookRecovery = defineReading({
  noun: "webhook",
  http: {
    method: "GET",
    path: "/webhooks/:id/recoveries/:recovery",
    summary: "How far a recovery of a webhook is",
    input: ({ params }) => params,
  },
  cli: null,
  check: ({ id, recovery }: { id: string; recovery: string }) => ({
    ...requireWebhookName(id),
    recoveryId: requireId(recovery, "recovery_not_found"),
  }),
  call: ({ ledger }: Ports, name) => ledger.readDeliveryRecovery(name),
  answer: shownRecovery,
  present: presentRecovery,
});
