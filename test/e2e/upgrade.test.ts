import { expect, it } from "vitest";
import { client } from "../support/api/api-client.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { shownWallet as wallet } from "../support/chain/cast.ts";
import { inCheckout } from "../support/checkout.ts";
import { announcedIds } from "../support/delivery/announced-ids.ts";
import { type Receiver, startReceiver } from "../support/delivery/receiver.ts";
import { startOwnRedis } from "../support/delivery/redis.ts";
import { hasRedis } from "../support/delivery/with-redis.ts";
import { eachTest } from "../support/each-test.ts";
import { openDatabase } from "../support/ledger/database.ts";
import { runSql } from "../support/ledger/databases.ts";
import { createEmptyDatabase } from "../support/ledger/postgres.ts";
import { type Customer, createCustomer } from "../support/process/customer.ts";
import { type DaemonProcess, startDaemonProcess } from "../support/process/daemon-process.ts";
import { type Deployment, deploymentOf } from "../support/process/deployment.ts";
import { builtRelease } from "../support/release/release.ts";
import { depositEvery, type Use, useEvery } from "../support/release/use.ts";
import { createResources } from "../support/resources.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";

/** Notifications, and rounds of requests, that each stage is made to last for. */
const each = 5;
/** A claim of a process that was killed ends after a minute. */
const patienceMs = 120_000;

const ours = inCheckout("dist", "bin", "main.js");
const queues = hasRedis ? (["redis", "postgres"] as const) : (["postgres"] as const);

const resources = eachTest(
  async () => createResources(),
  ({ end }) => end(),
);

it.each(queues)(
  "an upgrade from the release before this one with one stop, deposits going on, announces each deposit once, with the queue in %s",
  async (queue) => {
    const released = await builtRelease();
    const { anvil, receiver, start, databaseUrl } = await world(queue);
    const old = await start(released);
    const addresses = [wallet];
    const customer = await createCustomer({ ...old, blockchain: "anvil", addresses, receiver });
    const deposits = depositEvery(anvil, wallet);
    resources.onEnd(() => deposits.stop().catch(() => {}));
    const more = () => receiver.waitForCount(receiver.requests.length + each, patienceMs);
    const useOfOld = used(old, customer);
    await Promise.all([more(), lasted(useOfOld)]);

    // Beside the older release this one does not begin, and the older one goes on.
    await expect(start(ours)).rejects.toThrow(/older_release_running/);
    await Promise.all([more(), lasted(useOfOld)]);
    await useOfOld.stop();
    const before = await auditOf(old);
    expect(before.entries.length).toBeGreaterThan(2);
    expect(await old.stop()).toBe(0);
    const stoppedAt = deposits.hashes.length;
    await waitForCount(() => deposits.hashes.length, stoppedAt + each, {
      what: "deposits while nothing runs",
      timeoutMs: patienceMs,
    });

    const last = await start(ours);
    const useOfOurs = used(last, customer);
    await Promise.all([more(), lasted(useOfOurs)]);
    // Nor does the older release begin beside this one.
    await expect(start(released)).rejects.toThrow(/database_too_new/);
    await Promise.all([more(), lasted(useOfOurs)]);
    await deposits.stop();
    await anvil.mine(2);

    const sent = [...deposits.hashes].sort();
    expect(sent.length).toBeGreaterThan(5 * each);
    await waitForCount(() => announced(receiver, customer).length, sent.length, {
      what: "every deposit to be announced",
      timeoutMs: patienceMs,
    });
    const idsOf = announced(receiver, customer);
    expect(idsOf).toHaveLength(sent.length);
    expect(idsOf.filter((ids) => ids.size !== 1)).toEqual([]);
    expect((await hashesOf(client(last.url, { "x-api-key": customer.key }))).sort()).toEqual(sent);
    expect((await last.admin.get("/admin/ledger/check")).findings).toEqual([]);
    await useOfOurs.stop();

    // The trail of before is there, at its places, and what is written now follows it.
    const trail = await auditOf(last);
    // A newer release says more of an entry.
    const kept = before.entries.map((one) => expect.objectContaining(one));
    expect(trail.entries).toEqual(expect.arrayContaining(kept));
    expect(trail.verdict).toMatchObject({ whole: true, inserted: [] });
    const [number, hash] = before.verdict.head.split(":");
    const places = `SELECT hash, (SELECT max(seq) FROM audit_place)::int AS last FROM audit_place WHERE seq = ${number}`;
    const db = openDatabase({ databaseUrl, poolSize: 1 });
    resources.onEnd(() => db.$disconnect());
    const [place] = await db.$queryRawUnsafe<{ hash: string; last: number }[]>(places);
    expect(place?.hash).toBe(hash);
    await last.admin.call("POST", "/admin/businesses", { name: "After" });
    await waitFor(
      async () => {
        const { head, unchained } = (await auditOf(last)).verdict;
        return unchained === 0 && Number(head.split(":")[0]) > (place?.last ?? 0);
      },
      { what: "the next entry's place", timeoutMs: patienceMs },
    );
    expect((await auditOf(last)).verdict).toMatchObject({ whole: true, inserted: [] });
    expect([...useOfOld.refused, ...useOfOurs.refused]).toEqual([]);
  },
);

it("a daemon whose database a newer release migrates ends, and says what to do", async () => {
  const { start, databaseUrl } = await world("postgres");
  const daemon = await start(ours);
  await runSql(databaseUrl, "UPDATE installation SET generation = generation + 1");
  expect(await daemon.ended).toBe(1);
  expect(daemon.output()).toMatch(/database_too_new.*run the newer release/);
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
  return { anvil, receiver, start, databaseUrl: database.url };
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

type Trail = {
  entries: object[];
  verdict: { whole: boolean; head: string; unchained: number; inserted: string[] };
};

async function auditOf({ admin }: DaemonProcess): Promise<Trail> {
  const { body } = await admin.call("GET", "/admin/audit?limit=500");
  return { entries: body.data, verdict: await admin.get("/admin/audit/verify") };
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
