import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { catalogue } from "../support/chain/liar/catalogue.ts";
import type { Lie } from "../support/chain/liar/lie.ts";
import { openDatabase } from "../support/ledger/database.ts";
import { copyTestDatabase } from "../support/ledger/databases.ts";
import { startTestCluster } from "../support/ledger/test-cluster.ts";
import type { OpenLedger } from "../support/ledger/watch-in-ledger.ts";
import { play, type Result } from "./play.ts";
import { type Casting, type Setup, setups } from "./run.ts";
import { tableOf, wordsOf } from "./table.ts";

// The program behind `npm run liars`: tells every lie to the daemon in every set-up, and prints
// what came of it.

const usage = `usage: npm run liars -- [options]
  --lie TEXT     only lies whose name contains this; may be repeated
  --setup NAME   only this set-up (${setups.join(", ")}); may be repeated
  --seed N       the seed of what is left to chance (1)
  --why          what was false or missing, for each run that is not 'true'
  --write FILE   the table as Markdown, too
  --help         this
Status 0: nothing false was believed with a second endpoint, and all runs healed. 1: something was. 2: wrong arguments.
`;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    lie: { type: "string", multiple: true, default: [] },
    setup: { type: "string", multiple: true, default: [] },
    seed: { type: "string", default: "1" },
    why: { type: "boolean", default: false },
    write: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

/** Runs on one chain: more would open more sockets at once than a process usually may. */
const perStage = 90;

const write = (text: string) => void process.stdout.write(text);

function castAll(): Casting[] {
  const asked = [...catalogue].filter(
    ([name]) => values.lie.length === 0 || values.lie.some((text) => name.includes(text)),
  );
  const chosen = setups.filter((one) => values.setup.length === 0 || values.setup.includes(one));
  let index = 0;
  return asked.flatMap(([title, lie]) =>
    chosen
      .filter((setup) => isPossible(lie, setup))
      .map((setup): Casting => {
        index += 1;
        return { name: `run-${index}`, title, lie, reading: lie.reading, setup };
      }),
  );
}

/** What another endpoint does needs another endpoint. */
function isPossible(lie: Lie, setup: Setup): boolean {
  const isPair = lie.beside !== undefined || lie.hasThird === true || lie.joins !== undefined;
  return setup !== "alone" || !isPair;
}

/** Those that have watched for long together: only their chain needs to be long. */
function inStages(castings: readonly Casting[]): Casting[][] {
  const isLong = ({ reading }: Casting) => reading.isLong === true;
  const ordered = [...castings.filter(isLong), ...castings.filter((one) => !isLong(one))];
  const stages: Casting[][] = [];
  for (const casting of ordered) {
    const last = stages.at(-1);
    const isFull = last === undefined || last.length >= perStage;
    if (isFull || last.some(isLong) !== isLong(casting)) stages.push([casting]);
    else last.push(casting);
  }
  return stages;
}

async function openLedger(adminUrl: string): Promise<OpenLedger> {
  const database = await copyTestDatabase(adminUrl);
  const db = openDatabase({ databaseUrl: database.url, poolSize: 12 });
  const close = async () => {
    await db.$disconnect();
    await database.drop();
  };
  return { db, url: database.url, close };
}

async function runAll(castings: readonly Casting[]): Promise<Result[]> {
  const cluster = await startTestCluster();
  const results: Result[] = [];
  try {
    for (const [index, stage] of inStages(castings).entries()) {
      process.stderr.write(`liars: ${results.length} of ${castings.length} runs\n`);
      const ledger = await openLedger(cluster.adminUrl);
      try {
        const options = { seed: Number(values.seed), prefix: `stage-${index}` };
        for (const result of await play(ledger, stage, options)) {
          results.push(result);
          if (values.why) write(wordsOf(result));
        }
      } finally {
        await ledger.close();
      }
    }
    return results;
  } finally {
    await cluster.end();
  }
}

async function main(): Promise<number> {
  if (values.help) {
    write(usage);
    return 0;
  }
  const castings = castAll();
  if (castings.length === 0) {
    write(usage);
    return 2;
  }
  const startedMs = Date.now();
  const results = await runAll(castings);
  const { text, isGood } = tableOf(results);
  write(text);
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  write(`${results.length} runs in ${seconds} s, seed ${values.seed}\n`);
  if (values.write !== undefined) writeFileSync(values.write, text);
  return isGood ? 0 : 1;
}

process.exit(await main());
