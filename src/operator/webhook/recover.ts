import { z } from "zod";
import { type RecoveryAsked, recoveredStatuses } from "../../domain/delivery/delivery.ts";
import { Fault } from "../../domain/fault.ts";
import { invalidField } from "../../domain/text.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { count, idText } from "../../schema/answers.ts";
import { given } from "../../schema/fields.ts";
import { recoveryFields, recoveryFilterOf } from "../../schema/recovery.ts";
import { defineChange } from "../define-verb.ts";
import { argument, moment, optional, type Reader, required, text, words } from "../parameter.ts";
import { requireWebhookName } from "./webhook-name.ts";

type Ledger = {
  recoverDeliveries: (name: WebhookName, asked: RecoveryAsked) => Promise<{ queued: number }>;
};

type Input = {
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
};

/** ASSET:AMOUNT, separated by commas. */
const amounts: Reader<Readonly<Record<string, string>>> = {
  expected: "Expected amounts such as USDC:100,ETH:0.5.",
  read: (given) => {
    const read = given.split(",").map((one) => one.trim().split(":"));
    const isWhole = read.every((one) => one.length === 2 && one.every((part) => part !== ""));
    return isWhole ? Object.fromEntries(read) : undefined;
  },
};

/**
 * Queues again what a webhook did not accept. Safe to repeat: deliveries that are under way or
 * delivered are left alone. @throws Fault `webhook_not_found`, `webhook_inactive`,
 * `invalid_request`
 */
export const webhookRecover = defineChange({
  noun: "webhook",
  http: {
    method: "POST",
    path: "/webhooks/:id/recover",
    summary: "Queue again what it did not accept",
    status: 202,
    refuses: ["webhook_inactive"],
    body: z.strictObject(recoveryFields),
    input: ({ params, body }) => ({
      id: params.id,
      since: body.since,
      until: body.until,
      include: body.include,
      event: body.filter?.events,
      blockchain: body.filter?.blockchains,
      asset: body.filter?.assets,
      wallet: body.filter?.wallet_ids,
      reference: body.filter?.references,
      minAmount: body.filter?.min_amount,
      minUsd: body.filter?.min_usd,
    }),
  },
  cli: {
    name: "recover",
    help: "Queue again what a webhook did not accept, after an outage of its receiver.",
    examples: [
      "webhook recover 018f… --since 2026-01-31T12:00:00Z",
      "webhook recover 018f… --since 2026-01-31 --include waiting,exhausted",
      "webhook recover 018f… --since 2026-01-31 --event transaction.deposit --min-amount USDC:1000",
    ],
    takes: {
      id: argument("<id>"),
      since: required("--since <time>", moment, "what was written from then on"),
      until: optional("--until <time>", moment, "and before then"),
      include: optional(
        "--include <words>",
        words,
        `some of ${recoveredStatuses.join(", ")}; all but waiting if left out`,
      ),
      event: optional("--event <names>", words, "of these events alone"),
      blockchain: optional("--blockchain <names>", words, "of these chains alone"),
      asset: optional("--asset <codes>", words, "of these assets alone"),
      wallet: optional("--wallet <ids>", words, "of these wallets alone"),
      reference: optional("--reference <prefixes>", words, "whose references begin so"),
      minAmount: optional(
        "--min-amount <list>",
        amounts,
        "ASSET:AMOUNT of each asset that is limited, separated by commas",
      ),
      minUsd: optional("--min-usd <amount>", text, "worth at least so much, or without a price"),
    },
  },
  check: ({ id, since, until, include, ...named }: Input) => ({
    name: requireWebhookName(id),
    asked: {
      since,
      until: until ?? null,
      ...given({ include: include?.map(toStatus), filter: toFilter(named) }),
    },
  }),
  call: (ledger: Ledger, { name, asked }) => ledger.recoverDeliveries(name, asked),
  audit: {
    action: "webhook.recover",
    describe: ({ queued }, { name, asked }) => ({
      subject: name.webhookId,
      details: { ...asked, queued },
    }),
  },
  answer: z.object({ id: idText, queued: count }),
  present: ({ queued }, { name }) => ({ id: name.webhookId, queued }),
});

/** @throws Fault `invalid_request` that names the field */
function toFilter(named: Omit<Input, "id" | "since" | "until" | "include">) {
  const { event, blockchain, asset, wallet, reference, minAmount, minUsd } = named;
  const asked = given({
    events: event,
    blockchains: blockchain,
    assets: asset,
    wallet_ids: wallet,
    references: reference,
    min_amount: minAmount,
    min_usd: minUsd,
  });
  const parsed = recoveryFields.filter.safeParse(asked);
  if (parsed.success) return recoveryFilterOf(parsed.data);
  const [issue] = parsed.error.issues;
  throw invalidField(`filter.${issue?.path.join(".")}`, issue?.message ?? "it is not a filter");
}

function toStatus(word: string) {
  const status = recoveredStatuses.find((known) => known === word);
  if (status !== undefined) return status;
  const message = `expected some of ${recoveredStatuses.join(", ")}`;
  throw new Fault("invalid_request", `include: ${message}`, {
    facts: { details: [{ field: "include", message }] },
  });
}
