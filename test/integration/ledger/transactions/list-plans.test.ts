import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maxFound } from "../../../../src/domain/business/search.ts";
import type { TransactionFilter } from "../../../../src/domain/money/recorded-transaction.ts";
import { notifiedTypes } from "../../../../src/domain/money/transaction.ts";
import { holdingsSql } from "../../../../src/ledger/balances/read-balance.ts";
import { transactionsOfAmount } from "../../../../src/ledger/businesses/search.ts";
import { totalsSql } from "../../../../src/ledger/evidence/read-totals.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { unnotifiedOf } from "../../../../src/ledger/notifications/notify-returned.ts";
import {
  amountPageSql,
  type SortedAsset,
} from "../../../../src/ledger/transactions/page-by-amount.ts";
import { recorded } from "../../../../src/ledger/transactions/read-recorded-transactions.ts";
import {
  assetsSql,
  isPagePrepared,
  listedColumns,
  transactionPageSql,
} from "../../../../src/ledger/transactions/read-transactions.ts";
import { type BulkOwner, bulkTime } from "../../../support/ledger/bulk-history.ts";
import { bulkChains, fillLedger } from "../../../support/ledger/bulk-ledger.ts";
import type { Database } from "../../../support/ledger/database.ts";
import { openTestLedger, type TestLedger } from "../../../support/ledger/ledger-fixtures.ts";

// What PostgreSQL really does for a page, at a size of your choice: scripts/plans-at-scale.ts takes
// ten million.
const rows = Number(process.env["CHAINBELL_PLAN_ROWS"] ?? 150_000);
const tenMinutesMs = 600_000;
/** So that every filter has a 1,000th page that is not its last one. */
const limit = rows < 1_000_000 ? 10 : 50;

let ledger: TestLedger;
let business: BulkOwner;
let txHash: string;

beforeAll(async () => {
  ledger = await openTestLedger({ chains: [...bulkChains] });
  business = await fillLedger(ledger, rows);
  const some = await ledger.db.transaction.findFirstOrThrow({
    where: { businessId: business.businessId, type: "deposit" },
  });
  txHash = some.txHash;
}, 12 * tenMinutesMs);

afterAll(() => ledger.stop());

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  Alias?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

async function explain(db: Database, sql: Prisma.Sql): Promise<{ nodes: Plan[]; ms: number }> {
  const [row] = await db.$queryRaw<{ "QUERY PLAN": { Plan: Plan; "Execution Time": number }[] }[]>(
    Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
  );
  const top = row?.["QUERY PLAN"][0];
  if (top === undefined) throw new Error("no plan");
  return { nodes: flatten(top.Plan), ms: top["Execution Time"] };
}

const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

const filters = (): [string, Partial<TransactionFilter>][] => [
  ["nothing", {}],
  ["a type", { types: ["withdrawal"] }],
  ["a type that is not shown by default", { types: ["fee"] }],
  ["an asset of one code on two chains", { assetCode: "USDC" }],
  ["a chain", { chainName: "base" }],
  ["a status that most have", { status: "completed" }],
  ["a status that few have", { status: "reversed" }],
  ["a wallet", { walletId: business.walletIds[3] ?? "" }],
  ["a wallet of another business", { walletId: "01900000-0000-7000-8000-000000000000" }],
  ["a transaction hash", { txHash }],
  ["a time range", { from: bulkTime(rows * 0.1), to: bulkTime(rows * 0.9) }],
  ["a type and a status", { types: ["deposit"], status: "completed" }],
  ["an asset and a chain", { assetCode: "ETH", chainName: "base" }],
  ["a wallet and a type", { walletId: business.walletIds[3] ?? "", types: ["fee"] }],
  ["an asset and a time", { assetCode: "ETH", to: bulkTime(rows * 0.8) }],
];

/** Of all the plans' steps those that sort, but for the few rows that have one hash. */
function sortsOf(nodes: readonly Plan[], title: string): Plan[] {
  const isHash = title === "a transaction hash";
  return nodes.filter((node) => /Sort/.test(node["Node Type"]) && !isHash);
}

const titles = filtersTitles();
function filtersTitles(): string[] {
  business = { businessId: "", walletIds: [] };
  return filters().map(([title]) => title);
}

