// A statement of a long journal: the time that an entry takes, made and given in each form, and the
// memory of each, beside a statement of a tenth of it.
import { randomUUID } from "node:crypto";
import {
  type StatementFormat,
  statementFormats,
} from "../../src/domain/evidence/statement-formats.ts";
import { keysOf } from "../../src/domain/keys-of.ts";
import { insertBulkJournal } from "../../test/support/ledger/bulk-journal.ts";
import { type Cluster, openCluster } from "../../test/support/ledger/cluster.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { ourBuild } from "../process/build.ts";
import type { Programs } from "../process/protocol.ts";
import { startProgram } from "../process/start-program.ts";
import { withApi } from "../process/with-api.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { historyChains } from "../support/ledger/fill-history.ts";
import { randomAddress } from "../support/random-address.ts";

type Given = Programs["make-statement"]["given"];

type Figure = Programs["make-statement"]["answer"];

const chainName = "ethereum";
const formats = keysOf(statementFormats);

/** Of the making alone, and of the giving alone in each form. */
type Figures = Partial<Record<"made" | StatementFormat, Figure>>;

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const [count, rounds] = quick ? [10_000, 1] : [1_000_000, 3];
  const sizes = { whole: count, tenth: count / 10 };
  const cluster = await openCluster();
  try {
    const contenders: Contenders<Figures> = {};
    for (const [name, size] of Object.entries(sizes)) {
      const given = await createJournal(cluster, size);
      report(`${size.toLocaleString("en")} entries written`);
      contenders[name] = () => measure(given);
    }
    const figures = await alternate(rounds, contenders, (name, figure) =>
      report(`${name} ${JSON.stringify(figure)}`),
    );
    return linesOf(figures, sizes);
  } finally {
    await cluster.end();
  }
}

function linesOf(
  figures: (name: string) => Figures[],
  sizes: Record<"whole" | "tenth", number>,
): Line[] {
  const conditions = `${sizes.whole.toLocaleString("en")} entries; baseline: a tenth of them`;
  const linesFor = (name: string, key: keyof Figures): Line[] => {
    const figure = (of: (one: Figure) => number) => {
      const numberOf = (one: Figure | undefined) => (one === undefined ? Number.NaN : of(one));
      const middle = (size: string) => median(figures(size).map((all) => numberOf(all[key])));
      return { ours: middle("whole"), baseline: middle("tenth"), conditions };
    };
    return [
      lineOf({
        name,
        unit: "µs an entry",
        ...figure(({ entries, seconds }) => (1_000_000 * seconds) / entries),
        // 50,000 entries a second.
        goal: { oursAtMost: 20 },
      }),
      lineOf({
        name: `${name}: resident memory of its process, at most`,
        unit: "MiB",
        ...figure(({ peakMib }) => peakMib),
        // 200 MB.
        goal: { oursAtMost: 190 },
      }),
    ];
  };
  return [
    ...linesFor("made and stored", "made"),
    ...formats.flatMap((format) => linesFor(`given as ${format}`, format)),
  ];
}

/** A business with two wallets and so many entries. */
async function createJournal(cluster: Cluster, count: number): Promise<Given> {
  const databaseUrl = await cluster.createDatabase(`statements_${randomUUID()}`);
  const settings = { databaseUrl, redisUrl: null, receiverPorts: [], chains: historyChains };
  const addresses = [randomAddress(), randomAddress()];
  const customer = { blockchain: chainName, addresses, receiver: null };
  const { businessId } = await withApi(ourBuild, deploymentOf(settings), ({ url, admin }) =>
    createCustomer({ url, admin, ...customer }),
  );
  const journal = { databaseUrl, businessId, chainName, assetCode: "ETH", count };
  await insertBulkJournal(journal);
  return { databaseUrl, businessId };
}

async function measure(given: Given): Promise<Figures> {
  const made = await ask(given, { kind: "make" });
  const figures: Figures = { made };
  for (const format of formats)
    figures[format] = await ask(given, { kind: "give", id: made.id, format });
  return figures;
}

/** In a process of its own: its memory is of this alone. */
async function ask(
  given: Given,
  question: Programs["make-statement"]["question"],
): Promise<Figure> {
  const program = await startProgram("make-statement", given);
  try {
    return await program.ask(question);
  } finally {
    await program.stop();
  }
}
