// What ten open pages of the console cost: the daemon's CPU, its statements, and PostgreSQL's time
// for them, beside the same daemon without any. Chains have a block a second. Each state lasts as
// long as it takes every page to read again by itself.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { createResources } from "../../test/support/resources.ts";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import {
  type FilledConsole,
  fillForConsole,
  openCountingCluster,
  visitConsole,
} from "../support/console/open-console.ts";
import { cpuShare } from "../support/metrics.ts";

const whole = { count: 100_000, walletsOnEach: 500, rounds: 3, ms: 60_000 };
const quickly = { count: 3_000, walletsOnEach: 50, rounds: 1, ms: 2_000 };

/** Open at once: most of them a business's. */
const kept = [
  ...["Overview", "Overview", "Transactions", "Wallets", "Deliveries", "Webhooks"],
  ...["Chains", "Outbox", "Businesses", "Health"],
];

const states = { idle: "nothing is paid", paid: "a payment every ten seconds" } as const;

type State = keyof typeof states;

/** In one state, with the pages open and without: % of a core, and by the minute. */
type Cost = {
  share: number;
  without: number;
  questions: number;
  refused: number;
  statements: number;
  databaseMs: number;
};

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const { rounds, ms, ...amount } = quick ? quickly : whole;
  const resources = createResources();
  try {
    const cluster = await resources.open(openCountingCluster(), (one) => one.end());
    const contenders: Contenders<Record<State, Cost>> = {};
    for (const build of buildsWith(against)) {
      const filled = await fillForConsole(resources, { cluster, build, ...amount, report });
      contenders[build.name] = () => measureBuild(build, filled, ms);
    }
    const costs = await alternate(rounds, contenders, (name, { idle, paid }) =>
      report(`${name}: idle ${textOf(idle)}; paid ${textOf(paid)}`),
    );
    return (["idle", "paid"] as const).flatMap((state) => linesOf(state, costs, against));
  } finally {
    await resources.end();
  }
}

function textOf({ share, without, questions, refused, statements, databaseMs }: Cost): string {
  return `${share.toFixed(2)} % (${without.toFixed(2)} % without), ${questions.toFixed(0)} questions, ${refused} refused, ${statements.toFixed(0)} statements, ${databaseMs.toFixed(0)} ms`;
}

function linesOf(
  state: State,
  costs: (name: string) => Record<State, Cost>[],
  against: Build | null,
): Line[] {
  const name = `ten open pages, ${states[state]}`;
  const conditions = "a block a second, the minute's rereading included";
  const line = (unit: string, figure: (cost: Cost) => number, more: Partial<Line>) => {
    const of = (build: string) => median(costs(build).map((one) => figure(one[state])));
    const other = against === null ? null : of(against.name);
    return lineOf({ name, unit, ours: of(ourBuild.name), against: other, conditions, ...more });
  };
  return [
    line("% of a core", ({ share, without }) => share - without, {
      goal: { oursAtMost: 1 },
      conditions: `${conditions}; the daemon's, less what it takes without them`,
    }),
    line("questions a minute", ({ questions }) => questions, {}),
    line("statements a minute", ({ statements }) => statements, {}),
    line("ms of PostgreSQL a minute", ({ databaseMs }) => databaseMs, {}),
  ];
}

async function measureBuild(
  build: Build,
  filled: FilledConsole,
  ms: number,
): Promise<Record<State, Cost>> {
  const daemon = await startDaemon(build, filled.deployment);
  try {
    const { visitors, pages } = await visitConsole(daemon.url, filled);
    const shown = kept.flatMap((title) => pages.find((page) => page.title === title) ?? []);
    const open = () => Promise.all(shown.map((page) => visitors[page.of].keepOpen(page)));
    // What a first time takes, of the daemon and of its pages, is no part of having them open.
    await closeAll(await open());
    await sleep(Math.min(5_000, ms));
    const without = await besides(filled.db, false, () => cpuShare(daemon.url, ms));
    const measure = async (pays: boolean) => {
      const measured = () => measureOpen(daemon.url, { db: filled.db, open, ms });
      return { ...(await besides(filled.db, pays, measured)), without };
    };
    return { idle: await measure(false), paid: await measure(true) };
  } finally {
    await daemon.stop();
  }
}

type Opened = { count: () => { asked: number; refused: number }; close: () => Promise<void> }[];

async function measureOpen(
  url: string,
  { db, open, ms }: { db: pg.Client; open: () => Promise<Opened>; ms: number },
): Promise<Omit<Cost, "without">> {
  const opened = await open();
  // What opening them takes is no part of having them open.
  await sleep(Math.min(3_000, ms));
  const sum = (what: "asked" | "refused") =>
    opened.reduce((all, page) => all + page.count()[what], 0);
  const before = { asked: sum("asked"), refused: sum("refused") };
  await db.query("SELECT pg_stat_statements_reset()");
  const share = await cpuShare(url, ms);
  const { count, tookMs } = await readStatements(db);
  const [questions, refused] = [sum("asked") - before.asked, sum("refused") - before.refused];
  await closeAll(opened);
  const byMinute = (figure: number) => (figure * 60_000) / ms;
  return {
    share,
    questions: byMinute(questions),
    refused,
    statements: byMinute(count),
    databaseMs: byMinute(tookMs),
  };
}

async function closeAll(opened: Opened): Promise<void> {
  for (const page of opened) await page.close();
}

/** Does the work while chains move, and where `pays` payments come. */
async function besides<T>(db: pg.Client, pays: boolean, work: () => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const moving = move(db, pays, stopping.signal);
  try {
    return await work();
  } finally {
    stopping.abort();
    await moving;
  }
}

/** All but our own, which move chains, pay and read this. */
async function readStatements(db: pg.Client): Promise<{ count: number; tookMs: number }> {
  const { rows } = await db.query<{ count: number; tookMs: number }>(
    `SELECT COALESCE(sum(calls), 0)::float8 AS count, COALESCE(sum(total_exec_time + total_plan_time), 0)::float8 AS "tookMs"
    FROM pg_stat_statements
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE '%pg_stat_statements%' AND query NOT LIKE 'UPDATE chain%'
      AND query NOT LIKE 'INSERT INTO ledger_entry%' AND query NOT LIKE 'INSERT INTO attempt%' AND query NOT LIKE 'SET %'`,
  );
  return rows[0] ?? { count: 0, tookMs: 0 };
}

/** A block a second on every chain, and where it pays an attempt and an entry every ten. */
async function move(db: pg.Client, pays: boolean, signal: AbortSignal): Promise<void> {
  for (let second = 0; !signal.aborted; second += 1) {
    await db.query("UPDATE chain SET position_number = position_number + 1, position_time = now()");
    if (pays && second % 10 === 0) await pay(db);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

/** As if the newest entry and the newest attempt came once more. */
async function pay(db: pg.Client): Promise<void> {
  await db.query("SET session_replication_role = replica");
  await db.query(
    `INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
    SELECT wallet_id, asset_id, transaction_id, kind, amount, block_number FROM ledger_entry ORDER BY id DESC LIMIT 1`,
  );
  await db.query(
    `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms)
    SELECT delivery_id, webhook_id, number + 1, now(), 10 FROM attempt ORDER BY id DESC LIMIT 1`,
  );
}
