import { afterEach, expect, it } from "vitest";
import { startDaemon } from "../support/process/daemon.ts";
import { freePort } from "../support/process/free-port.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

/** Ended before the world that they need. */
const resources = createResources();
afterEach(() => resources.end());

const timeoutMs = 40_000;

/** One deployment a test: its processes share key and token. */
function inOneDeployment() {
  const deployment = deploymentIn(world, { redisUrl: null });
  return async (roles: string, environment: Record<string, string> = {}) => {
    const settings = { ...deployment.settings, roles };
    const starting = startDaemon({ ...deployment, settings }, environment);
    return resources.open(starting, (one) => one.stop());
  };
}

async function readinessOf({ url }: { url: string }) {
  const response = await fetch(`${url}/health/ready`);
  const { services } = (await response.json()) as {
    services: { name: string; trouble: string | null }[];
  };
  return { status: response.status, services };
}

/** The sessions of all processes, without the one that asks here. */
async function sessionsOf({ db }: Pick<Awaited<ReturnType<typeof startDaemon>>, "db">) {
  const [row] = await db.$queryRaw<{ total: number; listening: number; queue: number }[]>`
    SELECT count(*)::int AS total, (count(*) FILTER (WHERE application_name = 'chainbell-outbox'))::int AS listening,
      (count(*) FILTER (WHERE application_name = 'chainbell-queue'))::int AS queue
    FROM pg_stat_activity
    WHERE starts_with(application_name, 'chainbell') AND datname = current_database()
      AND pid <> pg_backend_pid()`;
  return row ?? { total: 0, listening: 0, queue: 0 };
}

const metricsOf = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text();

it("every role answers for its health and metrics, and for nothing else", async () => {
  const start = inOneDeployment();
  const worker = await start("watcher,relay,dispatcher");
  await waitFor(async () => (await readinessOf(worker)).status === 200, {
    what: "the worker to be ready",
    timeoutMs,
  });
  const { services } = await readinessOf(worker);
  expect(services.map(({ name }) => name)).toContain("watcher:anvil");
  expect(await metricsOf(worker)).toContain('chainbell_chain_watched{chain="anvil"} 1');
  for (const path of ["/admin/status", "/balance", "/openapi.json"])
    expect([path, (await fetch(`${worker.url}${path}`)).status]).toEqual([path, 404]);
});

it("a process whose port is taken works all the same, where it has no API", async () => {
  const start = inOneDeployment();
  const PORT = String(await freePort());
  const first = await start("watcher", { PORT });
  const second = await start("relay", { PORT });
  expect(second.url).toBe("");
  expect((await fetch(`${first.url}/health/live`)).status).toBe(200);
});

it("a process with all roles has at most 20 sessions, the queue's and the listening one included", async () => {
  const start = inOneDeployment();
  const all = await start("watcher,relay,dispatcher,api");
  await waitFor(async () => (await readinessOf(all)).status === 200, {
    what: "the process to be ready",
    timeoutMs,
  });
  await Promise.all(Array.from({ length: 50 }, () => all.admin.get("/admin/status")));
  expect(await sessionsOf(all)).toMatchObject({ listening: 1 });
  expect((await sessionsOf(all)).total).toBeLessThanOrEqual(20);
});

it("a role that is absent opens no session", async () => {
  const watcher = await inOneDeployment()("watcher");
  await waitFor(async () => (await sessionsOf(watcher)).total > 0, {
    what: "the watcher to be at work",
    timeoutMs,
  });
  // Four of its role and two of the process, and neither the queue's nor one that listens.
  const alone = await sessionsOf(watcher);
  expect(alone).toMatchObject({ listening: 0, queue: 0 });
  expect(alone.total).toBeLessThanOrEqual(6);
});

it("an API is not ready while nobody watches its chain or sends, and says so", async () => {
  const start = inOneDeployment();
  const api = await start("api");
  const troubleOf = async () =>
    (await readinessOf(api)).services.find(({ name }) => name === "workers")?.trouble;
  const both = "no process watches anvil; no process sends notifications";
  await waitFor(async () => (await troubleOf()) === both, { what: "both to be missed", timeoutMs });
  expect((await readinessOf(api)).status).toBe(503);
  // Five of its role and two of the process: roles that it has not open none.
  expect((await sessionsOf(api)).total).toBeLessThanOrEqual(7);
  expect(await metricsOf(api)).toContain('chainbell_chain_watched{chain="anvil"} 0');
  expect(await metricsOf(api)).toContain("chainbell_dispatchers 0");

  const worker = await start("watcher,relay,dispatcher");
  // A chain that no file names, with a wallet: what is paid to it is not seen.
  const [wallet] = await api.db.$queryRaw<{ id: string }[]>`
    WITH left_out AS (INSERT INTO chain (name, evm_chain_id) VALUES ('left', 5) RETURNING name),
      business AS (INSERT INTO business (id, name) VALUES (gen_random_uuid(), 'A') RETURNING id),
      change AS (INSERT INTO watch_change (id, chain_name, version) SELECT gen_random_uuid(), name, 1 FROM left_out RETURNING id)
    INSERT INTO wallet (id, business_id, chain_name, address, purpose, added_change_id)
    SELECT gen_random_uuid(), b.id, 'left', ${`0x${"7".repeat(40)}`}, 'deposit', c.id FROM business b, change c
    RETURNING id`;
  const left = "no process watches left";
  await waitFor(async () => (await troubleOf()) === left, { what: "that chain", timeoutMs });
  expect((await readinessOf(api)).status).toBe(503);
  await api.db.wallet.delete({ where: { id: wallet?.id ?? "" } });
  await waitFor(async () => (await readinessOf(api)).status === 200, {
    what: "readiness",
    timeoutMs,
  });
  expect(await metricsOf(api)).toContain("chainbell_dispatchers 1");
  expect(await metricsOf(api)).toContain("chainbell_relays 1");
  await worker.stop();
  // Whether there should be a relay that says so is known once there was one: those of 0.1 say
  // nothing.
  const all = `${both}; no process passes on what is due`;
  await waitFor(async () => (await troubleOf()) === all, {
    what: "all to be missed again",
    timeoutMs,
  });
  expect(await metricsOf(api)).toContain("chainbell_relays 0");
});
