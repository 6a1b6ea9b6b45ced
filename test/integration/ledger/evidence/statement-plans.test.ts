import { expect, onTestFinished, test } from "vitest";
import type { StatedHolding } from "../../../../src/domain/evidence/account-statement.ts";
import { statementPeriod } from "../../../../src/domain/evidence/statement-period.ts";
import { entriesSql, openStatement } from "../../../../src/ledger/evidence/account-statement.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { clientsOf } from "../../../../src/ledger/postgres/database.ts";
import { insertBulkJournal } from "../../../support/ledger/bulk-journal.ts";
import {
  insertBusiness,
  newWallet,
  openTestLedger,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../../support/ledger/steps.ts";

type Plan = {
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};

const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

test("a page of the entries of two wallets reads no entry of another wallet", async () => {
  const { db, url, stop } = await openTestLedger();
  onTestFinished(stop);
  const businessId = await insertBusiness(db);
  await addWallets(db, { businessId, wallets: Array.from({ length: 40 }, () => newWallet()) });
  const journal = { businessId, chainName: "ethereum", assetCode: "ETH", count: 40_000 };
  await insertBulkJournal({ databaseUrl: url, ...journal });
  const period = statementPeriod({ from: "2020-01-01", to: "2100-01-01" });
  const { bounds, parts } = await openStatement(db, { businessId, period, filter: {} });
  const of: StatedHolding[] = [];
  for await (const { holding } of parts) if (of.push(holding) === 2) break;

  const page = entriesSql({ bounds, of, after: 0n });
  const [row] = await db.$queryRaw<{ "QUERY PLAN": { Plan: Plan }[] }[]>(
    Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${page}`,
  );
  const [{ Plan: plan } = expect.fail()] = row?.["QUERY PLAN"] ?? [];
  expect(plan["Actual Rows"]).toBe(100);
  const scan = flatten(plan).find((one) => one["Relation Name"] === "ledger_entry");
  const { "Actual Rows": given = 0, "Rows Removed by Filter": removed = 0 } = scan ?? {};
  // At most a page of each wallet.
  expect((given + removed) * (scan?.["Actual Loops"] ?? Number.NaN)).toBeLessThanOrEqual(200);

  // PostgreSQL keeps one plan for all values.
  const kept = await clientsOf(db).pool.query(`EXPLAIN (GENERIC_PLAN) ${page.text}`);
  const generic = JSON.stringify(kept.rows);
  expect(generic).toContain("ledger_entry_wallet_id_asset_id_id_idx");
  expect(generic).toContain("transaction_pkey");
  expect(generic).not.toContain("Seq Scan");
});
