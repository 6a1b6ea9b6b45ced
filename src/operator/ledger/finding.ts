import { z } from "zod";
import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import { namedValues } from "../../schema/answers.ts";

/** A contradiction within the ledger, as an operator reads it. */
export const shownFinding = z
  .object({
    kind: z.string().meta({ examples: ["entry_changed"] }),
    what: z.string(),
    values: namedValues.meta({
      description:
        "The values in `what`, for a text of your own. Amounts are in atomic units, as texts.",
      examples: [{ chain_name: "ethereum", number: "17", entry_id: "4711" }],
    }),
  })
  .meta({ id: "LedgerFinding" });

export function presentFinding(found: LedgerFinding): z.output<typeof shownFinding> {
  return { kind: found.kind, what: describe(found), values: valuesOf(found) };
}

function valuesOf({ kind: _, ...values }: LedgerFinding): z.output<typeof namedValues> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, string | number | bigint]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === "bigint" ? String(value) : value,
    ]),
  );
}

function describe(found: LedgerFinding): string {
  switch (found.kind) {
    case "not_zero":
      return `asset ${found.assetId}: wallets ${found.wallets}, accounts ${found.accounts}, together not zero`;
    case "balance":
      return `wallet ${found.walletId}, asset ${found.assetId}: the balance is ${found.balance}, its entries come to ${found.entries}`;
    case "opening":
      return `wallet ${found.walletId}, asset ${found.assetId}: the opening balance is ${found.balance}, its entries come to ${found.expected}`;
    case "pending":
      return `wallet ${found.walletId}, asset ${found.assetId}: the pending balance is ${found.balance}, what is pending comes to ${found.expected}`;
    case "opening_changed":
      return `wallet ${found.walletId}, asset ${found.assetId}: the opening balance or its proof is another than was sealed`;
    case "transaction_changed":
      return `transaction ${found.transactionId}: its wallet, its parties, its amount or its hash were changed, or what else was sealed of it`;
    case "notification":
      return `notification ${found.notificationId}: it says something else than its transaction`;
    case "stream":
      return `business ${found.businessId} on ${found.chainName}: notification ${found.sequence} does not follow from the one before it`;
    case "due":
      return `delivery ${found.deliveryId}: it waits and is not among those that are due, or is there otherwise than it waits`;
    case "account":
      return `account ${found.account} of asset ${found.assetId}: it holds ${found.amount}, its entries come to ${found.entries}`;
    case "transaction":
      return `transaction ${found.transactionId}: its entries come to ${found.entries}, which its status and amount do not say`;
    case "seal":
      return `${found.chainName}: seal ${found.number} does not follow from the one before it and from what it holds`;
    case "head":
      return `${found.chainName}: seal ${found.number} is not the one that was published`;
    case "reconciliation":
      return `${found.chainName}: row ${found.number} of the record of reconciliations is not what was recorded`;
    case "entry_changed":
      return `${found.chainName}: entry ${found.entryId} is not what seal ${found.number} holds`;
    case "entry_missing":
      return `${found.chainName}: entry ${found.entryId} of seal ${found.number} is gone`;
    case "entry_unsealed":
      return `entry ${found.entryId} was never sealed`;
    case "statement":
      return `statement ${found.statementId} of business ${found.businessId}: its stored lines are not what was signed, or are gone`;
  }
}
