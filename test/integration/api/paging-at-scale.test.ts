import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { type BulkOwner, bulkTime } from "../../support/ledger/bulk-history.ts";
import { bulkChains, fillLedger } from "../../support/ledger/bulk-ledger.ts";
import { insertTransaction } from "../../support/ledger/ledger-fixtures.ts";
import { configureChains } from "../../support/ledger/steps.ts";

/**
 * Of these somewhat more than 25,000 are the business's own and of the types that the list shows.
 */
const rows = 50_000;
const added = 250;
const limit = 500;

let api: TestApi;
let business: BulkOwner;
let key: string;

beforeAll(async () => {
  api = await openTestApi();
  await configureChains(api.db, [...bulkChains], "removed");
  business = await fillLedger(api, rows);
  key = (await api.admin("POST", `/businesses/${business.businessId}/api-keys`)).json().key;
});

afterAll(() => api.stop());

type Page = { data: { id: string }[]; next_cursor: string | null };

async function pageAfter(cursor: string | null): Promise<Page> {
  const after = cursor === null ? "" : `&cursor=${cursor}`;
  const answer = await api.get(`/transactions?limit=${limit}${after}`, key);
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

async function shownIds(): Promise<string[]> {
  const shown = await api.db.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM transaction
    WHERE business_id = ${business.businessId}::uuid AND type IN ('deposit', 'withdrawal', 'payment')`;
  return shown.map(({ id }) => id);
}

test(`each of 25,000 transactions is seen once, newest first, while ${added} more arrive among them`, async () => {
  const there = await shownIds();
  expect(there.length).toBeGreaterThan(25_000);
  const arrivals = Math.ceil(added / Math.ceil(there.length / limit));
  const seen: string[] = [];
  let arrived = 0;
  let cursor: string | null = null;
  do {
    const page = await pageAfter(cursor);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
    // Before, amid and after what has been read; as the blocks of a chain that is caught up arrive.
    for (let n = 0; n < arrivals && arrived < added; n += 1, arrived += 1) {
      const walletId = business.walletIds[arrived % business.walletIds.length] ?? "";
      const blockTime = bulkTime((arrived * 7_919) % (rows + 1_000));
      await insertTransaction(api.db, { walletId, blockTime });
    }
  } while (cursor !== null);
  expect(arrived).toBe(added);
  expect(new Set(seen).size).toBe(seen.length);
  expect([...seen].sort().reverse()).toEqual(seen);
  const known = new Set(seen);
  expect(there.filter((id) => !known.has(id))).toEqual([]);
  const whole = new Set(await shownIds());
  expect(seen.filter((id) => !whole.has(id))).toEqual([]);
});

test("each day has as many as it has rows, those that have moved included", async () => {
  const moved = await api.db.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM transaction WHERE business_id = ${business.businessId}::uuid
      AND type = 'deposit' AND status = 'completed' ORDER BY id LIMIT 50`;
  for (const { id } of moved) {
    await api.db.$executeRaw`
      UPDATE transaction SET block_time = block_time + interval '1 day' WHERE id = ${id}::uuid`;
  }
  const expected = await api.db.$queryRaw<{ at: Date; count: number }[]>`
    SELECT date_trunc('day', block_time) AS at, count(*)::int FROM transaction
    WHERE business_id = ${business.businessId}::uuid AND type IN ('deposit', 'withdrawal', 'payment')
      AND status <> 'dropped' GROUP BY 1 ORDER BY 1`;
  const { data } = (
    await api.get("/transactions/counts?from=2025-01-01&to=2025-01-20", key)
  ).json();
  const counted = data.map(({ at, ...each }: Record<string, number | string>) => ({
    at: new Date(String(at)),
    count: Object.values(each).reduce((sum: number, count) => sum + Number(count), 0),
  }));
  expect(counted.filter(({ count }: { count: number }) => count > 0)).toEqual(expected);
  expect(expected.length).toBeGreaterThan(1);
});
