// The release before this one and ours side by side on one database, under load: the old one runs, ours is started beside it
// and migrates, both work, ours is stopped and the old one works alone, ours is started again, and the old one is killed and
// started again, which it refuses. Prints what was heard, and ends with 1 where a deposit is missing, has two ids or two
// transactions, or where a request that was allowed is refused.
// The release is built as it says itself, with packages of its own: that takes a minute or two.
// Usage: node scripts/run.mjs upgrade [--from v0.1.0] [--seconds 10] [--queue redis]
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { client } from "../../test/support/api/api-client.ts";
import { type Anvil, startAnvil } from "../../test/support/chain/anvil.ts";
import { payer, shownWallet } from "../../test/support/chain/cast.ts";
import { announcedIds } from "../../test/support/delivery/announced-ids.ts";
import { type Receiver, startReceiver } from "../../test/support/delivery/receiver.ts";
import { startOwnRedis } from "../../test/support/delivery/redis.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { type Customer, createCustomer } from "../../test/support/process/customer.ts";
import {
  type DaemonProcess,
  startDaemonProcess,
} from "../../test/support/process/daemon-process.ts";
import { type Deployment, deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { type Build, daemonFile, ourBuild } from "../process/build.ts";
import { openCommit } from "../runner/other-commit.ts";
import { randomAddress } from "../support/random-address.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "v0.1.0" },
    seconds: { type: "string", default: "10" },
    queue: { type: "string", default: "redis" },
  },
});
const stageMs = Number(values.seconds) * 1_000;
/** Between two deposits, and between two rounds of requests. */
const everyMs = 200;
/** A claim of a killed process ends after a minute. */
const patienceMs = 120_000;

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const { open, onEnd, end } = createResources();
  try {
    const released = await open(openCommit(values.from, console.log), (one) => one.remove());
    const cluster = await open(openCluster(), (one) => one.end());
    const redis =
      values.queue === "redis" ? await open(startOwnRedis(), (one) => one.kill()) : null;
    const anvil = await open(startAnvil({}), (one) => one.stop());
    const receiver = await open(startReceiver(), (one) => one.stop());
    const deployment = deploymentOf({
      databaseUrl: await cluster.createDatabase("upgraded"),
      redisUrl: redis?.url ?? null,
      chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 2 }],
      receiverPorts: [receiver.port],
    });
    const daemons = new Set<DaemonProcess>();
    onEnd(() => Promise.all([...daemons].map((one) => one.kill())));
    const start = async (build: Build) => {
      const daemon = await startBuild(build, deployment);
      daemons.add(daemon);
      return daemon;
    };
    return await upgrade({ start, released, anvil, receiver });
  } finally {
    await end();
  }
}

type World = {
  start: (build: Build) => Promise<DaemonProcess>;
  released: Build;
  anvil: Anvil;
  receiver: Receiver;
};

async function upgrade({ start, released, anvil, receiver }: World): Promise<boolean> {
  const old = await start(released);
  const addresses = [shownWallet];
  const customer = await createCustomer({ ...old, blockchain: "anvil", addresses, receiver });
  const deposits = depositEvery(anvil);
  await sleep(stageMs);
  console.log(`${values.from} works alone: ${receiver.requests.length} notifications`);

  const beside = await start(ourBuild);
  console.log("ours is ready beside it, and has migrated");
  const use = useEvery(old, customer);
  const useOfOurs = useEvery(beside, customer);
  await sleep(2 * stageMs);
  const byOurs = await useOfOurs.stop();
  await beside.stop();
  const before = receiver.requests.length;
  await sleep(stageMs);
  console.log(
    `ours is stopped: ${receiver.requests.length - before} notifications of ${values.from} alone`,
  );
  const ours = await start(ourBuild);
  await sleep(stageMs);
  const byOld = await use.stop();

  await old.kill();
  const again = await start(released).catch((error: Error) => error);
  const isRefused = again instanceof Error && again.message.includes("database_too_new");
  console.log(
    `${values.from} is killed and started again: ${isRefused ? "refused, database_too_new" : "it was not refused"}`,
  );
  await sleep(stageMs);
  const sent = await deposits.stop();
  await anvil.mine(2);

  const api = client(ours.url, { "x-api-key": customer.key });
  const heard = () => announcedIds(receiver, customer);
  await waitFor(() => heard().size >= sent || Promise.reject(new Error(`${heard().size}`)), {
    what: "every deposit",
    timeoutMs: patienceMs,
  }).catch(() => {});
  const hashes = await hashesOf(api);
  const found = await ours.admin.get("/admin/ledger/check");
  await ours.stop();
  const twice = [...heard().values()].filter((ids) => ids.size > 1).length;
  console.log(`  deposits               ${sent}
  announced              ${heard().size}, by ${receiver.requests.length} requests
  under two ids          ${twice}
  in the ledger          ${hashes.length}, of ${new Set(hashes).size} transactions of the chain
  the ledger's check     ${JSON.stringify(found.findings)}
  requests refused       by ${values.from}: ${summary(byOld)}; by ours: ${summary(byOurs)}
  trouble logged         by ${values.from}: ${troubleOf(old)}; by ours: ${troubleOf(beside)}, ${troubleOf(ours)}`);
  const isWhole = heard().size === sent && hashes.length === sent && new Set(hashes).size === sent;
  const isServed = byOld.length === 0 && byOurs.length === 0;
  return isWhole && twice === 0 && found.findings.length === 0 && isServed && isRefused;
}

