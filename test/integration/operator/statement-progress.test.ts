import { expect, test } from "vitest";
import { statementGet } from "../../../src/operator/statement/get.ts";
import { statementMake } from "../../../src/operator/statement/make.ts";
import { eachFolder } from "../../support/each-folder.ts";
import { eachTest } from "../../support/each-test.ts";
import { insertBulkJournal } from "../../support/ledger/bulk-journal.ts";
import { insertBusiness, newWallet, openTestLedger } from "../../support/ledger/ledger-fixtures.ts";
import { statementPorts } from "../../support/ledger/statement-ports.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const folder = eachFolder();
const ledger = eachTest(
  () => openTestLedger(),
  (one) => one.stop(),
);

/** The bars that a verb shows, as they end: the title, the last number and the whole. */
function shownBars() {
  const bars: [string, number, number][] = [];
  const showProgress = (title: string, total: number) => {
    let last = 0;
    return {
      update(done: number) {
        expect(done).toBeGreaterThanOrEqual(last);
        last = done;
      },
      end: () => void bars.push([title, last, total]),
    };
  };
  return { bars, showProgress };
}

async function make(count: number) {
  const { db, url } = ledger;
  const business = await insertBusiness(db);
  await addWallets(db, { businessId: business, wallets: [newWallet(), newWallet()] });
  const journal = { businessId: business, chainName: "ethereum", assetCode: "ETH", count };
  await insertBulkJournal({ databaseUrl: url, ...journal });
  const { bars, showProgress } = shownBars();
  const ports = { ...statementPorts(db), showProgress };
  const period = { from: "2020-01-01", to: "2100-01-01", isAnew: false };
  const out = folder.pathOf("made.jsonl");
  await statementMake.cli?.run(ports, { business, ...period, format: "jsonl", out });
  const { id } = await db.accountStatement.findFirstOrThrow();
  const again = { id, format: "csv", out: folder.pathOf("again.csv") };
  await statementGet.cli?.run(ports, again);
  return bars;
}

test("the command line shows how far a long statement is, while it is made and written", async () => {
  expect(await make(12_000)).toEqual([
    ["entries made", 12_000, 12_000],
    ["entries written", 12_000, 12_000],
    ["entries written", 12_000, 12_000],
  ]);
});

test("the command line shows nothing of a short statement", async () => {
  expect(await make(100)).toEqual([]);
});
