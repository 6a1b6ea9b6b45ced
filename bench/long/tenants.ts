// Many businesses in one process: each has a webhook and wallets, added through the API, and the
// process watches many chains. Then one block pays a part of the businesses, many times over.
// Usage: node scripts/run.mjs tenants [--quick] [--businesses 2000] [--wallets 200000] [--chains 30]
// [--deposits 5000] [--paid 500] [--rounds 3]
// Prints how long each step takes, the time from the block to the last webhook, the most sessions
// of PostgreSQL, and memory. Ends with status 1 where a deposit is not notified exactly once, or
// where there are more than 20 sessions.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { formatUnits } from "viem/utils";
import { startAnvil } from "../../test/support/chain/anvil.ts";
import { startRpcProxy } from "../../test/support/chain/rpc-proxy.ts";
import type { DaemonProcess } from "../../test/support/process/daemon-process.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources, type Resources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { ourBuild } from "../process/build.ts";
import type { Arrival } from "../process/protocol.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { startProgram } from "../process/start-program.ts";
import { deployToken, transfersInOne } from "../support/chain/transfer-chain.ts";
import { addNotifiedBusinesses } from "../support/delivery/notified-business.ts";
import { cpuShare, readMetric } from "../support/metrics.ts";
import { randomAddress } from "../support/random-address.ts";
import { openServers } from "../support/servers.ts";
import { numberOptions } from "./number-options.ts";

const values = numberOptions(
  { businesses: 2_000, wallets: 200_000, chains: 30, deposits: 5_000, paid: 500, rounds: 3 },
  { businesses: 40, wallets: 400, chains: 4, deposits: 100, paid: 20, rounds: 2 },
);
const mostSessions = 20;
/** Requests under way at once, as several people onboard. */
const atOnce = 4;
/** Of one business in one request. */
const walletsAtOnce = 100;
const transfersEach = 10;
const idleMs = 10_000;
const arrivalTimeoutMs = 60_000;
/** The chain that pays; on the others a block comes every few seconds, and nothing is in it. */
const paying = "chain0";
const decimals = 18;
const blockTimeS = 2;

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const resources = createResources();
  const { open, end } = resources;
  try {
    const servers = await open(openServers(), (one) => one.end());
    const args = ["--disable-block-gas-limit", "--order", "fifo"];
    const anvil = await open(startAnvil({ args }), (one) => one.stop());
    const token = await deployToken(anvil);
    await anvil.setAutomine(false);
    const receiver = await open(startProgram("recording-receiver", null), (one) => one.stop());
    const databaseUrl = await servers.cluster.createDatabase("tenants");
    const deployment = deploymentOf({
      databaseUrl,
      redisUrl: servers.redis.url,
      receiverPorts: [receiver.ready.port],
      chains: [
        {
          ...chainAt(anvil.rpcUrl, 0),
          tokens: [{ code: "BEN", address: token.address, decimals }],
        },
        ...(await otherChains(resources)),
      ],
    });
    const daemon = await open(startDaemon(ourBuild, deployment), (one) => one.stop());
    const db = new pg.Client({ connectionString: databaseUrl, application_name: "bench" });
    await open(db.connect(), () => db.end());
    const sessions = await watchSessions(databaseUrl, resources);

    const url = (at: number) => [`http://127.0.0.1:${receiver.ready.port}/hook/${at}`];
    const lists = Array.from({ length: values.businesses }, (_, at) => url(at));
    const added = await timed(`${values.businesses} businesses with a webhook`, () =>
      addNotifiedBusinesses(daemon, lists),
    );
    const ids = added.map(({ id }) => id);
    const wallets = await timed(`${values.wallets} wallets`, () => addWallets(daemon, ids));
    await sayOpenings(db);
    const share = await cpuShare(daemon.url, idleMs);
    console.log(
      `${values.chains} chains, nobody is paid: ${share.toFixed(1)} % of a core, ${await memoryOf(daemon)}`,
    );

    let isFine = true;
    for (let round = 0; round < values.rounds; round += 1) {
      await receiver.ask("forget");
      // An amount for each deposit of all rounds, by which it is known again.
      const due = Array.from({ length: values.deposits }, (_, at) => {
        const addresses = wallets[at % values.paid] ?? [];
        const to = addresses[Math.floor(at / values.paid) % addresses.length] ?? "";
        return { to, amountAtomic: BigInt(round * values.deposits + at + 1) };
      });
      await sendAll(anvil, token, due);
      const atMs = Date.now();
      await anvil.rpc("evm_mine");
      const minedMs = Date.now() - atMs;
      await anvil.mine(2);
      await waitFor(async () => (await receiver.ask("count")).count, {
        what: "a notification",
        timeoutMs: arrivalTimeoutMs,
      });
      await untilStill(receiver, due.length);
      const { arrivals } = await receiver.ask("all");
      const faults = faultsOf(due, arrivals);
      const at = (share: number) => timeOf(arrivals, atMs, share);
      const times = `first ${at(0)}, half ${at(0.5)}, last ${at(1)} s`;
      console.log(
        `${due.length} deposits to ${values.paid} businesses in one block (mined in ${minedMs} ms): ${times} after it; ${await memoryOf(daemon)}; ${sessions.most()} sessions at most`,
      );
      for (const fault of faults) console.log(`FAIL ${fault}`);
      if (faults.length > 0) isFine = false;
    }
    await sayOpenings(db);
    const counted = await db.query(
      `SELECT (SELECT count(*)::int FROM transaction WHERE status = 'completed') AS transactions,
        (SELECT count(*)::int FROM delivery WHERE status = 'delivered') AS delivered,
        (SELECT count(*)::int FROM delivery) AS deliveries, (SELECT count(*)::int FROM wallet) AS wallets`,
    );
    console.log(`in the ledger: ${JSON.stringify(counted.rows[0])}`);
    if (sessions.most() > mostSessions) {
      console.log(`FAIL ${sessions.most()} sessions: ${sessions.who()}`);
      isFine = false;
    }
    console.log(isFine ? "Nothing lost, nothing twice." : "Not as it should be.");
    return isFine;
  } finally {
    await end();
  }
}

