// Ponder beside us: the same chain, one row for each transfer, from nothing stored. Installed when it is first needed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { freePort } from "../../../dist/development/process/free-port.js";

const folder = fileURLToPath(new URL(".", import.meta.url));
const program = `${folder}node_modules/.bin/ponder`;
const giveUpMs = 600_000;
const storedWithinMs = 30_000;
const pollMs = 20;

/** Whether it is there to be run; it is installed with what its lockfile says. Says why where it cannot be. */
export function preparePonder(say) {
  if (existsSync(program)) return true;
  say("installing Ponder");
  // Not `npm ci`: it refuses a lockfile in which a registry left out other platforms' packages.
  const args = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) say(`Ponder could not be installed: ${stderr.slice(0, 300)}`);
  return status === 0;
}

/** From its first word on the backfill until every row is stored, so without its start; in seconds. */
export async function runPonder({ cluster, chain }) {
  const databaseUrl = await cluster.createDatabase("ponder");
  const port = String(await freePort());
  const args = ["start", "--schema", "bench", "--log-format", "json", "--port", port];
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      ...{ PATH, HOME, DATABASE_URL: databaseUrl, PONDER_TELEMETRY_DISABLED: "true" },
      ...{ BENCH_CHAIN_URL: chain.url, BENCH_TOKEN: chain.token },
      ...{ BENCH_FIRST: String(chain.first), BENCH_LAST: String(chain.last) },
    },
  });
  const late = setTimeout(() => child.kill("SIGKILL"), giveUpMs);
  try {
    const startedMs = await untilBackfilled(child);
    await untilStored(databaseUrl, chain.transfers);
    return (performance.now() - startedMs) / 1_000;
  } finally {
    clearTimeout(late);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await cluster.drop("ponder");
  }
}

/** Resolves, once it says that it is done, with when it said that it began. */
async function untilBackfilled(child) {
  let startedMs = null;
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('"Started backfill indexing"')) startedMs = performance.now();
    if (line.includes('"Completed backfill indexing') && startedMs !== null) return startedMs;
  }
  throw new Error("Ponder ended before it had done its work");
}

/** It says that it is done a little before the last rows can be read. */
async function untilStored(databaseUrl, due) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const giveUpAtMs = performance.now() + storedWithinMs;
  try {
    for (;;) {
      const { rows } = await client.query("SELECT count(*)::int AS stored FROM bench.transfer");
      const { stored } = rows[0];
      if (stored === due) return;
      if (performance.now() > giveUpAtMs) throw new Error(`Ponder stored ${stored} of ${due} rows`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  } finally {
    await client.end();
  }
}
