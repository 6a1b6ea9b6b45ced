// How soon the daemon is ready, and what it costs while nothing happens.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../../dist/development/process/free-port.js";
import { alternate } from "../alternate.mjs";
import { startAnvil } from "../support/anvil-chain.mjs";
import { startDaemon } from "../support/child.mjs";
import { openCluster } from "../support/cluster.mjs";
import { startRedis } from "../support/redis-server.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every role, one chain, PostgreSQL and Redis from elsewhere, the database migrated; see benches.mjs. */
export async function run({ quick, say }) {
  const ends = [];
  try {
    const cluster = await openCluster();
    ends.push(cluster.end);
    const redis = await startRedis();
    ends.push(redis.stop);
    const anvil = await startAnvil({ blockTimeS: 1 });
    ends.push(anvil.stop);
    const databaseUrl = await cluster.createDatabase("started");
    const settings = settingsOf({ dir: cluster.dataDir, databaseUrl, redis, anvil });
    // The first start migrates.
    await (await startDaemon(settings)).stop();
    const found = await alternate(
      quick ? 1 : 5,
      { ours: () => daemonStart(settings), bare: bareStart },
      say,
    );
    const idle = await idleShare(settings, quick ? 1_000 : 20_000);
    return [startLine(found), idleLine(idle, quick ? 1 : 20)];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function settingsOf({ dir, databaseUrl, redis, anvil }) {
  const chain = { name: "local", chain_id: 31_337, rpc: [anvil.rpcUrl], confirmations: 2 };
  return {
    dir,
    name: "started",
    file: { chains: [{ ...chain, native_asset: { code: "ETH" } }] },
    given: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      CHAINBELL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    },
  };
}

/** ms from the start of the process to the first time that it says it is ready. */
async function daemonStart(settings) {
  let beganAtMs = 0;
  const onStarted = () => {
    beganAtMs = performance.now();
  };
  const daemon = await startDaemon({ ...settings, onStarted });
  const tookMs = performance.now() - beganAtMs;
  await daemon.stop();
  return tookMs;
}

/** ms from the start of a process to its first answer. */
async function bareStart() {
  const port = await freePort();
  const main = fileURLToPath(new URL("../support/bare-listener.mjs", import.meta.url));
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const beganAtMs = performance.now();
  const child = spawn(process.execPath, [main], { env, stdio: "ignore" });
  while ((await fetch(`http://127.0.0.1:${port}`).catch(() => null)) === null) await pause(5);
  const tookMs = performance.now() - beganAtMs;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return tookMs;
}

/** How much of one core the running daemon takes, in %, while its chain mines empty blocks. */
async function idleShare(settings, forMs) {
  const daemon = await startDaemon(settings);
  try {
    // What a start leaves to be done is no idling.
    await pause(Math.min(5_000, forMs));
    const [usedMs, atMs] = [await cpuMs(daemon.url), performance.now()];
    await pause(forMs);
    return (100 * ((await cpuMs(daemon.url)) - usedMs)) / (performance.now() - atMs);
  } finally {
    await daemon.stop();
  }
}

async function cpuMs(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return 1_000 * Number(/^chainbell_process_cpu_seconds_total (\S+)/m.exec(text)[1]);
}

function startLine({ ours, bare }) {
  return {
    ...{ name: "process start to ready", unit: "ms", ours, baseline: bare, peer: null },
    ratio: ours / bare,
    goal: { oursAtMost: 2_000 },
    conditions: "every role, one chain; baseline: a bare Node process that listens",
  };
}

function idleLine(ours, seconds) {
  return {
    ...{ name: "idle CPU", unit: "% of a core", ours, baseline: null, peer: null, ratio: null },
    goal: { oursAtMost: 3 },
    conditions: `every role, one chain with an empty block a second, ${seconds} s`,
  };
}