/** Anvil takes minutes to trace a block of thousands of transfers. */
function chainAt(rpcUrl: string, at: number) {
  const chainId = at === 0 ? 31_337 : 990_000 + at;
  const pollMs = at === 0 ? 150 : 1_000;
  return {
    name: `chain${at}`,
    chainId,
    rpcUrl,
    confirmations: 1,
    pollMs,
    tracing: at === 0 ? ("off" as const) : ("auto" as const),
  };
}

/** One node, which says that it is another chain to each who asks. */
async function otherChains({ open }: Resources) {
  const node = await open(startAnvil({}), (one) => one.stop());
  await node.setAutomine(false);
  await node.rpc("evm_setIntervalMining", blockTimeS);
  const proxies = Array.from({ length: values.chains - 1 }, async (_, index) => {
    const proxy = await open(startRpcProxy(node.rpcUrl), (one) => one.stop());
    const chain = chainAt(proxy.url, index + 1);
    const result = `0x${chain.chainId.toString(16)}`;
    proxy.misbehave(({ method }) => (method === "eth_chainId" ? { result } : null));
    return chain;
  });
  return Promise.all(proxies);
}

function walletsEach(): number {
  return Math.max(1, Math.floor(values.wallets / values.businesses));
}

/** The addresses of each business on the chain that pays. A tenth of its wallets are elsewhere. */
async function addWallets({ admin }: DaemonProcess, ids: readonly string[]): Promise<string[][]> {
  const all: string[][] = ids.map(() => []);
  let next = 0;
  const work = async () => {
    while (next < ids.length) {
      const at = next;
      next += 1;
      for (let done = 0; done < walletsEach(); done += walletsAtOnce) {
        const count = Math.min(walletsAtOnce, walletsEach() - done);
        const addresses = Array.from({ length: count }, randomAddress);
        const wallets = addresses.map((address, index) => {
          const isElsewhere = values.chains > 1 && index % 10 === 9;
          const blockchain = isElsewhere ? `chain${1 + (at % (values.chains - 1))}` : paying;
          return { blockchain, address, reference: `order-${at}-${done + index}` };
        });
        await admin.post(`/admin/businesses/${ids[at]}/wallets`, { wallets });
        for (const { blockchain, address } of wallets)
          if (blockchain === paying) all[at]?.push(address);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return all;
}

type Deposit = { to: string; amountAtomic: bigint };

async function sendAll(
  anvil: Awaited<ReturnType<typeof startAnvil>>,
  token: Awaited<ReturnType<typeof deployToken>>,
  due: readonly Deposit[],
): Promise<void> {
  const calls = [];
  for (let first = 0; first < due.length; first += transfersEach)
    calls.push(transfersInOne(token, due.slice(first, first + transfersEach)));
  const from = token.holders[0] ?? "";
  const nonce = Number(await anvil.rpc<string>("eth_getTransactionCount", from, "latest"));
  const named = calls.map((call, at) => {
    const params = [{ ...call, from, nonce: `0x${(nonce + at).toString(16)}` }];
    return { method: "eth_sendTransaction", params };
  });
  await anvil.batch(named);
}

/** Balances are opened behind the head, and nothing waits for them. */
async function sayOpenings(db: pg.Client): Promise<void> {
  const { rows } = await db.query<{ left: number; all: number }>(
    "SELECT count(*)::int AS all, count(*) FILTER (WHERE opening IS NULL)::int AS left FROM balance",
  );
  const { left = 0, all = 0 } = rows[0] ?? {};
  console.log(`opening balances: ${all - left} of ${all} read`);
}

type Receiver = Awaited<ReturnType<typeof startProgram<"recording-receiver">>>;

/** Until so many have come, or none has for a while; and then for a moment more. */
async function untilStill(receiver: Receiver, due: number): Promise<void> {
  let last = { count: 0, atMs: performance.now() };
  while (last.count < due && performance.now() - last.atMs < arrivalTimeoutMs) {
    await sleep(100);
    const { count } = await receiver.ask("count");
    if (count > last.count) last = { count, atMs: performance.now() };
  }
  await sleep(2_000);
}

function faultsOf(due: readonly Deposit[], arrivals: readonly Arrival[]): string[] {
  const arrived = new Map<string, number>();
  for (const { body, times } of arrivals) {
    const { data } = JSON.parse(body) as { data: { amount: string } };
    arrived.set(data.amount, (arrived.get(data.amount) ?? 0) + times);
  }
  const isLost = ({ amountAtomic }: Deposit) => !arrived.has(formatUnits(amountAtomic, decimals));
  const lost = due.filter(isLost).length;
  const twice = [...arrived.values()].filter((times) => times > 1).length;
  return [
    ...(lost === 0 ? [] : [`${lost} deposits were not notified`]),
    ...(twice === 0 ? [] : [`${twice} amounts were notified more than once`]),
    ...(arrivals.length === due.length
      ? []
      : [`${arrivals.length} notifications of ${due.length}`]),
  ];
}

function timeOf(arrivals: readonly Arrival[], sinceMs: number, share: number): string {
  const sorted = arrivals.map(({ firstAtMs }) => firstAtMs - sinceMs).sort((a, b) => a - b);
  const ms = sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return (ms / 1_000).toFixed(2);
}

async function memoryOf({ url }: DaemonProcess): Promise<string> {
  const mib = async (name: string) => (await readMetric(url, name)) / 2 ** 20;
  const rss = await mib("chainbell_process_resident_memory_bytes");
  const heap = await mib("chainbell_nodejs_heap_size_used_bytes");
  return `RSS ${rss.toFixed(0)} MiB, heap ${heap.toFixed(0)} MiB`;
}

/** Looks often at how many sessions of PostgreSQL there are, without those of this program. */
async function watchSessions(databaseUrl: string, { onEnd }: Resources) {
  const db = new pg.Client({ connectionString: databaseUrl, application_name: "bench" });
  await db.connect();
  let isOver = false;
  let most: string[] = [];
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await db.query<{ name: string }>(
        `SELECT coalesce(nullif(application_name, ''), '?') AS name FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'
          AND application_name <> 'bench'`,
      );
      if (rows.length > most.length) most = rows.map(({ name }) => name);
      await sleep(200);
    }
    await db.end();
  })();
  onEnd(async () => {
    isOver = true;
    await watching;
  });
  return { most: () => most.length, who: () => most.sort().join(", ") };
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const beganMs = performance.now();
  const made = await work();
  console.log(`${what}: ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
  return made;
}
