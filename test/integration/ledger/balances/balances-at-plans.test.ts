import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { balancesAtSql, newestAtSql } from "../../../../src/ledger/evidence/balances-at.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { confirmedAtSql } from "../../../../src/ledger/reconciliation/read-confirmed-at.ts";
import { bulkChains, fillLedger } from "../../../support/ledger/bulk-ledger.ts";
import { openTestLedger } from "../../../support/ledger/ledger-fixtures.ts";

const rows = Number(process.env["CHAINBELL_PLAN_ROWS"] ?? 60_000);

type Plan = {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

test("a balance at a recent block reads rows of above that block alone, and no opening of any wallet", async () => {
  const ledger = await openTestLedger({ chains: [...bulkChains] });
  onTestFinished(() => ledger.stop());
  const { businessId, walletIds } = await fillLedger(ledger, rows);
  const [walletId = ""] = walletIds;
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  onTestFinished(() => client.end());
  // No seals: the plans do not read them.
  await client.query("SET session_replication_role = replica");
  await client.query(`
    INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
    SELECT wallet_id, asset_id, id, 'confirmation', amount, block_number FROM transaction WHERE status = 'completed'
    UNION ALL
    SELECT wallet_id, asset_id, NULL, 'opening', 1, 0 FROM balance CROSS JOIN generate_series(1, 100)`);
  await client.query("UPDATE watch_change SET position_number = 0");
  await client.query("VACUUM ANALYZE");
  const [{ id: assetId } = expect.fail()] = await ledger.db.$queryRaw<{ id: number }[]>`
    SELECT asset_id AS id FROM balance WHERE wallet_id = ${walletId}::uuid LIMIT 1`;

  const number = BigInt(rows - 200);
  const [{ chainName, blockTime: time } = expect.fail()] = await ledger.db.transaction.findMany({
    where: { walletId, status: "completed" },
    orderBy: { id: "asc" },
    skip: 1_000,
    take: 1,
  });
  const asked: [string, Prisma.Sql][] = [
    [
      "of a wallet",
      Prisma.sql`${balancesAtSql(number)} WHERE w.id = ${walletId}::uuid AND a.configured`,
    ],
    ["of a holding", confirmedAtSql({ walletId, assetId }, number)],
    ["of a moment", newestAtSql({ chainName, businessId, walletId, time })],
  ];
  for (const [title, sql] of asked) {
    const [row] = await ledger.db.$queryRaw<
      { "QUERY PLAN": { Plan: Plan; "Execution Time": number }[] }[]
    >(Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`);
    const top = row?.["QUERY PLAN"][0] ?? expect.fail();
    const read = flatten(top.Plan)
      .filter(({ "Relation Name": name }) => name === "transaction" || name === "ledger_entry")
      .map((scan) => {
        const removed =
          (scan["Rows Removed by Filter"] ?? 0) + (scan["Rows Removed by Index Recheck"] ?? 0);
        return (scan["Actual Rows"] + removed) * scan["Actual Loops"];
      })
      .reduce((sum, one) => sum + one, 0);
    if (process.env["CHAINBELL_PLAN_ROWS"] !== undefined)
      console.log(`${title}: ${read} rows, ${top["Execution Time"].toFixed(2)} ms`);
    // The chain has a hundred of these blocks. A wallet has thousands of transactions.
    expect(read, title).toBeLessThanOrEqual(500);
  }
});
