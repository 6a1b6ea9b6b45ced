import type { Notification } from "./notification.ts";
import { statuses } from "./statuses.ts";

const text = { type: "string" } as const;
const address = { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" } as const;

const data = {
  transactionId: { type: "string", format: "uuid" },
  txHash: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
  amount: {
    type: "string",
    pattern: "^\\d+(\\.\\d+)?$",
    description: "Units of the asset, exact.",
  },
  asset: text,
  blockchain: text,
  fromAddress: address,
  type: { enum: ["deposit", "withdrawal", "payment"] },
  toAddress: address,
  walletId: { type: "string", format: "uuid" },
  reference: { type: ["string", "null"] },
  blockNumber: { type: "integer", minimum: 0 },
} as const;

const balanceData = {
  walletId: data.walletId,
  address,
  reference: data.reference,
  blockchain: text,
  asset: text,
  balance: data.amount,
  below: data.amount,
  restoredFrom: data.amount,
  crossing: { type: "integer", minimum: 1 },
} as const;

const tokenData = {
  sightingId: { type: "string", format: "uuid" },
  walletId: data.walletId,
  label: { type: ["string", "null"] },
  reference: data.reference,
  blockchain: text,
  contract: address,
  unverifiedSymbol: { type: ["string", "null"] },
  rawAmount: { type: "string", pattern: "^\\d+$", description: "As the contract counts." },
  txHash: data.txHash,
  fromAddress: address,
  toAddress: address,
  blockNumber: data.blockNumber,
  blockHash: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
  logIndex: { type: "integer", minimum: 0 },
  proof: text,
} as const;

/** Fields that are left out if a payment has none, or by releases before 0.3.0. */
const optional = {
  proof: { type: "string" },
  confirmedAlone: { type: "boolean" },
  memo: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
  virtualAddress: address,
  lookalikeOf: address,
} as const;

/** The events that this version of the package knows. */
export const events: readonly Notification["event"][] = Object.keys(statuses).filter(isEvent);

/** True if this version of the package knows the event. */
export function isEvent(name: string): name is Notification["event"] {
  return Object.hasOwn(statuses, name);
}

/**
 * The JSON Schema (2020-12) of the body of each event. The schemas allow fields that later releases
 * add.
 */
export const schemas = Object.fromEntries(
  Object.entries(statuses).map(([event, status]) => [event, schemaOf(event, status)]),
);

function fieldsOf(event: string) {
  if (event.startsWith("wallet.balance_")) return { required: balanceData, allowed: {} };
  if (event.startsWith("token.")) return { required: tokenData, allowed: { lookalikeOf: address } };
  return { required: data, allowed: optional };
}

function schemaOf(event: string, status: string) {
  const { required, allowed } = fieldsOf(event);
  const more =
    event === "transaction.reversed"
      ? { reversesNotificationId: { type: "string", format: "uuid" } }
      : {};
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: event,
    type: "object",
    required: ["id", "event", "timestamp", "data"],
    properties: {
      id: { type: "string", format: "uuid" },
      event: { const: event },
      timestamp: { type: "string", format: "date-time" },
      sequence: { type: "integer", minimum: 1 },
      data: {
        type: "object",
        required: [...Object.keys(required), "status"],
        properties: {
          ...required,
          ...allowed,
          ...more,
          status: { const: status },
        },
      },
    },
  };
}
