import { expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { eachTest } from "../support/each-test.ts";
import { openReplicated } from "../support/ledger/replicated.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
const servers = eachTest(openReplicated, (one) => one.end());

const timeoutMs = 60_000;
const deposits = 20;

it("a replica that takes over is worked with, and nothing is lost or announced under two ids", {
  timeout: 2 * timeoutMs,
}, async ({ onTestFinished }) => {
  const { anvil, receiver } = world;
  const deployment = deploymentIn(world, { redisUrl: null });
  deployment.settings.databaseUrl = servers.url;
  const daemon = await startDaemon(deployment);
  onTestFinished(daemon.stop);
  const of = { blockchain: "anvil", addresses: [wallet], receiver };
  const customer = await createCustomer({ ...daemon, ...of });
  const pay = async (from: number) => {
    for (let sent = from; sent < from + deposits / 2; sent += 1)
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: BigInt(sent + 1) });
  };
  await pay(0);
  await receiver.waitForCount(deposits / 4, timeoutMs);

  servers.killPrimary();
  await pay(deposits / 2);
  await servers.promote();

  const heard = () => receiver.requests.map((request) => verified(request, customer.secret));
  const transactions = () => new Set(heard().map(({ data }) => data.transactionId));
  await waitFor(() => transactions().size === deposits, { what: "every deposit", timeoutMs });
  expect(new Set(heard().map(({ id }) => id)).size).toBe(deposits);
  await waitFor(async () => (await daemon.admin.get("/admin/status")).outbox.waiting === 0, {
    what: "everything to be on record",
    timeoutMs,
  });
  expect(await customer.api.get("/transactions?limit=100")).toHaveLength(deposits);
});
