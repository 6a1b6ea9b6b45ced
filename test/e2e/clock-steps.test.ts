import { describe, expect, it, onTestFinished } from "vitest";
import { watchClock } from "../../src/app/environment/watch-clock.ts";
import { ANVIL_ACCOUNTS } from "../support/chain/anvil.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { quiet } from "../support/quiet.ts";
import { stepClock } from "../support/step-clock.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const [payer] = ANVIL_ACCOUNTS;
const wallet = "0x00000000000000000000000000000000000A11cE";
const hourMs = 3_600_000;

describe.each([
  ["back", -hourMs, "redis"],
  ["back", -hourMs, "postgres"],
  ["forward", hourMs, "redis"],
] as const)(
  "the daemon's clock that is set %s by %i ms, with the queue in %s",
  (_to, byMs, queue) => {
    const world = eachWorld();

    it("delays no deposit, and none is notified twice", async () => {
      const { anvil, receiver } = world;
      const redisUrl = queue === "redis" ? world.redisUrl : null;
      const daemon = await startDaemon(deploymentIn(world, { confirmations: 2, redisUrl }));
      onTestFinished(() => daemon.stop());
      await createCustomer({ ...daemon, blockchain: "anvil", addresses: [wallet], receiver });
      const deposit = async (amountAtomic: bigint) => {
        await anvil.sendNative({ from: payer, to: wallet, amountAtomic });
        await anvil.mine(2);
      };
      await deposit(1n);
      await receiver.waitForCount(1);
      onTestFinished(stepClock(byMs));
      for (const amount of [2n, 3n, 4n]) await deposit(amount);
      await receiver.waitForCount(4);
      const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size).toBe(4);
      expect((await fetch(`${daemon.url}/health/ready`)).status).toBe(200);
    });
  },
);

describe("the daemon's clock beside the database's", () => {
  const world = eachWorld();

  it.each([
    ["right", 0, []],
    ["an hour behind", -hourMs, [-60]],
    ["an hour ahead", hourMs, [60]],
  ])("is warned of where it differs: it is %s", async (_how, byMs, minutesAhead) => {
    const daemon = await startDaemon(deploymentIn(world));
    onTestFinished(() => daemon.stop());
    onTestFinished(stepClock(byMs));
    const warned: object[] = [];
    const log = {
      ...quiet,
      warn: (fields: object, event: string) => warned.push({ event, ...fields }),
    };
    const watch = watchClock({ db: daemon.db, log });
    await watch.start();
    // It ends what it has begun, which is the first look.
    await watch.stop();
    expect(warned).toEqual(
      minutesAhead.map((minutes) => ({
        event: "clock.differs",
        aheadMs: expect.closeTo(minutes * 60_000, -4),
      })),
    );
    expect(watch.trouble()).toBeNull();
  });
});
