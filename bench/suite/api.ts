// The reads of the API over the network, at two sizes of the ledger, beside the same statements
// with nothing around them.
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createResources } from "../../test/support/resources.ts";
import { buildsWith, ourBuild } from "../process/build.ts";
import type { LoadQuestion } from "../process/protocol.ts";
import { type Program, startProgram } from "../process/start-program.ts";
import { type Contenders, medians } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { type ApiRequest, apiRequests } from "../support/ledger/api-requests.ts";
import { type LargeLedger, openLargeLedger } from "../support/ledger/large-ledger.ts";

/** A read cares for none of these but the memory: they shorten the writing of ten million rows. */
const settings = {
  shared_buffers: "1GB",
  max_wal_size: "8GB",
  wal_level: "minimal",
  max_wal_senders: "0",

  fsync: "off",
  synchronous_commit: "off",
};

/** Many short rounds: whatever else the machine does for some seconds is then not the median. */
const whole = { counts: [100_000, 10_000_000], limit: 50, rounds: 9, ms: 1_500, warmUpMs: 3_000 };
/** A page of one row: two thousand rows then have a 1,000th page too. */
const quickly = { counts: [2_000], limit: 1, rounds: 1, ms: 200, warmUpMs: 100 };

const connections = 50;

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const amount = quick ? quickly : whole;
  const { counts, limit } = amount;
  const builds = buildsWith(against);
  const { open, end } = createResources();
  try {
    const cluster = await open(openCluster(quick ? {} : settings), (one) => one.end());
    const load = await open(startProgram("load", null), (one) => one.stop());
    const ledgers: LargeLedger[] = [];
    for (const count of counts) {
      const opening = openLargeLedger({ cluster, builds, count, limit, report });
      ledgers.push(await open(opening, (one) => one.end()));
    }
    const lines: Line[] = [];
    for (const request of apiRequests) {
      const measured = { request, ledgers, load, amount, builds: builds.map(({ name }) => name) };
      const reportOf = (text: string) => report(`${request.title}: ${text}`);
      lines.push(...(await measure(measured, reportOf, against?.name ?? null)));
    }
    return lines;
  } finally {
    await end();
  }
}

type Measured = {
  request: ApiRequest;
  ledgers: readonly LargeLedger[];
  load: Program<"load">;
  amount: typeof whole;
  builds: readonly string[];
};

/** One request at each size, each build and the floor in turn. */
async function measure(
  { request, ledgers, load, amount, builds }: Measured,
  report: (text: string) => void,
  against: string | null,
): Promise<Line[]> {
  const ask = (question: Omit<LoadQuestion, "connections" | "ms">, ms: number) =>
    load.ask({ ...question, connections, ms });
  const contenders: Contenders<number> = {};
  const bytes = new Map<number, number>();
  for (const ledger of ledgers) {
    for (const side of [...builds, "bare"]) {
      const question = ledger.questionTo(side, request.name);
      const warm = await ask(question, amount.warmUpMs);
      if (side === ourBuild.name) bytes.set(ledger.count, warm.bytes);
      const rate = async () => (await ask(question, amount.ms)).perSecond;
      contenders[nameOf(side, ledger.count)] = rate;
    }
  }
  const figure = await medians(amount.rounds, contenders, report);
  const lines = ledgers.map(({ count }) =>
    lineOf({
      name: `${request.title}, ${count.toLocaleString("en")} rows`,
      unit: "per s",
      ours: figure(nameOf(ourBuild.name, count)),
      baseline: figure(nameOf("bare", count)),
      against: against === null ? null : figure(nameOf(against, count)),
      goal: { atLeast: 0.6 },
      conditions: `${connections} connections, ${amount.limit} rows a page, ${bytes.get(count)} bytes`,
    }),
  );
  const [least, most] = ledgers.map(({ count }) => count);
  if (least === undefined || most === undefined) return lines;
  return [...lines, growthLine({ title: request.title, figure, least, most, against })];
}

const nameOf = (side: string, count: number) => `${side} ${count}`;

function growthLine(of: {
  title: string;
  figure: (name: string) => number;
  least: number;
  most: number;
  against: string | null;
}): Line {
  const { title, figure, least, most, against } = of;
  const msOf = (side: string, count: number) => 1_000 / figure(nameOf(side, count));
  return lineOf({
    name: `${title}, growth`,
    unit: "ms",
    ours: msOf(ourBuild.name, most),
    baseline: msOf(ourBuild.name, least),
    against: against === null ? null : msOf(against, most),
    goal: { atMost: 1.3 },
    conditions: `time of a request at ${most.toLocaleString("en")} rows; baseline: at ${least.toLocaleString("en")}`,
  });
}
