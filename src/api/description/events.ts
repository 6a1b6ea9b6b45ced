import { z } from "zod";
import type { Address } from "../../domain/chain/address.ts";
import {
  isBalanceEvent,
  isTransactionEvent,
  type NotificationEvent,
  notificationEvents,
  sightingEvent,
} from "../../domain/delivery/notification.ts";
import { sampleNotificationBody } from "../../domain/delivery/sample-notification.ts";
import { keysOf } from "../../domain/keys-of.ts";
import {
  balanceData,
  notificationData,
  notificationEnvelope,
  ownData,
  sightingData,
} from "../../schema/notification.ts";
import {
  type Document,
  type Operation,
  type Parameter,
  reference,
  type Schema,
} from "./document.ts";

const dataName = "NotificationData";
const balanceDataName = "BalanceNotificationData";
const sightingDataName = "TokenNotificationData";

/** Describes every event that webhooks get, from the schemas that check its body. */
export function addEvents(document: Document): void {
  const { components } = document;
  components.schemas[dataName] = {
    ...jsonOf(notificationData),
    description: "The event and its transaction. Further fields may be added.",
  };
  components.schemas[balanceDataName] = {
    ...jsonOf(balanceData),
    description: "The event, its balance and the threshold. Further fields may be added.",
  };
  components.schemas[sightingDataName] = {
    ...jsonOf(sightingData),
    description:
      "The transfer of a token that is not configured. It is money to nobody. Further fields may be added.",
  };
  components.parameters = { ...components.parameters, ...headers };
  document.webhooks = {};
  for (const event of keysOf(notificationEvents)) {
    components.schemas[nameOf(event)] = schemaOf(event);
    document.webhooks[event] = { post: operationOf(event) };
  }
}

type ExampleNames = { id: string; transactionId?: string; sequence?: number };

const depositId = "01a20098-8fc0-8006-8000-07e22e7f4d94";

/** The ids in the examples. The reversal undoes the deposit, which was pending before. */
const exampleNames = {
  "transaction.deposit": {
    id: "01a20098-8fc0-8006-8000-1e92b23647fa",
    transactionId: depositId,
    sequence: 1042,
  },
  "transaction.withdrawal": {
    id: "01a20098-a350-800b-8000-0c51d3e07b62",
    transactionId: "01a20098-a350-800b-8000-0300970724f9",
    sequence: 1043,
  },
  "transaction.payment": {
    id: "01a20098-b6d8-8010-8000-35a8f06c2d17",
    transactionId: "01a20098-b6d8-8010-8000-0258579f9100",
    sequence: 1044,
  },
  "transaction.reversed": {
    id: "01a20098-8fc0-8006-8000-28d07c94e1b3",
    transactionId: depositId,
    sequence: 1045,
  },
  "transaction.pending": {
    id: "01a20098-8fc0-8006-8000-117f3a5be840",
    transactionId: depositId,
    sequence: 1041,
  },
  "transaction.dropped": {
    id: "01a20098-ca60-8015-8000-3b60c8214f95",
    transactionId: "01a20098-ca60-8015-8000-06d9e5b31a7c",
    sequence: 1046,
  },
  "wallet.balance_below": { id: "01a20098-39e4-8000-8000-22b7f1904ce6" },
  "wallet.balance_restored": { id: "01a20098-39e4-8000-8000-0f48a6d3719b" },
  "token.unlisted": { id: "01a20098-8fc0-8007-8000-3c0e95b7f284" },
  "webhook.test": { id: "01a20098-de80-7a52-9d0c-7f2f6a3c1b55" },
} as const satisfies Record<NotificationEvent, ExampleNames>;

/** An example body of the event. It is made up, and the same each time. */
export function exampleOfEvent(event: NotificationEvent): { event: string; data: object } {
  const { id, transactionId, sequence }: ExampleNames = exampleNames[event];
  const body = sampleNotificationBody(event, {
    id,
    happenedAt: new Date("2026-01-31T12:00:00.000Z"),
    subject: {
      wallet: {
        id: "01a20098-39e4-7000-8000-02911919b011",
        address: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc" satisfies Address,
        chainName: "ethereum",
        reference: "customer-17",
      },
      asset: { code: "USDC", decimals: 6 },
      other: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266" satisfies Address,
      contract: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" satisfies Address,
      txHash: `0x${"825d3f0b7c9b4c7f".repeat(4)}`,
      blockNumber: 21_000_000n,
      blockHash: `0x${"5ad1c0e2b7f34a96".repeat(4)}`,
    },
  });
  const { data, ...envelope } = JSON.parse(body);
  // Replaces ids that a sample makes anew each time.
  if (transactionId !== undefined) data.transactionId = transactionId;
  if (event === sightingEvent) data.sightingId = "01a20098-8fc0-8007-8000-1f5c7e0a2b66";
  if ("reversesNotificationId" in data)
    data.reversesNotificationId = exampleNames["transaction.deposit"].id;
  return { ...envelope, ...(sequence === undefined ? {} : { sequence }), data };
}

