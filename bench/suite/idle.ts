// What the daemon asks of PostgreSQL while nobody is paid: every role, one chain, counted by
// PostgreSQL itself, so that the figures hold on a busy machine.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startAnvil } from "../../test/support/chain/anvil.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import type { BenchOptions, Report } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { openCountingCluster } from "../support/console/open-console.ts";
import { readStatements } from "../support/count-statements.ts";
import { openServers, type Servers } from "../support/servers.ts";

const paces = [
  { words: "no blocks", args: ["--no-mining"], goal: { oursAtMost: 2 } },
  { words: "a block a second", args: ["--block-time", "1"], goal: null },
  { words: "a block every 200 ms", args: ["--block-time", "0.2"], goal: null },
] as const;

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const forMs = quick ? 5_000 : 60_000;
  const { open, end } = createResources();
  try {
    const servers = await open(openServers(openCountingCluster), (one) => one.end());
    const lines: Line[] = [];
    for (const { words, args, goal } of paces) {
      const anvil = await open(startAnvil({ args: [...args] }), (one) => one.stop());
      const asked = new Map<Build, number>();
      for (const build of buildsWith(against)) {
        const name = `${build.name}, ${words}`;
        const count = await countIdle(servers, { build, name, rpcUrl: anvil.wsUrl, forMs, report });
        asked.set(build, count);
      }
      lines.push(
        lineOf({
          name: `statements a second, ${words}`,
          unit: "",
          ours: asked.get(ourBuild) ?? Number.NaN,
          against: against === null ? null : (asked.get(against) ?? Number.NaN),
          goal,
          conditions: `every role, one chain whose blocks are empty, by websocket, ${forMs / 1_000} s`,
        }),
      );
    }
    return lines;
  } finally {
    await end();
  }
}

async function countIdle(
  { cluster, redis }: Servers,
  given: { build: Build; name: string; rpcUrl: string; forMs: number; report: Report },
): Promise<number> {
  const { build, name, rpcUrl, forMs, report } = given;
  const databaseUrl = await cluster.createDatabase(name);
  const chains = [{ name: "local", rpcUrl, confirmations: 2, nativePrice: null, pollMs: null }];
  const deployment = deploymentOf({ databaseUrl, redisUrl: redis.url, chains, receiverPorts: [] });
  const daemon = await startDaemon(build, deployment);
  const db = new pg.Client({ connectionString: databaseUrl });
  try {
    await db.connect();
    await db.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    // What a start leaves to be done is no idling.
    await sleep(Math.min(10_000, forMs));
    await db.query("SELECT pg_stat_statements_reset()");
    await sleep(forMs);
    const statements = await readStatements(db);
    for (const { query, count } of statements.slice(0, 40))
      report(`${name}: ${((count * 1_000) / forMs).toFixed(2)}/s ${query}`);
    return (statements.reduce((sum, { count }) => sum + count, 0) * 1_000) / forMs;
  } finally {
    await db.end();
    await daemon.stop();
  }
}
