import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { freePort } from "../../../src/development/process/free-port.ts";
import { inCheckout } from "../../../test/support/checkout.ts";
import type { Cluster } from "../../../test/support/ledger/cluster.ts";
import { bareEnvironment } from "../../../test/support/process/bare-environment.ts";
import { endWithUs } from "../../../test/support/process/reaper.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { Report } from "../../runner/bench.ts";
import type { TransferChain } from "./transfer-chain.ts";

// Ponder beside us: the same chain, one row for each transfer, from nothing stored. What it runs
// lies in ../peers/ponder.

/** What it reads: transfers of one token, to the block `last`, or for ever where that is null. */
type PonderChain = {
  url: string;
  /** Announces its blocks; null: it is polled. */
  wsUrl: string | null;
  token: string;
  first: number;
  last: number | null;
};

const folder = inCheckout("bench", "peers", "ponder");
const program = join(folder, "node_modules", ".bin", "ponder");
const runTimeoutMs = 600_000;
const startTimeoutMs = 60_000;
const storedTimeoutMs = 30_000;

/**
 * Whether it is there to be run. It is installed with what its lockfile says; why it cannot be is
 * reported.
 */
export function preparePonder(report: Report): boolean {
  if (existsSync(program)) return true;
  report("installing Ponder");
  // Not `npm ci`: it refuses a lockfile in which a registry left out other platforms' packages.
  const quietly = ["--no-audit", "--no-fund", "--loglevel=error"];
  const args = ["install", "--no-save", "--ignore-scripts", ...quietly];
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) report(`Ponder could not be installed: ${stderr.slice(0, 300)}`);
  return status === 0;
}

/**
 * From its first word on the backfill until every row is stored, so without its start; in seconds.
 */
export async function runPonder(of: { cluster: Cluster; chain: TransferChain }): Promise<number> {
  const { cluster, chain } = of;
  const ponder = await startPonder(cluster, { ...chain, wsUrl: null, webhookUrl: null });
  const late = setTimeout(ponder.kill, runTimeoutMs);
  try {
    const startedMs = await untilBackfilled(ponder.lines);
    await untilStored(ponder.databaseUrl, chain.transfers);
    return (performance.now() - startedMs) / 1_000;
  } finally {
    clearTimeout(late);
    await ponder.stop();
  }
}

/**
 * Ponder as it follows a chain's newest blocks, once it says that it does. With `webhookUrl` it
 * POSTs each transfer there. Whoever starts it stops it.
 */
export async function followWithPonder(of: {
  cluster: Cluster;
  chain: Omit<PonderChain, "last">;
  webhookUrl?: string;
}): Promise<{ stop: () => Promise<void> }> {
  const { cluster, chain, webhookUrl = null } = of;
  const ponder = await startPonder(cluster, { ...chain, last: null, webhookUrl });
  const late = setTimeout(ponder.kill, startTimeoutMs);
  try {
    await untilLive(ponder.lines);
    ponder.discardLog();
    return { stop: ponder.stop };
  } catch (error) {
    await ponder.stop();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

async function startPonder(cluster: Cluster, chain: PonderChain & { webhookUrl: string | null }) {
  const databaseUrl = await cluster.createDatabase("ponder");
  const port = String(await freePort());
  const args = ["start", "--schema", "bench", "--log-format", "json", "--port", port];
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      ...bareEnvironment(),

      DATABASE_URL: databaseUrl,
      PONDER_TELEMETRY_DISABLED: "true",

      BENCH_CHAIN_URL: chain.url,
      BENCH_TOKEN: chain.token,
      BENCH_FIRST: String(chain.first),
      ...(chain.last === null ? {} : { BENCH_LAST: String(chain.last) }),
      ...(chain.wsUrl === null ? {} : { BENCH_CHAIN_WS_URL: chain.wsUrl }),
      ...(chain.webhookUrl === null ? {} : { BENCH_WEBHOOK_URL: chain.webhookUrl }),
    },
  });
  const reaped = endWithUs(child.pid ?? 0);
  const kill = () => child.kill("SIGKILL");
  return {
    databaseUrl,
    kill,
    lines: createInterface(child.stdout),
    /** Nobody reads its lines any more: without that it would wait for somebody who does. */
    discardLog: () => child.stdout.resume(),
    async stop(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) {
        kill();
        await once(child, "exit");
      }
      reaped.forget();
      await cluster.drop("ponder");
    },
  };
}

/** Resolves, once it says that it is done, with when it said that it began. */
async function untilBackfilled(lines: AsyncIterable<string>): Promise<number> {
  let startedMs: number | null = null;
  for await (const line of lines) {
    if (line.includes('"Started backfill indexing"')) startedMs = performance.now();
    if (line.includes('"Completed backfill indexing') && startedMs !== null) return startedMs;
  }
  throw new Error("Ponder ended before it had done its work.");
}

async function untilLive(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) if (line.includes('"Started live indexing"')) return;
  throw new Error("Ponder ended before it followed the chain.");
}

/** It says that it is done a little before the last rows can be read. */
async function untilStored(databaseUrl: string, due: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const sql = "SELECT count(*)::int AS stored FROM bench.transfer";
  const hasAll = async () => (await client.query<{ stored: number }>(sql)).rows[0]?.stored === due;
  try {
    await waitFor(hasAll, { what: `${due} rows of Ponder's`, timeoutMs: storedTimeoutMs });
  } finally {
    await client.end();
  }
}