describe.each(["the first page", "the 1,000th page"])("%s of the list", (which) => {
  test.each(titles)(
    "filtered by %s reads at most a row more than it shows, and sorts nothing",
    async (title) => {
      const given = filters().find(([name]) => name === title)?.[1] ?? {};
      const filter = { types: notifiedTypes, ...given };
      const { businessId } = business;
      const assets = await ledger.db.$queryRaw<{ id: number }[]>(assetsSql(filter));
      const assetIds = filter.assetCode === undefined ? null : assets.map(({ id }) => id);
      const ask = (afterId: string | null, many: number) =>
        transactionPageSql(
          { businessId, filter, page: { limit: many, afterId } },
          { assetIds, walletIds: null },
        );
      let afterId: string | null = null;
      if (which !== "the first page") {
        const before = await ledger.db.$queryRaw<{ id: string }[]>(ask(null, 999 * limit - 1));
        afterId = before.at(-1)?.id ?? null;
      }
      const { nodes, ms } = await explain(ledger.db, ask(afterId, limit));
      expect(sortsOf(nodes, title)).toEqual([]);
      // How one row of a chain or an asset is found says nothing: those tables are a few pages.
      const scans = nodes.filter((node) => node["Relation Name"] === "transaction");
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) {
        expect(scan["Node Type"]).toMatch(/^Index/);
        const removed =
          (scan["Rows Removed by Filter"] ?? 0) + (scan["Rows Removed by Index Recheck"] ?? 0);
        expect((scan["Actual Rows"] + removed) * scan["Actual Loops"]).toBeLessThanOrEqual(
          limit + 1,
        );
      }
      if (process.env["CHAINBELL_PLAN_ROWS"] !== undefined) {
        console.log(`${which}, ${title}: ${ms.toFixed(2)} ms`);
      }
    },
    tenMinutesMs,
  );
});

