import { beforeEach, describe, expect, it } from "vitest";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { ether, payer } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { setThresholds } from "../../../support/ledger/steps.ts";

describe("the threshold of a wallet on a chain", () => {
  const { anvil, watched } = eachWatchedChain({ blocks: 3, depth: 3 });
  const [, owner] = ANVIL_ACCOUNTS;
  let walletId: string;

  /** The account begins with 10,000. */
  const threshold = { assetCode: "ETH", below: "9999.5", restoredFrom: "10001" };

  const pay = (from: string, to: string) => anvil.sendNative({ from, to, amountAtomic: ether });
  const told = async () => {
    const rows = await watched.db.notification.findMany({
      where: { walletId: { not: null } },
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    });
    return rows.map(({ event, body }) => [event, JSON.parse(body).data.crossing]);
  };
  const set = () =>
    setThresholds(watched.db, {
      businessId: watched.businessId,
      walletId,
      thresholds: [threshold],
    });

  beforeEach(async () => {
    walletId = await watched.addWallet(owner);
  });

  it("is crossed once each way by a withdrawal and deposits that are confirmed", async () => {
    await set();
    await anvil.mine(4);
    await watched.catchUp();
    expect(await told()).toEqual([]);
    await pay(owner, payer);
    await watched.catchUp();
    expect(await told()).toEqual([]);
    await anvil.mine(2);
    await watched.catchUp();
    const below = ["wallet.balance_below", 1];
    expect(await told()).toEqual([below]);

    // Above the threshold, and not yet restored.
    await pay(payer, owner);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await told()).toEqual([below]);
    await pay(payer, owner);
    await pay(payer, owner);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await told()).toEqual([below, ["wallet.balance_restored", 2]]);
    await set();
    expect(await told()).toHaveLength(2);
  });

  it("is crossed once where the process ends in the middle of the commit", async () => {
    await set();
    await anvil.mine(4);
    await watched.catchUp();
    await pay(owner, payer);
    await anvil.mine(2);
    // Its last statement fails once all is written, as where the server ends there.
    await watched.db.$executeRaw`
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'ended'; END $$`;
    await watched.db.$executeRaw`
      CREATE TRIGGER fail_once AFTER INSERT ON notification FOR EACH ROW
      WHEN (NEW.state = 'below') EXECUTE FUNCTION fail_once()`;
    await expect(watched.catchUp()).rejects.toThrow("ended");
    expect(await told()).toEqual([]);
    const judged = () => watched.db.threshold.findFirstOrThrow();
    expect(await judged()).toMatchObject({ isBelow: false, crossings: 0 });
    await watched.db.$executeRaw`DROP TRIGGER fail_once ON notification`;
    watched.restart();
    await watched.catchUp();
    expect(await told()).toEqual([["wallet.balance_below", 1]]);
    watched.restart();
    await watched.catchUp();
    expect(await told()).toHaveLength(1);
    expect(await judged()).toMatchObject({ isBelow: true, crossings: 1 });
  });

  it("is crossed back by a reorg that takes the withdrawal away, and by none that keeps it", async () => {
    await anvil.mine(4);
    await watched.catchUp();
    const high = { ...threshold, below: "9999.5", restoredFrom: null };
    await setThresholds(watched.db, {
      businessId: watched.businessId,
      walletId,
      thresholds: [high],
    });
    await pay(owner, payer);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await told()).toEqual([["wallet.balance_below", 1]]);
    await anvil.reorg(3);
    await watched.catchUp();
    expect(await told()).toEqual([
      ["wallet.balance_below", 1],
      ["wallet.balance_restored", 2],
    ]);
  });

  it("is judged when the balance at the beginning is known, and never before", async () => {
    await setThresholds(watched.db, {
      businessId: watched.businessId,
      walletId,
      thresholds: [{ ...threshold, below: "20000", restoredFrom: null }],
    });
    await pay(payer, owner);
    await watched.catchUp();
    expect(await told()).toEqual([]);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await told()).toEqual([["wallet.balance_below", 1]]);
  });
});
