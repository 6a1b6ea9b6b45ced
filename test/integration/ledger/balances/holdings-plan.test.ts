import pg from "pg";
import { expect, it } from "vitest";
import { holdingsSql } from "../../../../src/ledger/balances/read-balance.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness, newWallet } from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();

it("holdings are read by wallet, and never by what is unread of all wallets for each", async () => {
  const businessId = await insertBusiness(ledger.db);
  const wallets = Array.from({ length: 50 }, () => newWallet());
  await addWallets(ledger.db, { businessId, wallets });
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  try {
    const { text, values } = holdingsSql(businessId);
    for (const statistics of ["SELECT 1", "ANALYZE"]) {
      await client.query(statistics);
      const { rows } = await client.query(`EXPLAIN ${text}`, values);
      expect(JSON.stringify(rows)).not.toMatch(/balance_(syncing|unread)_idx/);
    }
  } finally {
    await client.end();
  }
});
