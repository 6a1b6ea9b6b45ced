import { expect, onTestFinished, test } from "vitest";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { deployToken, type TestToken } from "../../../support/chain/token.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import {
  createTestDatabase,
  restoreTestDatabase,
  type TestDatabase,
} from "../../../support/ledger/postgres.ts";
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
