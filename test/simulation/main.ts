import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyTestDatabase } from "../support/ledger/databases.ts";
import { startTestCluster } from "../support/ledger/test-cluster.ts";
import { createRandom } from "./random.ts";
import { type Outcome, simulate } from "./simulate.ts";
import { castKinds, kindOf } from "./trial/kinds.ts";

// The program behind `npm run simulate`: runs seeds, and says of each that fails how to replay it.

const usage = `usage: npm run simulate -- [options]
  --seeds N    so many seeds (100)
  --from M     the first of them (1)
  --seed N     only this one, with a trace of everything that happened
  --jobs J     processes at a time (2)
  --at-once K  let up to K calls run at the same time: PostgreSQL then decides their order, and a replay may differ (1)
  --with WHAT  only seeds that are so: ${castKinds.join(", ")}; N are run, the first of them at or after M
  --statements FOLDER  write the statements of each seed's end there, for scripts/add-again.mjs
  --books      the same into a folder of its own, which scripts/add-again.mjs adds up at once, with planted changes
  --keep-going also after a seed has failed
  --help       this
Status 0: every run came right. 1: a seed failed; it is printed with the command that replays it.
`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    jobs: { type: "string", default: "2" },
    with: { type: "string" },
    statements: { type: "string" },
    books: { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    "at-once": { type: "string", default: "1" },
    help: { type: "boolean", default: false },
    // Of a process that another such process has started: the server, and which seeds are its own.
    server: { type: "string" },
    only: { type: "string", default: "" },
  },
});

type Line = Pick<Outcome, "seed" | "failures" | "counts"> & { tookMs: number };

function write(text: string): void {
  process.stdout.write(text);
}

async function runSeed(server: string, seed: number): Promise<Outcome & { tookMs: number }> {
  const database = await copyTestDatabase(server);
  const startedMs = Date.now();
  try {
    const outcome = await simulate({
      seed,
      databaseUrl: database.url,
      atOnce: Number(values["at-once"]),
      statements: values.statements ?? null,
    });
    return { ...outcome, tookMs: Date.now() - startedMs };
  } finally {
    await database.drop();
  }
}

/** One of the processes: a line of JSON a seed. */
async function work(server: string): Promise<void> {
  for (const asked of values.only.split(",").map(Number)) {
    const { seed, failures, counts, tookMs } = await runSeed(server, asked);
    write(`${JSON.stringify({ seed, failures, counts, tookMs })}\n`);
  }
}

async function replay(server: string, seed: number): Promise<boolean> {
  const { trace, failures, counts, tookMs } = await runSeed(server, seed);
  write(`${trace.join("\n")}\n`);
  write(`seed ${seed}: ${failures.length === 0 ? "right" : "FAILED"} ${summary(counts, tookMs)}\n`);
  for (const failure of failures.slice(0, 20)) write(`  ${failure}\n`);
  return failures.length === 0;
}

function summary(counts: Outcome["counts"], tookMs: number): string {
  const { turns, blocks, transactions, notifications } = counts;
  const seconds = (tookMs / 1000).toFixed(1);
  return `(${turns} turns, ${blocks} blocks, ${transactions} transactions, ${notifications} notifications, ${seconds} s)`;
}

/** So many from the first on, of the kind that was asked for. */
function chosenSeeds(): number[] {
  const count = Number(values.seeds);
  const seeds: number[] = [];
  for (let seed = Number(values.from); seeds.length < count; seed += 1) {
    const isAsked = values.with === undefined || values.with === kindOf(createRandom(seed, "kind"));
    if (isAsked) seeds.push(seed);
  }
  return seeds;
}

async function runAll(server: string): Promise<boolean> {
  const seeds = chosenSeeds();
  const jobs = Math.min(Number(values.jobs), seeds.length);
  const failed: number[] = [];
  let done = 0;
  const hear = ({ seed, failures, counts, tookMs }: Line) => {
    done += 1;
    if (failures.length === 0) {
      write(`seed ${seed}: right ${summary(counts, tookMs)}\n`);
      return true;
    }
    failed.push(seed);
    write(`seed ${seed}: FAILED ${summary(counts, tookMs)}\n`);
    for (const failure of failures.slice(0, 5)) write(`  ${failure.slice(0, 1_000)}\n`);
    write(`  replay it: npm run simulate -- --seed ${seed}\n`);
    return values["keep-going"];
  };
  const own = (job: number) => seeds.filter((_, place) => place % jobs === job).join(",");
  const args = (job: number) => ["--server", server, "--only", own(job)];
  const handed = values.statements === undefined ? [] : ["--statements", values.statements];
  await Promise.all(
    Array.from({ length: jobs }, (_, job) =>
      runProcess([...args(job), "--at-once", values["at-once"], ...handed], hear),
    ),
  );
  const all = `${done} of ${seeds.length} seeds from ${seeds[0]}`;
  write(
    failed.length === 0 ? `${all}: all right\n` : `${all}: ${failed.length} failed (${failed})\n`,
  );
  return failed.length === 0 && done === seeds.length;
}

/** Runs the seeds, and adds their statements up again with another program. */
async function runBooks(server: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "chainbell-books-"));
  try {
    values.statements = folder;
    if (!(await runAll(server))) return false;
    const program = fileURLToPath(new URL("../../../scripts/add-again.mjs", import.meta.url));
    const child = spawn(process.execPath, [program, folder, "--planted"], { stdio: "inherit" });
    const [status] = await once(child, "close");
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const children = new Set<ChildProcess>();

/** `hear` says whether to go on. */
async function runProcess(args: string[], hear: (line: Line) => boolean): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  const isEnded = new Promise<void>((resolve) => child.on("close", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    if (hear(JSON.parse(line) as Line)) continue;
    for (const one of children) one.kill();
  }
  await isEnded;
}

async function main(): Promise<boolean> {
  if (values.help) {
    write(usage);
    return true;
  }
  if (values.server !== undefined) {
    await work(values.server);
    return true;
  }
  if (values.with !== undefined && !castKinds.some((kind) => kind === values.with)) {
    write(usage);
    return false;
  }
  const cluster = await startTestCluster();
  try {
    const { seed } = values;
    return await (seed === undefined
      ? (values.books ? runBooks : runAll)(cluster.adminUrl)
      : replay(cluster.adminUrl, Number(seed)));
  } finally {
    await cluster.end();
  }
}

process.exit((await main()) ? 0 : 1);
