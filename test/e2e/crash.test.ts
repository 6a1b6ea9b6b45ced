import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { startOwnRedis } from "../support/delivery/redis.ts";
import { hasRedis } from "../support/delivery/with-redis.ts";
import { gate } from "../support/gate.ts";
import { runSql } from "../support/ledger/databases.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { spawnDaemon, startDaemon } from "../support/process/daemon.ts";
import type { Deployment } from "../support/process/deployment.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

describe.runIf(hasRedis)("deliveries that something interrupts", () => {
  const world = eachWorld();
  let redis: Awaited<ReturnType<typeof startOwnRedis>>;
  let deployment: Deployment;

  beforeEach(async () => {
    redis = await startOwnRedis({});
    deployment = deploymentIn(world, { redisUrl: redis.url });
  });

  afterEach(async () => {
    await redis.stop();
  });

  it("arrive after the process was killed between the confirmation and their delivery", async () => {
    const { anvil, receiver } = world;
    const first = await spawnDaemon(deployment);
    const customer = await createCustomer({
      ...first,
      blockchain: "anvil",
      addresses: [wallet],
      receiver,
    });
    receiver.answerAlways({ kind: "hang" });
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
    // It is confirmed and being sent: the receiver has it and has not answered.
    await receiver.waitForCount(1);
    await first.kill();
    // The dead process's lease has to end first: the minute that this takes is taken off.
    await runSql(
      world.database.url,
      "UPDATE delivery SET claim_expires_at = claim_expires_at - interval '1 minute' WHERE claim_token IS NOT NULL",
    );

    receiver.answerAlways({ kind: "status", status: 200 });
    const second = await spawnDaemon(deployment);
    try {
      await receiver.waitForCount(2, 90_000);
      const [before, after] = receiver.requests.map((request) =>
        verified(request, customer.secret),
      );
      expect(after).toEqual(before);
      await waitFor(async () => (await second.admin.get("/admin/status")).outbox.waiting === 0, {
        what: "the delivery to be on record",
        timeoutMs: 10_000,
      });
    } finally {
      expect(await second.stop()).toBe(0);
    }
    expect(receiver.requests).toHaveLength(2);
  });

  it("arrive although the process was killed before they were in the queue", async () => {
    const { anvil, receiver } = world;
    const watcher = await spawnDaemon({
      ...deployment,
      settings: { ...deployment.settings, roles: "watcher,api" },
    });
    const customer = await createCustomer({
      ...watcher,
      blockchain: "anvil",
      addresses: [wallet],
      receiver,
    });
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
    await waitFor(
      async () => (await customer.api.get("/transactions"))[0]?.status === "completed",
      {
        what: "the deposit to be confirmed",
        timeoutMs: 15_000,
      },
    );
    await watcher.kill();
    expect(receiver.requests).toHaveLength(0);

    const whole = await spawnDaemon(deployment);
    try {
      await receiver.waitForCount(1);
      expect(verified(receiver.requests[0] ?? expect.fail(), customer.secret).event).toBe(
        "transaction.deposit",
      );
    } finally {
      await whole.stop();
    }
  });

  it("arrive although Redis was emptied while they waited", async () => {
    const { anvil, receiver } = world;
    const daemon = await startDaemon(deployment);
    try {
      const customer = await createCustomer({
        ...daemon,
        blockchain: "anvil",
        addresses: [wallet],
        receiver,
      });
      const emptied = gate();
      receiver.answerAlways({
        kind: "handler",
        async handle(_received, response) {
          await emptied.isOpen;
          response.writeHead(200).end();
        },
      });
      const count = 40;
      for (let sent = 0; sent < count; sent += 1) {
        await anvil.sendNative({ from: payer, to: wallet, amountAtomic: BigInt(sent + 1) });
      }
      await receiver.waitForCount(5);
      expect(receiver.requests.length, "some must still be waiting").toBeLessThan(count);
      const connection = new Redis(redis.url);
      await connection.flushall();
      connection.disconnect();
      emptied.open();
      const amounts = () =>
        new Set(
          receiver.requests.map((request) => verified(request, customer.secret).data.transactionId),
        );
      await waitForCount(() => amounts().size, count, {
        what: "all of them to arrive",
        timeoutMs: 45_000,
      });
    } finally {
      await daemon.stop();
    }
  });
});
