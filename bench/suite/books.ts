// What the books of one business cost: the credits of a million transactions compared with the
// ledger, and what others wait for the API while a large statement is given.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statementFormats } from "../../src/domain/evidence/statement-formats.ts";
import { keysOf } from "../../src/domain/keys-of.ts";
import { insertBulkJournal } from "../../test/support/ledger/bulk-journal.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import type { Deployment } from "../../test/support/process/deployment.ts";
import { ourBuild } from "../process/build.ts";
import { startProgram } from "../process/start-program.ts";
import { withApi } from "../process/with-api.ts";
import { median } from "../runner/alternate.ts";
import type { BenchOptions, Report } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import {
  type Mistakes,
  plantedKinds,
  readMistakes,
  writeCredits,
} from "../support/ledger/credits-file.ts";
import { historyDeployment } from "../support/ledger/fill-history.ts";
import { randomAddress } from "../support/random-address.ts";

const chainName = "ethereum";

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const [count, rounds, ms] = quick ? [10_000, 1, 500] : [1_000_000, 3, 10_000];
  const cluster = await openCluster();
  try {
    const databaseUrl = await cluster.createDatabase(`books_${randomUUID()}`);
    const deployment = historyDeployment(databaseUrl);
    const customers = await withApi(ourBuild, deployment, async ({ url, admin }) => {
      const blockchain = chainName;
      const make = () =>
        createCustomer({
          url,
          admin,
          blockchain,
          addresses: [randomAddress(), randomAddress()],
          receiver: null,
        });
      return { large: await make(), other: await make() };
    });
    const { businessId } = customers.large;
    await insertBulkJournal({ databaseUrl, businessId, chainName, assetCode: "ETH", count });
    report(`${count.toLocaleString("en")} entries written`);
    const given = { databaseUrl, businessId, count };
    const credits = await measureCredits(given, report);
    const keys = { large: customers.large.key, other: customers.other.key };
    return [...credits, ...(await measureOthers({ deployment, keys, rounds, ms, report }))];
  } finally {
    await cluster.end();
  }
}

type Given = { databaseUrl: string; businessId: string; count: number };

async function measureCredits({ count, ...given }: Given, report: Report): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), "chainbell-credits-"));
  const program = await startProgram("check-credits", given);
  try {
    const file = join(folder, "credits.csv");
    const mistakes = await writeCredits(given.databaseUrl, { file, count });
    const { seconds, cpuS, peakMib } = await program.ask({ file });
    report(`credits ${seconds.toFixed(1)} s, ${cpuS.toFixed(1)} s of CPU time`);
    requireSame(mistakes, await readMistakes(given.databaseUrl));
    const conditions = `credits of ${count.toLocaleString("en")} transactions; ${mistakes.size.toLocaleString("en")} mistakes of ${plantedKinds} kinds planted, each named, none invented`;
    return [
      lineOf({
        name: "credits compared",
        unit: "s",
        ours: seconds,
        // Five minutes for a million.
        goal: { oursAtMost: 300 },
        conditions,
      }),
      lineOf({ name: "credits: resident memory, at most", unit: "MiB", ours: peakMib, conditions }),
    ];
  } finally {
    await program.stop();
    rmSync(folder, { recursive: true });
  }
}

/** @throws Error that names mistakes that were not found, and some that were invented */
function requireSame(mistakes: Mistakes, found: Mistakes): void {
  const notIn = (other: Mistakes) => (one: string) => !other.has(one);
  const missed = [...mistakes].filter(notIn(found));
  const invented = [...found].filter(notIn(mistakes));
  if (missed.length + invented.length === 0) return;
  const some = (all: string[]) => `${all.length}, such as ${all.slice(0, 3).join("; ")}`;
  throw new Error(`Not found: ${some(missed)}. Invented: ${some(invented)}.`);
}

type Others = {
  deployment: Deployment;
  keys: Record<"large" | "other", string>;
  rounds: number;
  ms: number;
  report: Report;
};

/** What another business waits for its balance, in turn beside a large answer and without it. */
async function measureOthers({ deployment, keys, rounds, ms, report }: Others): Promise<Line[]> {
  const load = await startProgram("load", null);
  try {
    return await withApi(ourBuild, deployment, async ({ url }) => {
      const all = "from=2020-01-01&to=2100-01-01";
      const made = await fetch(`${url}/statements?${all}`, {
        headers: { "x-api-key": keys.large },
      });
      await made.body?.cancel();
      const list = await fetch(`${url}/statements/all`, { headers: { "x-api-key": keys.large } });
      const { data } = (await list.json()) as { data: { id: string }[] };
      const ofOne = `/statements/${data[0]?.id}`;
      const paths = [
        ...keysOf(statementFormats).map((form) => [`given as ${form}`, `${ofOne}?format=${form}`]),
        ["made", `/statements?${all}&anew=true`],
      ];
      const wait = () => waitOf(`${url}/balance`, keys.other, ms);
      await wait();
      const lines: Line[] = [];
      for (const [name = "", path = ""] of paths) {
        const [quiet, beside]: [number[], number[]] = [[], []];
        for (let round = 0; round < rounds; round += 1) {
          quiet.push(await wait());
          const headers = { "x-api-key": keys.large };
          const asked = load.ask({ url, paths: [path], headers, connections: 1, ms: ms + 1_000 });
          beside.push(await wait());
          await asked;
        }
        report(`${name}: ${median(quiet).toFixed(2)} ms, then ${median(beside).toFixed(2)} ms`);
        lines.push(
          lineOf({
            name: `p50 of another business while a statement is ${name}`,
            unit: "ms",
            ours: median(beside),
            baseline: median(quiet),
            goal: { atMost: 1.5 },
            conditions: "GET /balance, one request after the other; baseline: nothing beside it",
          }),
        );
      }
      return lines;
    });
  } finally {
    await load.stop();
  }
}

/** The median of the requests of so many ms, one after the other. */
async function waitOf(url: string, key: string, ms: number): Promise<number> {
  const tookMs: number[] = [];
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers: { "x-api-key": key } });
    await answer.text();
    if (!answer.ok) throw new Error(`GET /balance was answered with ${answer.status}.`);
    tookMs.push(performance.now() - startedAt);
  }
  return median(tookMs);
}
