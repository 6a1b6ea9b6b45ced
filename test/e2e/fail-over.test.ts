import { expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { eachTest } from "../support/each-test.ts";
import { openReplicated } from "../support/ledger/replicated.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
const servers = eachTest(openReplicated, (one) => one.end());

const timeoutMs = 60_000;
const deposits = 20;

it("a replica that takes over is worked with, and nothing is lost or announced under two ids", async ({
  onTestFinished,
}) => {
  const { anvil, receiver } = world;
  await servers.confirmCommits();
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
  await waitForCount(() => transactions().size, deposits, { what: "every deposit", timeoutMs });
  expect(new Set(heard().map(({ id }) => id)).size).toBe(deposits);
  await waitFor(async () => (await daemon.admin.get("/admin/status")).outbox.waiting === 0, {
    what: "everything to be on record",
    timeoutMs,
  });
  expect(await customer.api.get("/transactions?limit=100")).toHaveLength(deposits);
});

it("lists come from a replica while it is recent, and from the primary else", async ({
  onTestFinished,
}) => {
  const deployment = deploymentIn(world, { redisUrl: null });
  deployment.settings.databaseUrl = servers.primaryUrl;
  const daemon = await startDaemon(deployment, {
    DATABASE_READ_URL: `${servers.url}?target_session_attrs=standby`,
    DATABASE_READ_STALENESS: "4s",
  });
  onTestFinished(daemon.stop);
  const customer = await createCustomer({
    ...daemon,

    blockchain: "anvil",
    addresses: [wallet],
    receiver: null,
  });
  const list = async () => {
    const url = `${daemon.url}/transactions`;
    const response = await fetch(url, { headers: { "x-api-key": customer.key } });
    const { data } = (await response.json()) as { data: unknown[] };
    const stalenessMs = Number(response.headers.get("chainbell-staleness-ms"));
    return { by: response.headers.get("chainbell-read-from"), stalenessMs, count: data.length };
  };
  const until = (what: string, isSo: (listed: Awaited<ReturnType<typeof list>>) => boolean) =>
    waitFor(async () => isSo(await list()), { what, timeoutMs });
  await until("the replica", ({ by }) => by === "replica");
  await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
  await until("the deposit there", ({ by, count }) => by === "replica" && count === 1);

  await servers.pauseReplica();
  await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: 2n });
  const listed: Awaited<ReturnType<typeof list>>[] = [];
  await until("the second deposit", (one) => listed.push(one) > 0 && one.count === 2);
  // What the replica does not know is answered by the primary, and until then the replica says how
  // old it is.
  expect(listed.at(-1)).toMatchObject({ by: "primary", stalenessMs: 0 });
  expect(Math.max(...listed.map(({ stalenessMs }) => stalenessMs))).toBeLessThanOrEqual(4_000);
  expect(listed.filter(({ by }) => by === "replica").map(({ count }) => count)).not.toContain(2);
  // So are the long lists of operators, by the same limit; what they change by hand is the
  // primary's.
  const seen = async (path: string) => {
    const authorization = `Bearer ${deployment.adminToken}`;
    const { headers } = await fetch(`${daemon.url}/admin${path}`, { headers: { authorization } });
    return [headers.get("chainbell-read-from"), headers.get("chainbell-staleness-ms")];
  };
  const long = ["/notifications", "/audit", "/ledger/reconciliations"];
  for (const path of long) expect(await seen(path), path).toEqual(["primary", "0"]);
  await servers.resumeReplica();
  await until("the replica again", ({ by, count }) => by === "replica" && count === 2);
  await waitFor(async () => (await Promise.all(long.map(seen))).every(([by]) => by === "replica"), {
    what: "the operators' lists from the replica",
    timeoutMs,
  });
  expect(await seen("/businesses")).toEqual([null, null]);

  servers.killReplica();
  await until("the primary", ({ by, count }) => by === "primary" && count === 2);
});
