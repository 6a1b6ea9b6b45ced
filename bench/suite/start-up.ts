// How soon the daemon is ready, and what it costs while nothing happens: every role, one chain,
// PostgreSQL and Redis from elsewhere, the database migrated.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../src/development/process/free-port.ts";
import { startAnvil } from "../../test/support/chain/anvil.ts";
import { type Deployment, deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { type Contenders, medians } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { cpuShare } from "../support/metrics.ts";
import { openServers, type Servers } from "../support/servers.ts";

/** How often the chain has an empty block, of which each build is measured idle. */
const paces = [
  { words: "no blocks", args: ["--no-mining"], goal: null },
  { words: "a block a second", args: ["--block-time", "1"], goal: { oursAtMost: 3 } },
  { words: "a block every 200 ms", args: ["--block-time", "0.2"], goal: null },
] as const;

/** With which of them a daemon is started for the time that a start takes. */
const startedBeside: Pace["words"] = "a block a second";

type Pace = (typeof paces)[number];

type Started = { build: Build; deployment: Deployment };

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const idleMs = quick ? 1_000 : 20_000;
  const { open, end } = createResources();
  try {
    const servers = await open(openServers(), (one) => one.end());
    const starts: Contenders<number> = { bare: bareStart };
    const shares: Contenders<number> = {};
    for (const pace of paces) {
      const anvil = await open(startAnvil({ args: [...pace.args] }), (one) => one.stop());
      for (const build of buildsWith(against)) {
        const started = await prepare(servers, { build, pace, rpcUrl: anvil.rpcUrl });
        if (pace.words === startedBeside) starts[build.name] = () => daemonStart(started);
        shares[nameOf(build, pace)] = () => idleShare(started, idleMs);
      }
    }
    const start = await medians(quick ? 1 : 5, starts, report);
    const share = await medians(1, shares, (text) => report(`idle, ${text}`));
    const lines = paces.map((pace) => idleLine(share, { pace, against, seconds: idleMs / 1_000 }));
    return [startLine(start, against), ...lines];
  } finally {
    await end();
  }
}

const nameOf = (build: Build, pace: Pace) => `${build.name}, ${pace.words}`;

/** A daemon of that build, with a database that its first start has migrated. */
async function prepare(
  { cluster, redis }: Servers,
  { build, pace, rpcUrl }: { build: Build; pace: Pace; rpcUrl: string },
): Promise<Started> {
  const deployment = deploymentOf({
    databaseUrl: await cluster.createDatabase(`started by ${nameOf(build, pace)}`),
    redisUrl: redis.url,
    chains: [{ name: "local", rpcUrl, confirmations: 2, nativePrice: null, pollMs: null }],
    receiverPorts: [],
  });
  await daemonStart({ build, deployment });
  return { build, deployment };
}

function startLine(figure: (name: string) => number, against: Build | null): Line {
  return lineOf({
    name: "process start to ready",
    unit: "ms",
    ours: figure(ourBuild.name),
    baseline: figure("bare"),
    against: against === null ? null : figure(against.name),
    goal: { oursAtMost: 2_000 },
    conditions: "every role, one chain; baseline: a bare Node process that listens",
  });
}

function idleLine(
  figure: (name: string) => number,
  { pace, against, seconds }: { pace: Pace; against: Build | null; seconds: number },
): Line {
  return lineOf({
    name: `idle CPU, ${pace.words}`,
    unit: "% of a core",
    ours: figure(nameOf(ourBuild, pace)),
    against: against === null ? null : figure(nameOf(against, pace)),
    goal: pace.goal,
    conditions: `every role, one chain whose blocks are empty, asked over HTTP, ${seconds} s`,
  });
}

/** ms from the start of the process to the first time that it says it is ready. */
async function daemonStart({ build, deployment }: Started): Promise<number> {
  let beganAtMs = Number.NaN;
  const onStarted = () => {
    beganAtMs = performance.now();
  };
  const daemon = await startDaemon(build, deployment, { onStarted });
  const tookMs = performance.now() - beganAtMs;
  await daemon.stop();
  return tookMs;
}

/** ms from the start of a process to its first answer. */
async function bareStart(): Promise<number> {
  const port = await freePort();
  const main = fileURLToPath(new URL("../programs/bare-listener.js", import.meta.url));
  const env = { PATH: process.env["PATH"], PORT: String(port) };
  const beganAtMs = performance.now();
  const child = spawn(process.execPath, [main], { env, stdio: "ignore" });
  const answers = () => fetch(`http://127.0.0.1:${port}`);
  await waitFor(answers, { what: "a bare process to answer", timeoutMs: 20_000 });
  const tookMs = performance.now() - beganAtMs;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  return tookMs;
}

/** How much of one core the running daemon takes, in %, while its chain mines empty blocks. */
async function idleShare({ build, deployment }: Started, forMs: number): Promise<number> {
  const daemon = await startDaemon(build, deployment);
  try {
    // What a start leaves to be done is no idling.
    await sleep(Math.min(5_000, forMs));
    return await cpuShare(daemon.url, forMs);
  } finally {
    await daemon.stop();
  }
}
