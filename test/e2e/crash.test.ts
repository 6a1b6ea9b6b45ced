import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { startOwnRedis } from "../support/delivery/redis.ts";
import { hasRedis } from "../support/delivery/with-redis.ts";
import { runSql } from "../support/ledger/databases.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { spawnDaemon, startDaemon } from "../support/process/daemon.ts";
import type { Deployment } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";
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
    const withRoles = (roles: string) =>
      startDaemon({ ...deployment, settings: { ...deployment.settings, roles } });
    const relay = await withRoles("watcher,relay,api");
    const connection = new Redis(redis.url);
    try {
      const customer = await createCustomer({
        ...relay,
        blockchain: "anvil",
        addresses: [wallet],
        receiver,
      });
      // Nobody takes jobs yet: the relay claims for a dispatcher that it takes to be alive.
      await relay.db.$executeRaw`
        INSERT INTO dispatcher (id, slots, seen_at) VALUES (gen_random_uuid(), 10, now() + interval '1 hour')`;
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
      const claimed = async () => {
        const [row] = await relay.db.$queryRaw<{ token: string }[]>`
          SELECT claim_token::text AS token FROM delivery WHERE claim_token IS NOT NULL`;
        return row !== undefined && (await connection.keys(`*${row.token}`)).length > 0;
      };
      await waitFor(claimed, { what: "its claim in Redis", timeoutMs: 15_000 });
      await connection.flushall();
      const dispatcher = await withRoles("dispatcher");
      try {
        // Well before its lease ends.
        await receiver.waitForCount(1, 30_000);
      } finally {
        await dispatcher.stop();
      }
      expect(receiver.requests).toHaveLength(1);
      expect(verified(receiver.requests[0] ?? expect.fail(), customer.secret).event).toBe(
        "transaction.deposit",
      );
    } finally {
      connection.disconnect();
      await relay.stop();
    }
  });
});
