import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../../../../bench/process/start-program.ts";
import { insertBulkJournal } from "../../../support/ledger/bulk-journal.ts";
import {
  insertBusiness,
  newWallet,
  openTestLedger,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../../support/ledger/steps.ts";

/** Their lines are 66 MB. */
const count = 80_000;

/** In MB. The program's modules fill half of it before a statement is made. */
const oldSpace = 96;

test("a statement is made and given in a heap that could not hold its lines", async () => {
  const ledger = await openTestLedger();
  onTestFinished(() => ledger.stop());
  const businessId = await insertBusiness(ledger.db);
  await addWallets(ledger.db, { businessId, wallets: [newWallet(), newWallet()] });
  const journal = { businessId, chainName: "ethereum", assetCode: "ETH", count };
  await insertBulkJournal({ databaseUrl: ledger.url, ...journal });
  const program = await startProgram(
    "make-statement",
    { databaseUrl: ledger.url, businessId },
    { nodeArgs: [`--max-old-space-size=${oldSpace}`] },
  );
  onTestFinished(() => program.stop());
  const { id, entries } = await program.ask({ kind: "make" });
  expect(entries).toBe(count);
  for (const format of ["html", "parquet"] as const)
    expect((await program.ask({ kind: "give", id, format })).entries).toBe(count);
});
