import { afterAll, beforeAll, expect, it } from "vitest";
import {
  insertBusiness,
  insertTransaction,
  newWallet,
  openTestLedger,
  type TestLedger,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../../support/ledger/steps.ts";

let ledger: TestLedger;
let walletId: string;
let transactionId: string;

beforeAll(async () => {
  const other = { name: "base", chainId: 8453, assets: testChain.assets };
  ledger = await openTestLedger({ chains: [testChain, other] });
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  await addWallets(db, { businessId, wallets: [newWallet()] });
  walletId = (await db.wallet.findFirstOrThrow()).id;
  transactionId = await insertTransaction(db, { walletId });
});

afterAll(() => ledger.stop());

it("a transaction is of its wallet's business, and on its wallet's chain", async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const change = (data: object) => db.transaction.update({ where: { id: transactionId }, data });
  await expect(change({ businessId })).rejects.toMatchObject({ code: "P2003" });
  await expect(change({ chainName: "base" })).rejects.toMatchObject({ code: "P2003" });
});

it("no entry is without the balance that it moves", async () => {
  const { db } = ledger;
  const { id: assetId } = await db.asset.findFirstOrThrow({ where: { chainName: "base" } });
  const entry = { walletId, assetId, transactionId, kind: "confirmation", amount: "1" };
  const written = db.ledgerEntry.create({ data: { ...entry, blockNumber: 1n } });
  await expect(written).rejects.toMatchObject({ code: "P2003" });
});