function operationOf(event: NotificationEvent): Operation {
  const { description, askedBy } = notificationEvents[event];
  return {
    operationId: `on${nameOf(event)}`,
    tags: ["Events"],
    summary: `Sent when ${description}`,
    description: `${repetition}${askedBy === null ? "" : askedWords[askedBy]}`,
    security: [],
    parameters: Object.keys(headers).map((name) => reference("parameters", name)),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: reference("schemas", nameOf(event)),
          example: exampleOfEvent(event),
        },
      },
    },
    responses: {
      200: {
        description: "Received, as with any other 2xx. Chainbell does not interpret its body.",
      },
      410: { description: "Nothing more is to be sent: the webhook is deactivated." },
      503: { description: "Not now: it is sent again, and `Retry-After` is heeded." },
    },
  };
}

const askedWords = {
  business: " Only for a business that asked for it.",
  webhook: " Only for a webhook whose filter names it in `events`.",
} as const;

const repetition =
  "Sent until a receiver answers 2xx within 15 seconds. It comes at least once, and in no promised order. Recognise a repetition by `id`.";

function schemaOf(event: NotificationEvent): Schema {
  const { properties, required = [], ...envelope } = jsonOf(notificationEnvelope(event));
  const data = { allOf: [reference("schemas", dataNameOf(event)), jsonOf(ownData(event))] };
  return {
    ...envelope,
    description: `The body that is sent when ${notificationEvents[event].description}.`,
    properties: { ...properties, data },
    required: [...required, "data"],
  };
}

/** The name of the data's schema, which several events share. */
function dataNameOf(event: NotificationEvent): string {
  if (isBalanceEvent(event)) return balanceDataName;
  return isTransactionEvent(event) ? dataName : sightingDataName;
}

/** The JSON Schema of a schema. It allows fields that may be added later. */
function jsonOf(schema: z.ZodType): Schema {
  const { $schema: _, additionalProperties: _closed, ...json } = z.toJSONSchema(schema);
  // The result is in the dialect of OpenAPI 3.1, and has more members than its type.
  return json as Schema;
}

/** `transaction.deposit` is TransactionDeposit. */
function nameOf(event: NotificationEvent): string {
  return event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function header(name: string, description: string, more: { required: boolean; example: string }) {
  const schema = { type: "string", examples: [more.example] };
  return { name, in: "header", required: more.required, description, schema };
}

const headers: Readonly<Record<string, Parameter>> = {
  WebhookId: header("webhook-id", "The notification's id, as in the body.", {
    required: true,
    example: exampleNames["transaction.deposit"].id,
  }),
  WebhookTimestamp: header("webhook-timestamp", "Unix seconds of this attempt.", {
    required: true,
    example: "1769860800",
  }),
  WebhookPrevious: header(
    "webhook-previous",
    "The id of the notification of this blockchain that was written for this webhook before it. Not there on the first one, on a test, nor on an event about a balance or an unlisted token.",
    { required: false, example: exampleNames["transaction.pending"].id },
  ),
  WebhookSignature: header(
    "webhook-signature",
    "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; two of them, with a space between, while secrets overlap. With `ed25519` also `v1a,` and that signature, and so twice in an overlap.",
    { required: true, example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=" },
  ),
  XWebhookSignature: header(
    "X-Webhook-Signature",
    "Lowercase hex HMAC-SHA256 of the body, keyed with the secret as it was shown.",
    { required: true, example: "9f86d081884c7d65".repeat(4) },
  ),
  XWebhookSignatureNext: header(
    "X-Webhook-Signature-Next",
    "The same with the new secret, while secrets overlap.",
    { required: false, example: "825d3f0b7c9b4c7f".repeat(4) },
  ),
};
