import { z } from "zod";
import {
  type RecoveryAsked,
  type RecoveryPreview,
  recoveredStatuses,
} from "../../domain/delivery/delivery.ts";
import type { DeliveryRecovery } from "../../domain/delivery/recovery.ts";
import { invalidField } from "../../domain/text.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { idText } from "../../schema/answers.ts";
import { given } from "../../schema/fields.ts";
import {
  presentPreview,
  presentRecovery,
  recoveryAsked,
  recoveryAudit,
  recoveryFields,
  recoveryProgress,
  shownRecovery,
} from "../../schema/recovery.ts";
import { defineCommand } from "../define-command.ts";
import { defineChange } from "../define-verb.ts";
import {
  argument,
  flag,
  moment,
  optional,
  type Reader,
  required,
  text,
  toggle,
  words,
} from "../parameter.ts";
import type { ShowProgress } from "../verb-bindings.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  beginRecovery: (name: WebhookName, asked: RecoveryAsked) => Promise<DeliveryRecovery>;
};

type Asked = z.output<typeof recoveryBody>;

const recoveryBody = z.strictObject(recoveryFields);

const recover = defineChange({
  noun: "webhook",
  http: {
    method: "POST",
    path: "/webhooks/:id/recover",
    summary: "Queue again what it did not accept",
    status: 202,
    refuses: ["webhook_inactive", "recovery_running"],
    body: recoveryBody,
    input: ({ params, body }) => ({ id: params.id, asked: body }),
  },
  cli: null,
  check: ({ id, asked }: { id: string; asked: Asked }) => ({
    name: requireWebhookName(id),
    asked: recoveryAsked(asked),
  }),
  call: (ledger: Ledger, { name, asked }) => ledger.beginRecovery(name, asked),
  audit: {
    action: "webhook.recover",
    describe: (recovery, { asked }) => recoveryAudit(recovery, asked),
  },
  answer: shownRecovery.extend({ id: idText.meta({ description: "The id of the webhook." }) }),
  present: (recovery) => ({ id: recovery.webhookId, ...presentRecovery(recovery) }),
});

type FollowPorts = Parameters<typeof recover.perform>[0] & {
  ledger: {
    previewRecovery: (name: WebhookName, asked: RecoveryAsked) => Promise<RecoveryPreview>;
  };
  /** Follows a recovery until it is over, or until it waits for its webhook. */
  followRecovery: (
    recovery: { id: string; webhookId: string },
    onProgress: (recovery: DeliveryRecovery) => void,
  ) => Promise<DeliveryRecovery>;
  showProgress: ShowProgress;
};

type Flags = {
  id: string;
  since: Date;
  until: Date | undefined;
  include: readonly string[] | undefined;
  event: readonly string[] | undefined;
  blockchain: readonly string[] | undefined;
  asset: readonly string[] | undefined;
  wallet: readonly string[] | undefined;
  reference: readonly string[] | undefined;
  minAmount: Readonly<Record<string, string>> | undefined;
  minUsd: string | undefined;
  preview: boolean;
  wait: boolean | undefined;
};

/** Reads ASSET:AMOUNT, separated by commas. */
const amounts: Reader<Readonly<Record<string, string>>> = {
  expected: "Expected amounts such as USDC:100,ETH:0.5.",
  read: (given) => {
    const read = given.split(",").map((one) => one.trim().split(":"));
    const isWhole = read.every((one) => one.length === 2 && one.every((part) => part !== ""));
    return isWhole ? Object.fromEntries(read) : undefined;
  },
};

const recoverAndFollow = defineCommand({
  noun: "webhook",
  name: "recover",
  help: "Queue again what a webhook did not accept, after an outage of its receiver. You may interrupt it: the daemon goes on.",
  examples: [
    "webhook recover 018f… --since 2026-01-31T12:00:00Z",
    "webhook recover 018f… --since 2026-01-31 --include waiting,exhausted",
    "webhook recover 018f… --since 2026-01-31 --event transaction.deposit --min-amount USDC:1000",
    "webhook recover 018f… --since 2026-01-31 --preview",
  ],
  takes: {
    id: argument("<id>", "the id of the webhook"),
    since: required("--since <time>", moment, "notifications that were written from this time on"),
    until: optional("--until <time>", moment, "and before this time"),
    include: optional(
      "--include <words>",
      words,
      `some of ${recoveredStatuses.join(", ")}; all but waiting if left out`,
    ),
    event: optional("--event <names>", words, "of these events alone"),
    blockchain: optional("--blockchain <names>", words, "of these chains alone"),
    asset: optional("--asset <codes>", words, "of these assets alone"),
    wallet: optional("--wallet <ids>", words, "of these wallets alone"),
    reference: optional(
      "--reference <prefixes>",
      words,
      "of wallets with references that begin with these texts alone",
    ),
    minAmount: optional(
      "--min-amount <list>",
      amounts,
      "ASSET:AMOUNT of each asset that is limited, separated by commas",
    ),
    minUsd: optional(
      "--min-usd <amount>",
      text,
      "worth at least this many US dollars, or without a price",
    ),
    preview: flag("--preview", "queue nothing; say how many it would be, and the ten oldest"),
    wait: toggle("wait", {
      on: "until everything is queued; the default",
      off: "leave all but the first batch to the daemon",
    }),
  },
  async run(ports: FollowPorts, flags: Flags) {
    const asked = askedBy(flags);
    if (flags.preview) {
      const name = requireWebhookName(flags.id);
      const found = await ports.ledger.previewRecovery(name, recoveryAsked(asked));
      return { id: flags.id, ...presentPreview(found) };
    }
    const begun = await recover.perform(ports, { id: flags.id, asked });
    if (begun.state !== "running" || flags.wait === false) return begun;
    const bar = ports.showProgress("recovery", 100);
    try {
      const followed = { id: begun.recovery, webhookId: begun.webhook_id };
      const ended = await ports.followRecovery(followed, (now) =>
        bar.update(recoveryProgress(begun, presentRecovery(now))),
      );
      return { id: begun.id, ...presentRecovery(ended) };
    } finally {
      bar.end();
    }
  },
});

/**
 * Queues again what a webhook did not accept, in batches. Skips deliveries that are under way or
 * delivered. The command line waits until it is done. With `--preview` it only says what it would
 * queue, and changes nothing.
 * @throws Fault `webhook_not_found`, `webhook_inactive`, `recovery_running`, `invalid_request`
 */
export const webhookRecover = { ...recover, cli: recoverAndFollow.cli };

const flagged = z.strictObject({
  include: recoveryFields.include,
  filter: recoveryFields.filter,
});

/** The recovery that the options ask for. @throws Fault `invalid_request` with the field */
function askedBy({ since, until, include, ...named }: Flags): Asked {
  const filter = given({
    events: named.event,
    blockchains: named.blockchain,
    assets: named.asset,
    wallet_ids: named.wallet,
    references: named.reference,
    min_amount: named.minAmount,
    min_usd: named.minUsd,
  });
  const parsed = flagged.safeParse(given({ include, filter }));
  if (parsed.success) return { since, until, ...parsed.data };
  const [issue] = parsed.error.issues;
  throw invalidField(issue?.path.join(".") ?? "filter", issue?.message ?? "it is not a filter");
}
