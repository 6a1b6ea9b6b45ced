// The console over 10,000 wallets and a million transactions: how long each page takes until all
// that it asks for is answered, beside what PostgreSQL took for the statements.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { median } from "../runner/alternate.ts";
import type { BenchOptions, Report } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import {
  fillForConsole,
  openCountingCluster,
  type Visitors,
  visitConsole,
} from "../support/console/open-console.ts";
import type { ConsolePage } from "../support/console/pages.ts";

const whole = { count: 1_000_000, walletsOnEach: 5_000, rounds: 7 };
const quickly = { count: 3_000, walletsOnEach: 50, rounds: 1 };

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const { rounds, ...amount } = quick ? quickly : whole;
  const resources = createResources();
  try {
    const cluster = await resources.open(openCountingCluster(), (one) => one.end());
    const filled = await fillForConsole(resources, { cluster, build: ourBuild, ...amount, report });
    const daemon = await resources.open(startDaemon(ourBuild, filled.deployment), (one) =>
      one.stop(),
    );
    const { visitors, pages } = await visitConsole(daemon.url, filled);
    const lines: Line[] = [];
    for (const page of pages)
      lines.push(await measurePage(page, { visitors, db: filled.db, rounds, report }));
    return lines;
  } finally {
    await resources.end();
  }
}

/** A business has ten searches a second. More would be refused. */
const searchPauseMs = 150;

type Measured = { visitors: Visitors; db: pg.Client; rounds: number; report: Report };

async function measurePage(
  page: ConsolePage,
  { visitors, db, rounds, report }: Measured,
): Promise<Line> {
  const visitor = visitors[page.of];
  const pauseMs = page.asks.some(({ path }) => path.includes("q=")) ? searchPauseMs : 0;
  await visitor.open(page);
  const tookMs: number[] = [];
  const statementsMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await sleep(pauseMs);
    await db.query("SELECT pg_stat_statements_reset()");
    tookMs.push(await visitor.open(page));
    const { rows } = await db.query<{ ms: number }>(
      `SELECT COALESCE(sum(total_exec_time + total_plan_time), 0)::float8 AS ms FROM pg_stat_statements
      WHERE query NOT LIKE '%pg_stat_statements%'`,
    );
    statementsMs.push(rows[0]?.ms ?? 0);
  }
  report(
    `${page.title}: ${median(tookMs).toFixed(1)} ms, statements ${median(statementsMs).toFixed(1)} ms`,
  );
  return lineOf({
    name: page.title,
    unit: "ms",
    ours: median(tookMs),
    baseline: median(statementsMs),
    goal: { oursAtMost: 1_000 },
    conditions: `${page.asks.length} questions at once; baseline: what PostgreSQL took for their statements, one after another`,
  });
}
