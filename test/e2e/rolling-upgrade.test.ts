import { describe, expect, it } from "vitest";
import { client } from "../support/api/api-client.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { shownWallet as wallet } from "../support/chain/cast.ts";
import { inCheckout } from "../support/checkout.ts";
import { announcedIds } from "../support/delivery/announced-ids.ts";
import { type Receiver, startReceiver } from "../support/delivery/receiver.ts";
import { startOwnRedis } from "../support/delivery/redis.ts";
import { hasRedis } from "../support/delivery/with-redis.ts";
import { allTests, eachTest } from "../support/each-test.ts";
import { createEmptyDatabase } from "../support/ledger/postgres.ts";
import { type Customer, createCustomer } from "../support/process/customer.ts";
import { type DaemonProcess, startDaemonProcess } from "../support/process/daemon-process.ts";
import { type Deployment, deploymentOf } from "../support/process/deployment.ts";
import { openRelease } from "../support/release/release.ts";
import { depositEvery, type Use, useEvery } from "../support/release/use.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";

/** Notifications, and rounds of requests, that each stage is made to last for. */
const each = 15;
/** A claim of a process that was killed ends after a minute. */
const patienceMs = 120_000;

const ours = inCheckout("dist", "bin", "main.js");
const queues = hasRedis ? (["redis", "postgres"] as const) : (["postgres"] as const);

const released = allTests(openRelease, ({ remove }) => remove());
const resources = eachTest(
  async () => createResources(),
  ({ end }) => end(),
);

describe.each(queues)("with the queue in %s, the release before this one and this one", (queue) => {
  it("work side by side and in turn on one database, under load, and announce each deposit under one id", async () => {
    const { anvil, receiver, start } = await world(queue);
    const old = await start(released.program);
    const addresses = [wallet];
    const customer = await createCustomer({ ...old, blockchain: "anvil", addresses, receiver });
    const deposits = depositEvery(anvil, wallet);
    resources.onEnd(() => deposits.stop().catch(() => {}));
    const more = () => receiver.waitForCount(receiver.requests.length + each, patienceMs);
    await more();

    const beside = await start(ours);
    const useOfOld = used(old, customer);
    const useOfOurs = used(beside, customer);
    await Promise.all([more(), lasted(useOfOld), lasted(useOfOurs)]);
    await useOfOurs.stop();
    await beside.stop();
    // The old one alone, on the database that ours has migrated: what an operator goes back to.
    await Promise.all([more(), lasted(useOfOld)]);

    const last = await start(ours);
    await Promise.all([more(), lasted(useOfOld)]);
    await useOfOld.stop();
    await old.kill();
    await expect(start(released.program)).rejects.toThrow(/database_too_new/);
    await more();
    await deposits.stop();
    await anvil.mine(2);

    const sent = [...deposits.hashes].sort();
    expect(sent.length).toBeGreaterThan(5 * each);
    await waitFor(() => announced(receiver, customer).length >= sent.length, {
      what: "every deposit to be announced",
      timeoutMs: patienceMs,
    });
    const idsOf = announced(receiver, customer);
    expect(idsOf).toHaveLength(sent.length);
    expect(idsOf.filter((ids) => ids.size !== 1)).toEqual([]);
    expect((await hashesOf(client(last.url, { "x-api-key": customer.key }))).sort()).toEqual(sent);
    expect((await last.admin.get("/admin/ledger/check")).findings).toEqual([]);
    expect([...useOfOld.refused, ...useOfOurs.refused]).toEqual([]);
  });
});

async function world(queue: (typeof queues)[number]) {
  const { open, onEnd } = resources;
  const redis = queue === "redis" ? await open(startOwnRedis(), (one) => one.stop()) : null;
  const anvil = await open(startAnvil({}), (one) => one.stop());
  const receiver = await open(startReceiver(), (one) => one.stop());
  const database = await open(createEmptyDatabase(), (one) => one.drop());
  const deployment = deploymentOf({
    databaseUrl: database.url,
    redisUrl: redis?.url ?? null,
    chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 2 }],
    receiverPorts: [receiver.port],
  });
  const start = async (program: string) => {
    const daemon = await startBuild(program, deployment);
    onEnd(() => daemon.kill());
    return daemon;
  };
  return { anvil, receiver, start };
}

function startBuild(program: string, deployment: Deployment): Promise<DaemonProcess> {
  return startDaemonProcess(deployment, {
    program: [program],
    environment: { NODE_ENV: "production" },
    log: "collected",
    isReady: async ({ url }) => (await fetch(`${url}/health/ready`)).ok,
  });
}

function used(daemon: DaemonProcess, customer: Customer): Use {
  const use = useEvery(daemon, customer);
  resources.onEnd(use.stop);
  return use;
}

async function lasted({ rounds }: Use): Promise<void> {
  const before = rounds();
  await waitFor(
    () => {
      if (rounds() >= before + each) return true;
      throw new Error(`${rounds() - before} so far`);
    },
    { what: `${each} rounds of requests`, timeoutMs: patienceMs },
  );
}

/** Of each transaction that was announced, the ids of its notifications. */
function announced(receiver: Receiver, customer: Customer): Set<string>[] {
  return [...announcedIds(receiver, customer).values()];
}

async function hashesOf(api: ReturnType<typeof client>): Promise<string[]> {
  const hashes: string[] = [];
  for (let after = ""; ; ) {
    const { body } = await api.call("GET", `/transactions?limit=500${after}`);
    hashes.push(...body.data.map(({ tx_hash }: { tx_hash: string }) => tx_hash));
    if (body.next_cursor === null) return hashes;
    after = `&cursor=${body.next_cursor}`;
  }
}
