import { beforeAll, describe, expect, it } from "vitest";
import { mostScanned, search, walletsNamed } from "../../../src/ledger/businesses/search.ts";
import type { Prisma } from "../../../src/ledger/generated/client.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { allTests } from "../../support/each-test.ts";
import { insertBusiness, newWallet, openTestLedger } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const ledger = allTests(
  () => openTestLedger(),
  (one) => one.stop(),
);

/** More than a part is looked for in. */
const wallets = 40_000;
let businessId: string;

beforeAll(async () => {
  businessId = await insertBusiness(ledger.db);
  await addWallets(ledger.db, { businessId, wallets: [newWallet()] });
  await ledger.db.$executeRaw`
    INSERT INTO wallet (id, business_id, chain_name, address, reference, label, purpose, added_change_id)
    SELECT ('01000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${businessId}::uuid, 'ethereum', '0x' || lpad(to_hex(n), 40, '0'),
      'Order-' || n, 'Łódź ' || n, 'payment',
      (SELECT added_change_id FROM wallet LIMIT 1)
    FROM generate_series(1, ${wallets}::int) n`;
  await ledger.db.$executeRaw`ANALYZE wallet`;
});

/** The most rows that a step of the plan gave. */
async function rowsRead(sql: Prisma.Sql): Promise<number> {
  const [row] = await ledger.db.$queryRaw<{ "QUERY PLAN": object }[]>`
    EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`;
  const rows = [...JSON.stringify(row).matchAll(/"Actual Rows":([\d.]+)/g)];
  const removed = [...JSON.stringify(row).matchAll(/"Rows Removed by Filter":([\d.]+)/g)];
  return Math.max(...[...rows, ...removed].map(([, count]) => Number(count)));
}

describe("a search of a business with many wallets", () => {
  it.each([
    ["that all of them match", "order-"],
    ["that a few match", "order-123"],
    ["that none matches", "zebra"],
    ["with characters of patterns", "order_%"],
  ])("reads a bounded number of rows for a text %s", async (_what, text) => {
    expect(await rowsRead(walletsNamed(text, businessId))).toBeLessThanOrEqual(mostScanned);
  });

  it("finds the same as before, in any case", async () => {
    const labels = async (text: string) => (await search(ledger.db, { businessId, text })).length;
    expect(await labels("ORDER-39999")).toBe(1);
    expect(await labels("łódź 39")).toBe(10);
    expect(await labels("order_39999")).toBe(0);
    expect(await labels("ER-3999")).toBe(10);
  });
});

it("a search that takes too long is ended, and says so", async () => {
  await inTransaction(ledger.db, async (tx) => {
    await tx.$executeRaw`LOCK TABLE wallet`;
    await expect(search(ledger.db, { businessId: null, text: "order" })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});
