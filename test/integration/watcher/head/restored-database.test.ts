import { expect, onTestFinished, test } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { deployToken, type TestToken } from "../../../support/chain/token.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import {
  createTestDatabase,
  restoreTestDatabase,
  type TestDatabase,
} from "../../../support/ledger/postgres.ts";
import { setThresholds } from "../../../support/ledger/steps.ts";
import { watchInLedger } from "../../../support/ledger/watch-in-ledger.ts";

/** Below this a stretch is read block by block. */
const never = 1_000_000n;

async function watch(
  { url }: TestDatabase,
  { anvil, token, farBlocks }: { anvil: Anvil; token: TestToken; farBlocks: bigint },
) {
  const db = openDatabase({ databaseUrl: url, poolSize: 4 });
  const ledger = { db, url, close: () => db.$disconnect() };
  const chain = { rpcUrl: anvil.rpcUrl, depth: 2, tokens: [token.asset], farBlocks };
  const watched = await watchInLedger({ ledger, chainName: "anvil" }, chain);
  const stop = async () => {
    await watched.stop();
    await ledger.close();
  };
  return { ...watched, stop };
}

type Watched = Awaited<ReturnType<typeof watch>>;

const transactionsOf = async ({ db }: Watched) =>
  db.transaction.findMany({ select: { id: true, identity: true }, orderBy: { id: "asc" } });

const notificationsOf = async ({ db }: Watched) =>
  db.notification.findMany({
    select: { id: true, transactionId: true, round: true, state: true },
    orderBy: { id: "asc" },
  });

test.each([
  { how: "block by block", farBlocks: never },
  { how: "in ranges", farBlocks: 1n },
])(
  "what a restored database reads once more, $how, has the ids that it had",
  async ({ farBlocks }) => {
    const anvil = await startAnvil({});
    onTestFinished(anvil.stop);
    const token = await deployToken(anvil);
    await token.mint(payer, 1_000n);
    const lost = await createTestDatabase();
    onTestFinished(lost.drop);
    const before = await watch(lost, { anvil, token, farBlocks: never });
    await before.catchUp();
    await before.db.business.updateMany({ data: { notifyPending: true } });
    await before.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
    await before.catchUp();
    const known = await transactionsOf(before);
    await before.stop();
    const restored = await restoreTestDatabase(lost.url);
    onTestFinished(restored.drop);

    const first = await watch(lost, { anvil, token, farBlocks: never });
    for (let amount = 2n; amount <= 6n; amount += 1n) {
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: amount });
      await token.transfer(payer, wallet, amount);
    }
    await anvil.mine(3);
    await first.catchUp();
    const [transactions, notifications] = [
      await transactionsOf(first),
      await notificationsOf(first),
    ];
    await first.stop();
    expect(known).toHaveLength(1);
    expect(transactions).toHaveLength(11);
    expect(notifications).toHaveLength(22);

    const second = await watch(restored, { anvil, token, farBlocks });
    await second.catchUp();
    const again = [await transactionsOf(second), await notificationsOf(second)] as const;
    await second.stop();
    expect(again[0]).toEqual(transactions);
    // Ranges notify of no pending event: what is confirmed by then is notified as that.
    const isAgain = ({ state }: { state: string }) => farBlocks === never || state === "confirmed";
    expect(again[1].filter(isAgain)).toEqual(notifications.filter(isAgain));
  },
);

const crossingsOf = async ({ db }: Watched) =>
  (
    await db.notification.findMany({ where: { walletId: { not: null } }, orderBy: { seq: "asc" } })
  ).map(({ id, state, body }) => ({ id, state, balance: JSON.parse(body).data.balance }));

test.each([
  { how: "block by block", farBlocks: never },
  { how: "in ranges", farBlocks: 1n },
])(
  "thresholds that a restored database crosses, $how, have the ids that they had, and no other one has",
  async ({ farBlocks }) => {
    const anvil = await startAnvil({});
    onTestFinished(anvil.stop);
    const token = await deployToken(anvil);
    const [, owner] = ANVIL_ACCOUNTS;
    const lost = await createTestDatabase();
    onTestFinished(lost.drop);
    const before = await watch(lost, { anvil, token, farBlocks: never });
    await before.catchUp();
    const walletId = await before.addWallet(owner);
    await anvil.mine(4);
    await before.catchUp();
    const { businessId } = before;
    const threshold = { assetCode: "ETH", below: "9999.5", restoredFrom: "10001" };
    await setThresholds(before.db, { businessId, walletId, thresholds: [threshold] });
    await before.stop();
    const restored = await restoreTestDatabase(lost.url);
    onTestFinished(restored.drop);

    const pay = async (from: string, to: string, ethers: bigint) => {
      await anvil.sendNative({ from, to, amountAtomic: ethers * ether });
      await anvil.mine(2);
    };
    const first = await watch(lost, { anvil, token, farBlocks: never });
    for (const _ of ["one", "two"]) {
      await pay(owner, payer, 3n);
      await first.catchUp();
      await pay(payer, owner, 5n);
      await first.catchUp();
    }
    const known = await crossingsOf(first);
    await first.stop();
    expect(known.map(({ state }) => state)).toEqual(["below", "restored", "below", "restored"]);

    const second = await watch(restored, { anvil, token, farBlocks });
    await second.catchUp();
    expect(await crossingsOf(second)).toEqual(known);
    await pay(owner, payer, 9n);
    await second.catchUp();
    const [newest, ...others] = (await crossingsOf(second)).slice(known.length);
    await second.stop();
    expect(others).toEqual([]);
    expect(newest?.state).toBe("below");
    expect(known.map(({ id }) => id)).not.toContain(newest?.id);
  },
);