test.each(["the first page", "the 1,000th page"])(
  "%s of the wallets that a text names reads a row of each wallet and type, and a page of the newest of these",
  async (which) => {
    const { businessId, walletIds } = business;
    const filter = { types: notifiedTypes };
    const ask = (afterId: string | null, many: number, named: readonly string[] | null) =>
      transactionPageSql(
        { businessId, filter, page: { limit: many, afterId } },
        { assetIds: null, walletIds: named },
      );
    const idsOf = async (sql: Prisma.Sql) =>
      (await ledger.db.$queryRaw<{ id: string }[]>(sql)).map(({ id }) => id);
    const afterId =
      which === "the first page"
        ? null
        : ((await idsOf(ask(null, 999 * limit - 1, null))).at(-1) ?? null);
    // All wallets are named: these are the rows of the whole list.
    const sql = ask(afterId, limit, walletIds);
    expect(await idsOf(sql)).toEqual(await idsOf(ask(afterId, limit, null)));
    const { nodes, ms } = await explain(ledger.db, sql);
    const scans = nodes.filter((node) => node["Relation Name"] === "transaction");
    const read = scans.reduce(
      (sum, scan) =>
        sum + (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"],
      0,
    );
    for (const scan of scans) expect(scan["Node Type"]).toMatch(/^Index/);
    // Of each row that is shown, a look-alike sender is looked up.
    const heads = walletIds.length * notifiedTypes.length;
    expect(read).toBeLessThanOrEqual(heads + (limit + 1) ** 2 + limit + 1);
    if (process.env["CHAINBELL_PLAN_ROWS"] !== undefined)
      console.log(`${which}, of named wallets: ${ms.toFixed(2)} ms`);
  },
  tenMinutesMs,
);

describe("by amount", () => {
  const shown = { columns: listedColumns, join: Prisma.empty };
  const filter = { types: notifiedTypes, assetCode: "USDC", sort: "amount" as const };
  type Placed = { id: string; amount: string };

  /** The rows of the list that were read, and the indexes that have them. */
  async function readBy(sql: Prisma.Sql): Promise<{ most: number; indexes: Set<string> }> {
    const { nodes } = await explain(ledger.db, sql);
    const scans = nodes.filter((node) => node["Relation Name"] === "transaction");
    const read = scans.map(
      (scan) =>
        (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"],
    );
    // Of each row that is shown, a look-alike sender is looked up.
    const indexes = scans.flatMap(({ "Index Name": name = "" }) =>
      name === "transaction_paid_idx" ? [] : [name],
    );
    return { most: Math.max(...read), indexes: new Set(indexes) };
  }

  test.each(["the first page", "the 1,000th page"])(
    "%s of the largest of an asset on two chains reads a page of each",
    async (which) => {
      const { businessId } = business;
      const assets = await ledger.db.$queryRaw<SortedAsset[]>(assetsSql(filter));
      const ask = (many: number, last: Placed | null) => {
        const asked = { businessId, filter, page: { limit: many, afterId: null } };
        const after =
          last === null
            ? null
            : {
                id: last.id,
                atomic: BigInt(last.amount),
                decimals: assets[0]?.decimals ?? 0,
              };
        return amountPageSql(asked, { assets, walletIds: null, after, shown });
      };
      const last =
        which === "the first page"
          ? null
          : ((await ledger.db.$queryRaw<Placed[]>(ask(999 * limit - 1, null))).at(-1) ?? null);
      const { most, indexes } = await readBy(ask(limit, last));
      expect(most).toBeLessThanOrEqual(limit + 1);
      expect([...indexes]).toEqual(["transaction_amount_idx"]);
    },
    tenMinutesMs,
  );

  test.each(["a business", "an operator"])(
    "the search of %s reads at most as many rows of an amount as it finds",
    async (who) => {
      const [row] = await ledger.db.$queryRaw<{ amount: string }[]>`
        SELECT trim_scale(t.amount / power(10::numeric, a.decimals))::text AS amount
        FROM transaction t JOIN asset a ON a.id = t.asset_id
        WHERE t.business_id = ${business.businessId}::uuid AND a.code = 'USDC' AND t.type = 'deposit' LIMIT 1`;
      const sql = transactionsOfAmount(
        { amount: row?.amount ?? "", code: "usdc" },
        who === "a business" ? business.businessId : null,
      );
      expect(await ledger.db.$queryRaw<object[]>(sql)).not.toEqual([]);
      const { most, indexes } = await readBy(sql);
      expect(most).toBeLessThanOrEqual(maxFound * 10);
      expect([...indexes]).toEqual(["transaction_amount_idx"]);
    },
    tenMinutesMs,
  );
});

test.each(titles)(
  "a page of an export that is filtered by %s costs the same far down, and looks up a fee for each row at most",
  async (title) => {
    const given = filters().find(([name]) => name === title)?.[1] ?? {};
    const filter = { types: notifiedTypes, ...given };
    const { businessId } = business;
    const assets = await ledger.db.$queryRaw<{ id: number }[]>(assetsSql(filter));
    const assetIds = filter.assetCode === undefined ? null : assets.map(({ id }) => id);
    const ask = (afterId: string | null, many: number, shown?: typeof recorded) =>
      transactionPageSql(
        { businessId, filter, page: { limit: many, afterId } },
        { assetIds, walletIds: null },
        shown,
      );
    const before = await ledger.db.$queryRaw<{ id: string }[]>(ask(null, 999 * limit - 1));
    for (const afterId of [null, before.at(-1)?.id ?? null]) {
      const { nodes, ms } = await explain(ledger.db, ask(afterId, limit, recorded));
      const scans = nodes.filter((node) => node["Relation Name"] === "transaction");
      const fees = scans.filter(({ Alias: alias }) => alias === "f");
      const removedBy = (scan: Plan) =>
        (scan["Rows Removed by Filter"] ?? 0) + (scan["Rows Removed by Index Recheck"] ?? 0);
      const readBy = (some: readonly Plan[]) =>
        some.reduce(
          (sum, one) => sum + (one["Actual Rows"] + removedBy(one)) * one["Actual Loops"],
          0,
        );
      expect(fees).toHaveLength(1);
      for (const scan of scans) expect(scan["Node Type"]).toMatch(/^(Index|Bitmap Heap)/);
      // A branch of the merge reads its first row whether or not it is shown.
      const rest = scans.filter((scan) => !fees.includes(scan));
      expect(readBy(rest)).toBeLessThanOrEqual(limit + rest.length);
      expect(readBy(fees)).toBeLessThanOrEqual(2 * (limit + 1));
      if (process.env["CHAINBELL_PLAN_ROWS"] !== undefined)
        console.log(
          `export, ${title}, ${afterId === null ? "first" : "1,000th"}: ${ms.toFixed(2)} ms`,
        );
    }
  },
  tenMinutesMs,
);

test.each([null, "01900000-0000-7000-8000-000000000000"])(
  "one plan for every value is as good wherever the ledger keeps one, after the cursor %s",
  async (afterId) => {
    const client = new pg.Client({ connectionString: ledger.url });
    await client.connect();
    try {
      for (const [title, given] of filters()) {
        const filter = { types: notifiedTypes, ...given };
        const asked = { businessId: business.businessId, filter, page: { limit: 50, afterId } };
        if (!isPagePrepared(asked)) continue;
        const assetIds = filter.assetCode === undefined ? null : [1, 2];
        const { text } = transactionPageSql(asked, { assetIds, walletIds: null });
        const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
        const nodes = flatten(rows[0]["QUERY PLAN"][0].Plan);
        expect(sortsOf(nodes, title), title).toEqual([]);
        const scans = nodes.filter((node) => node["Relation Name"] === "transaction");
        expect(scans.length, title).toBeGreaterThan(0);
        for (const scan of scans) {
          expect(scan["Node Type"], title).toMatch(/^Index/);
          expect(scan["Index Name"], title).not.toBe("transaction_pkey");
        }
      }
    } finally {
      await client.end();
    }
  },
);

test("totals of one business among others read its transactions of their period alone", async () => {
  // One in ten is of this business.
  const { businessId } = await ledger.db.transaction.findFirstOrThrow({
    where: { businessId: { not: business.businessId } },
  });
  const period = { from: bulkTime(rows * 0.5), to: bulkTime(rows * 0.55), zone: "UTC" };
  const asked = { businessId, period, filter: {}, by: ["type", "label"], parts: null } as const;
  const { nodes, ms } = await explain(ledger.db, totalsSql(asked));
  const scans = nodes.filter((node) => node["Relation Name"] === "transaction");
  const read = scans.reduce(
    (sum, scan) =>
      sum + (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"],
    0,
  );
  const [there] = await ledger.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int FROM transaction WHERE business_id = ${businessId}::uuid
      AND block_time >= ${period.from} AND block_time < ${period.to}`;
  expect(there?.count).toBeGreaterThan(100);
  expect(read).toBeLessThanOrEqual(there?.count ?? 0);
  for (const scan of scans) expect(scan["Node Type"]).toMatch(/^(Index|Bitmap Heap)/);
  if (process.env["CHAINBELL_PLAN_ROWS"] !== undefined)
    console.log(`totals of ${there?.count}: ${ms.toFixed(2)} ms`);
});

test("a balance looks at what is maintained, and at no history", async () => {
  const { nodes } = await explain(ledger.db, holdingsSql(business.businessId));
  const relations = new Set(nodes.map((node) => node["Relation Name"]));
  expect(relations.has("balance")).toBe(true);
  expect(relations.has("transaction")).toBe(false);
  expect(relations.has("ledger_entry")).toBe(false);
});

test("what is to be notified of an asset that comes back is found among all others by an index", async () => {
  const { id } = await ledger.db.asset.findFirstOrThrow({ where: { chainName: "base" } });
  await ledger.db.$executeRaw`
    UPDATE transaction SET unnotified = true
    WHERE id IN (SELECT id FROM transaction WHERE asset_id = ${id} LIMIT 40)`;
  const sql = Prisma.sql`SELECT id FROM transaction WHERE ${unnotifiedOf(id)} AND status = 'completed'`;
  const { nodes } = await explain(ledger.db, sql);
  const named = nodes.flatMap(({ "Index Name": name }) => (name === undefined ? [] : [name]));
  expect(named).toEqual(["transaction_unnotified_idx"]);
  for (const node of nodes)
    expect(node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)).toBeLessThanOrEqual(40);
});
