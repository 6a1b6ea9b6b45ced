import { afterEach, describe, expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { runSql } from "../support/ledger/databases.ts";
import { hasPgBouncer, startPgBouncer } from "../support/ledger/pgbouncer.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

/** Ended before the world that they need. */
const resources = createResources();
afterEach(() => resources.end());

/**
 * A database with a time zone of its own, behind a PgBouncer, and what a daemon there is configured
 * with.
 */
async function startPooled(mode: "transaction" | "session") {
  const { url: direct } = world.database;
  const name = new URL(direct).pathname.slice(1);
  await runSql(direct, `ALTER DATABASE ${name} SET timezone TO 'Europe/Paris'`);
  const bouncer = await resources.open(startPgBouncer(direct, mode), (one) => one.stop());
  const deployment = deploymentIn(world, { redisUrl: null });
  return {
    deployment: { ...deployment, settings: { ...deployment.settings, databaseUrl: bouncer.url } },
    environment: { DATABASE_DIRECT_URL: direct },
  };
}

describe.runIf(hasPgBouncer).each(["transaction", "session"] as const)(
  "through a PgBouncer in %s mode",
  (mode) => {
    it("two daemons record each transaction once and send each notification once", async () => {
      const { anvil, receiver } = world;
      const { deployment, environment } = await startPooled(mode);
      const start = () => startDaemon(deployment, environment);
      const first = await resources.open(start(), (one) => one.stop());
      const second = await resources.open(start(), (one) => one.stop());
      const of = { blockchain: "anvil", addresses: [wallet], receiver };
      const customer = await createCustomer({ ...first, ...of });
      const count = 30;
      for (let sent = 0; sent < count; sent += 1) {
        await anvil.sendNative({ from: payer, to: wallet, amountAtomic: BigInt(sent + 1) });
      }
      await receiver.waitForCount(count, 60_000);
      await waitFor(async () => (await second.admin.get("/admin/status")).outbox.waiting === 0, {
        what: "everything to be on record",
        timeoutMs: 30_000,
      });
      const received = receiver.requests.map((request) => verified(request, customer.secret));
      expect(new Set(received.map(({ id }) => id)).size).toBe(count);
      expect(received).toHaveLength(count);
      const [newest] = await customer.api.get("/transactions?limit=1");
      const block = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", "latest", false);
      expect(newest.date).toBe(new Date(Number(block.timestamp) * 1_000).toISOString());
    });

    it("the queue in PostgreSQL is refused by name where no direct connection is known", async () => {
      const { deployment } = await startPooled(mode);
      await expect(startDaemon(deployment)).rejects.toMatchObject({ code: "queue_refused" });
    });
  },
);