function startBuild(build: Build, deployment: Deployment): Promise<DaemonProcess> {
  return startDaemonProcess(deployment, {
    program: [daemonFile(build)],
    environment: { NODE_ENV: "production" },
    log: "collected",
    isReady: async ({ url }) => (await fetch(`${url}/health/ready`)).ok,
  });
}

/** Pays the wallet over and over; `stop` answers how often. */
function depositEvery({ sendNative }: Anvil): { stop: () => Promise<number> } {
  return repeat(() => sendNative({ from: payer, to: shownWallet, amountAtomic: 1n }));
}

/** What a business and an operator do all day; `stop` answers the requests that were refused. */
function useEvery({ url, admin }: DaemonProcess, { businessId, key }: Customer) {
  const api = client(url, { "x-api-key": key });
  const refused: string[] = [];
  const lists = ["/balance", "/wallets", "/transactions", "/notifications", "/webhooks"];
  const using = repeat(async () => {
    const wallets = [{ blockchain: "anvil", address: randomAddress() }];
    await admin
      .post(`/admin/businesses/${businessId}/wallets`, { wallets })
      .catch((error: Error) => void refused.push(error.message));
    for (const path of [...lists, "/admin/status"]) {
      const reader = path.startsWith("/admin") ? admin : api;
      await reader.get(path).catch((error: Error) => void refused.push(error.message));
    }
  });
  return {
    async stop() {
      await using.stop();
      return refused;
    },
  };
}

function repeat(step: () => Promise<unknown>): { stop: () => Promise<number> } {
  let isStopped = false;
  const running = (async () => {
    let times = 0;
    for (; !isStopped; times += 1) {
      await step();
      await sleep(everyMs);
    }
    return times;
  })();
  // Who stops it hears of what failed; until then it must not end the process.
  running.catch(() => {});
  return {
    stop() {
      isStopped = true;
      return running;
    },
  };
}

async function hashesOf(api: ReturnType<typeof client>): Promise<string[]> {
  const hashes: string[] = [];
  for (let after = ""; ; ) {
    const { body } = await api.call("GET", `/transactions?limit=500${after}`);
    hashes.push(...body.data.map((row: { tx_hash: string }) => row.tx_hash));
    if (body.next_cursor === null) return hashes;
    after = `&cursor=${body.next_cursor}`;
  }
}

function summary(refused: string[]): string {
  return refused.length === 0 ? "none" : `${refused.length}, such as ${refused[0]}`;
}

/** The events of warnings and errors, with how often. */
function troubleOf({ output }: DaemonProcess): string {
  const counts = new Map<string, number>();
  for (const line of output().split("\n")) {
    const [, level, event] = /"level":"?(\w+)"?.*"msg":"([^"]*)"/.exec(line) ?? [];
    if (level === undefined || event === undefined) continue;
    if (!["40", "50", "60", "warn", "error", "fatal"].includes(level)) continue;
    counts.set(event, (counts.get(event) ?? 0) + 1);
  }
  return [...counts].map(([event, count]) => `${event} ${count}`).join(", ") || "none";
}
