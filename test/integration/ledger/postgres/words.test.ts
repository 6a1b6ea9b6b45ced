import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verdictNames } from "../../../../src/domain/credits/verdicts.ts";
import { deliveryStatuses } from "../../../../src/domain/delivery/delivery.ts";
import { notificationEvents } from "../../../../src/domain/delivery/notification.ts";
import { accountOf, entryKinds } from "../../../../src/domain/evidence/ledger-entry.ts";
import {
  discrepancyResolutions,
  reconciliationEvents,
} from "../../../../src/domain/evidence/reconciliation-record.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";
import { assetKinds } from "../../../../src/domain/money/asset.ts";
import { ledgerAccounts } from "../../../../src/domain/money/ledger-account.ts";
import { movementProofs } from "../../../../src/domain/money/movement.ts";
import {
  notifiedTypes,
  transactionStatuses,
  transactionTypes,
} from "../../../../src/domain/money/transaction.ts";
import { openTestLedger, type TestLedger } from "../../../support/ledger/ledger-fixtures.ts";

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openTestLedger();
});

afterAll(() => ledger.stop());

/**
 * The words in a definition that PostgreSQL prints, such as CHECK ((kind = ANY (ARRAY['a'::text,
 * 'b'::text]))).
 */
const wordsIn = (definition: string) =>
  [...definition.matchAll(/'([a-z0-9_]+)'/g)].map(([, word]) => word).sort();

async function definitionOf(sql: string, name: string): Promise<string> {
  const rows = await ledger.db.$queryRawUnsafe<{ definition: string }[]>(sql, name);
  return rows.map(({ definition }) => definition).join();
}

it("the database enters each kind of entry on the account that the domain names", async () => {
  const types = [null, ...keysOf(transactionTypes)];
  for (const kind of keysOf(entryKinds)) {
    for (const type of types) {
      const rows = await ledger.db.$queryRaw<{ account: string | null }[]>`
        SELECT ledger_account_of(${kind}, ${type}) AS account`;
      expect(rows, `${kind} ${type}`).toEqual([{ account: accountOf(kind, type) }]);
    }
  }
});

describe("the words that the database allows are those of the tables in the domain", () => {
  const stored = keysOf(deliveryStatuses).filter((status) => deliveryStatuses[status].isStored);
  const states = keysOf(notificationEvents).map((event) => notificationEvents[event].state);

  it.each([
    ["credit_line_verdict", [...verdictNames]],
    ["transaction_type", keysOf(transactionTypes)],
    ["transaction_status", keysOf(transactionStatuses)],
    ["transaction_proof", movementProofs],
    ["sighting_proof", movementProofs],
    ["notification_state", [...new Set(states)]],
    ["delivery_status", stored],
    ["asset_kind", keysOf(assetKinds)],
    ["ledger_entry_kind", keysOf(entryKinds)],
    ["reconciliation_event", keysOf(reconciliationEvents)],
    ["discrepancy_resolution", keysOf(discrepancyResolutions)],
    ["ledger_account_name", keysOf(ledgerAccounts)],
  ])("%s", async (constraint, allowed: string[]) => {
    const sql = `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = $1`;
    expect(wordsIn(await definitionOf(sql, constraint))).toEqual([...allowed].sort());
  });

  it.each([
    "transaction_listed_idx",
    "transaction_listed_asset_idx",
    "transaction_listed_chain_idx",
  ])("%s holds the types that lists show by default", async (index) => {
    const sql = `SELECT pg_get_expr(indpred, indrelid) AS definition FROM pg_index WHERE indexrelid = $1::regclass`;
    expect(wordsIn(await definitionOf(sql, index))).toEqual([...notifiedTypes].sort());
  });
});
