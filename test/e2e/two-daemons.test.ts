import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

describe.each(["redis", "postgres"] as const)(
  "two daemons on one database, with the queue in %s",
  (queue) => {
    const world = eachWorld();
    let daemons: Awaited<ReturnType<typeof startDaemon>>[];

    beforeEach(async () => {
      const deployment = deploymentIn(world, {
        confirmations: 2,
        redisUrl: queue === "redis" ? world.redisUrl : null,
      });
      daemons = await Promise.all([startDaemon(deployment), startDaemon(deployment)]);
    });

    afterEach(async () => {
      await Promise.all(daemons.map((daemon) => daemon.stop()));
    });

    it("record each transaction once and send each notification once", async () => {
      const { anvil, receiver } = world;
      const [first, second] = daemons;
      if (first === undefined || second === undefined) throw new Error("two daemons");
      const customer = await createCustomer({
        ...first,
        blockchain: "anvil",
        addresses: [wallet],
        receiver,
      });
      const count = 60;
      for (let sent = 0; sent < count; sent += 1) {
        await anvil.sendNative({ from: payer, to: wallet, amountAtomic: BigInt(sent + 1) });
      }
      await anvil.mine(1);
      await receiver.waitForCount(count);
      await waitFor(async () => (await second.admin.get("/admin/status")).outbox.waiting === 0, {
        what: "everything to be heard",
        timeoutMs: 15_000,
      });
      const received = receiver.requests.map((request) => verified(request, customer.secret));
      expect(received).toHaveLength(count);
      expect(new Set(received.map(({ id }) => id)).size).toBe(count);
      const history = await customer.api.get("/transactions?limit=500");
      expect(history).toHaveLength(count);
      expect(new Set(history.map((row: { tx_hash: string }) => row.tx_hash)).size).toBe(count);
    });
  },
);
