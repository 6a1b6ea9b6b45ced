import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { inCheckout } from "../../../support/checkout.ts";
import { runSql } from "../../../support/ledger/databases.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness, newWallet, testChain } from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains, setBusiness } from "../../../support/ledger/steps.ts";
import { writtenChain } from "../../../support/ledger/written-chain.ts";

const ledger = eachTestLedger();
let chain: Awaited<ReturnType<typeof writtenChain>>;
let to: { businessId: string; walletId: string; address: string };

beforeEach(async () => {
  const businessId = await insertBusiness(ledger.db);
  await setBusiness(ledger.db, businessId, { notifyPending: true });
  const wallet = newWallet();
  const [added] = await addWallets(ledger.db, { businessId, wallets: [wallet] });
  to = { businessId, walletId: added?.id ?? "", address: wallet.address };
  chain = await writtenChain(ledger.db, "ethereum");
});

const [coin, token] = testChain.assets;
const configure = (assets: readonly (typeof coin | typeof token)[]) =>
  configureChains(ledger.db, [{ ...testChain, assets: [...assets] }], "recorded");
const leave = () => configure([token]);
const comeBack = () => configure([coin, token]);

/** Writes a block with a deposit, and so many above it. Two confirm it. */
async function deposit(effectAtomic: bigint, above: number): Promise<void> {
  await chain.commit([{ ...to, effectAtomic }]);
  for (let block = 0; block < above; block += 1) await chain.commit([]);
}

/** What was notified, with the amount in atomic units, in the order of the ledger. */
async function notified(): Promise<string[]> {
  const rows = await ledger.db.notification.findMany({
    include: { transaction: true },
    orderBy: { seq: "asc" },
  });
  return rows.map(({ state, transaction }) => `${state} ${transaction?.amount.toFixed()}`);
}

describe("an asset that was left out of the configuration and comes back", () => {
  it.each(["-1 day", "1 day"])(
    "has what was recorded meanwhile notified, once, though the clock was set by %s",
    async (by) => {
      await deposit(1n, 2);
      const before = ["pending 1", "confirmed 1"];
      await leave();
      await ledger.db
        .$executeRaw`UPDATE asset SET left_at = left_at + ${by}::interval WHERE left_at IS NOT NULL`;
      await deposit(5n, 2);
      await deposit(7n, 0);
      expect(await notified()).toEqual(before);
      await comeBack();
      const back = [...before, "confirmed 5", "pending 7"];
      expect(await notified()).toEqual(back);
      await chain.commit([]);
      await chain.commit([]);
      expect(await notified()).toEqual([...back, "confirmed 7"]);
      await leave();
      await comeBack();
      expect(await notified()).toEqual([...back, "confirmed 7"]);
    },
  );

  it("has nothing notified again of which the notification is not kept any more", async () => {
    await deposit(1n, 2);
    await ledger.db.webhookStream.deleteMany();
    await ledger.db.delivery.deleteMany();
    await ledger.db.notification.deleteMany();
    await leave();
    await comeBack();
    expect(await notified()).toEqual([]);
  });

  it("has a deposit notified that a reorg has taken away, and then its reversal", async () => {
    await leave();
    await deposit(5n, 2);
    await chain.undo(3);
    await comeBack();
    expect(await notified()).toEqual(["confirmed 5"]);
    for (let block = 0; block < 3; block += 1) await chain.commit([]);
    expect(await notified()).toEqual(["confirmed 5", "reversed 5"]);
  });

  it("has a drop notified of what was notified as pending before it was left out", async () => {
    await deposit(5n, 0);
    await leave();
    await chain.undo(1);
    await chain.commit([]);
    expect(await notified()).toEqual(["pending 5", "dropped 5"]);
    await comeBack();
    expect(await notified()).toEqual(["pending 5", "dropped 5"]);
  });

  it("has nothing notified of a deposit that came and went meanwhile", async () => {
    await leave();
    await deposit(5n, 2);
    await chain.undo(3);
    for (let block = 0; block < 3; block += 1) await chain.commit([]);
    await comeBack();
    expect(await notified()).toEqual([]);
  });

  it("has what was recorded meanwhile notified although its recording was ended before", async () => {
    await leave();
    await deposit(5n, 2);
    await configureChains(ledger.db, [{ ...testChain, assets: [token] }], "removed");
    await chain.commit([]);
    expect(await notified()).toEqual([]);
    await comeBack();
    expect(await notified()).toEqual(["confirmed 5"]);
  });

  it("has what an earlier release recorded meanwhile notified too", async () => {
    await deposit(1n, 2);
    await leave();
    await deposit(5n, 2);
    await ledger.db.$executeRaw`ALTER TABLE transaction DROP COLUMN unnotified`;
    const folder = inCheckout("prisma", "migrations", "20261128110000_unnotified");
    await runSql(ledger.url, readFileSync(join(folder, "migration.sql"), "utf8"));
    await comeBack();
    expect(await notified()).toEqual(["pending 1", "confirmed 1", "confirmed 5"]);
  });
});
