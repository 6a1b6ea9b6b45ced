import { beforeAll, expect, test } from "vitest";
import type { NotificationFilter } from "../../../../src/domain/delivery/recorded-notification.ts";
import { decodeCursor, firstPlace } from "../../../../src/domain/page.ts";
import { pageByAmount } from "../../../../src/ledger/notifications/page-by-amount.ts";
import { readNotifications } from "../../../../src/ledger/notifications/read-notifications.ts";
import { lookByIndex } from "../../../../src/ledger/postgres/look-by-index.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { requireAssets } from "../../../../src/ledger/transactions/read-transactions.ts";
import { allTests } from "../../../support/each-test.ts";
import type { BulkOwner } from "../../../support/ledger/bulk-history.ts";
import { bulkChains, fillLedger } from "../../../support/ledger/bulk-ledger.ts";
import { openTestLedger } from "../../../support/ledger/ledger-fixtures.ts";

const ledger = allTests(
  () => openTestLedger({ chains: [...bulkChains] }),
  (one) => one.stop(),
);

const limit = 10;
/** PostgreSQL sorts the notifications of equal amounts in groups of at least 32 rows. */
const mostRead = limit + 1 + 32;
const filter = { assetCode: "USDC", sort: "amount" } as const;
let business: BulkOwner;

beforeAll(async () => {
  business = await fillLedger(ledger, 20_000);
  await ledger.db.$executeRaw`
    INSERT INTO notification (id, business_id, transaction_id, state, event, body, created_at)
    SELECT gen_random_uuid(), business_id, id, 'confirmed', 'transaction.' || type, '{}', block_time
    FROM transaction WHERE type IN ('deposit', 'payment', 'withdrawal')`;
  await ledger.db.$executeRaw`ANALYZE`;
});

type Plan = {
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};

/** The rows of transactions and notifications that each step of a page reads, and its index. */
async function stepsOf(given: NotificationFilter, cursor: string | null) {
  const place = cursor === null ? firstPlace : (decodeCursor(cursor) ?? firstPlace);
  const asked = { businessId: business.businessId, filter: given, page: { limit, ...place } };
  const assets = await requireAssets(ledger.db, given);
  const [row] = await inTransaction(ledger.db, async (tx) => {
    const sql = await pageByAmount(asked, assets)(tx, null);
    await lookByIndex(tx);
    return tx.$queryRaw<{ "QUERY PLAN": { Plan: Plan }[] }[]>`
      EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`;
  });
  const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];
  const plans = (row?.["QUERY PLAN"] ?? []).flatMap(({ Plan: top }) => flatten(top));
  return plans.flatMap((plan) => {
    const { "Relation Name": relation = "", "Index Name": index } = plan;
    if (!["transaction", "notification"].includes(relation)) return [];
    const each = plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0);
    return [{ index, read: Math.round(each * plan["Actual Loops"]) }];
  });
}

test.each([0, 30])("behind %i pages, a page reads no more than it shows", async (before) => {
  const { businessId } = business;
  let cursor: string | null = null;
  if (before > 0) {
    const page = { limit: before * limit, ...firstPlace };
    cursor = (await readNotifications(ledger.db, { businessId, filter, page })).nextCursor;
    expect(cursor).not.toBeNull();
  }
  const steps = await stepsOf(filter, cursor);
  // Two chains have the asset.
  expect(steps.map(({ index }) => index).toSorted()).toEqual([
    "notification_transaction_id_round_state_key",
    "notification_transaction_id_round_state_key",
    "transaction_amount_idx",
    "transaction_amount_idx",
  ]);
  for (const { read } of steps) expect(read).toBeLessThanOrEqual(mostRead);
});

test("of a short time, a page reads the notifications of that time", async () => {
  const at = new Date(Date.UTC(2025, 0, 1, 5));
  const of = { ...filter, from: at, to: new Date(at.getTime() + 600_000) };
  const [row] = await ledger.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int FROM notification WHERE business_id = ${business.businessId}::uuid
      AND created_at >= ${of.from} AND created_at < ${of.to}`;
  const written = row?.count ?? 0;
  expect(written).toBeGreaterThan(limit);
  for (const { read } of await stepsOf(of, null)) expect(read).toBeLessThanOrEqual(written);
});
