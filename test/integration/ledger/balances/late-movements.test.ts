import { expect, it } from "vitest";
import type { Hash } from "../../../../src/domain/chain/block.ts";
import { derivedId, placeOf } from "../../../../src/domain/derived-id.ts";
import { toDecimal } from "../../../../src/domain/money/amount.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness, newWallet } from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, setThresholds } from "../../../support/ledger/steps.ts";
import { createWatcherLedger } from "../../../support/ledger/watcher-ledger.ts";
import { writtenChain } from "../../../support/ledger/written-chain.ts";

const ledger = eachTestLedger();

it("a threshold is crossed by a movement that waited as where it had not waited", async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const wallet = newWallet();
  const [added = expect.fail()] = await addWallets(db, { businessId, wallets: [wallet] });
  const walletId = added.id;
  const to = { businessId, walletId, address: wallet.address };
  const chain = await writtenChain(db, "ethereum");
  await db.$executeRaw`UPDATE balance SET opening = 0`;
  const confirmed = async (effectAtomic: bigint) => {
    await chain.commit([{ ...to, effectAtomic }]);
    await chain.commit([]);
    await chain.commit([]);
  };
  await confirmed(150n);
  const below = { assetCode: "ETH", below: toDecimal(100n, 18), restoredFrom: null };
  await setThresholds(db, { businessId, walletId, thresholds: [below] });

  await chain.commit([{ ...to, effectAtomic: -30n }]);
  await db.transaction.updateMany({ where: { status: "pending" }, data: { unproven: true } });
  const waiting = await db.transaction.findFirstOrThrow({ where: { unproven: true } });
  await confirmed(-30n);
  expect(await db.notification.count({ where: { state: "below" } })).toBe(0);
  const identities = [Buffer.from(waiting.identity).toString("hex")];
  const said = { isAgreed: true, isAlone: false };
  const proven = { identities, blockHash: waiting.blockHash as Hash, ...said };
  await createWatcherLedger(db).acceptProven(chain.chainName, [proven]);

  // The first of the two alone left more than the threshold.
  const crossedIn = (waiting.blockNumber + 1n).toString();
  const { idKey } = await db.installation.findFirstOrThrow();
  const parts = ["threshold", walletId, "native", "100", "below", crossedIn];
  const id = derivedId(placeOf(walletId), Buffer.from(idKey).toString("hex"), parts);
  const rows = await db.notification.findMany({ where: { state: "below" } });
  expect(rows.map((row) => row.id)).toEqual([id]);
});
