import { expect, test } from "vitest";
import { readBusiness } from "../../../src/ledger/businesses/businesses.ts";
import { bind } from "../../../src/ledger/postgres/bind.ts";
import { readRecordedTransactions } from "../../../src/ledger/transactions/read-recorded-transactions.ts";
import { sightingList } from "../../../src/operator/sighting/list.ts";
import { transactionList } from "../../../src/operator/transaction/list.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertTransaction, newWallet, randomHash } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const api = eachTestApi();

test("the command line finds a transaction by its shortened hash, and refuses what is none", async () => {
  const { db, businessId } = api;
  const [wallet] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const walletId = wallet?.id ?? "";
  const txHash = randomHash();
  const id = await insertTransaction(db, { walletId, txHash });
  await insertTransaction(db, { walletId });
  const ledger = bind(db, { readBusiness, readRecordedTransactions });
  const list = (hash: string) =>
    transactionList.cli?.run({ ledger }, { business: businessId, tx_hash: hash });
  const shortened = [
    `${txHash.slice(0, 8)}…${txHash.slice(-6)}`,
    `${txHash.slice(0, 6)}…${txHash.slice(-4)}`,
  ];
  for (const hash of [txHash, txHash.slice(0, 10), ...shortened])
    expect((await list(hash))?.answer).toMatchObject([{ id }]);
  for (const { cli } of [transactionList, sightingList]) {
    const take = cli?.takes["tx_hash"];
    expect(take?.complaint?.("0x12")).toContain("at least the first six");
    expect(take?.complaint?.(txHash.slice(0, 10))).toBeNull();
  }
});
