// A statement of a long journal: the time that an entry takes, made and given in each form, and the
// memory, beside a statement of a tenth of it.
import { randomUUID } from "node:crypto";
import { statementFormats } from "../../src/domain/evidence/statement-formats.ts";
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

type Figures = Programs["make-statement"]["answer"];

const chainName = "ethereum";
const formats = keysOf(statementFormats);

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
  const middle = (name: string, of: (one: Figures) => number) => median(figures(name).map(of));
  const timeLine = (name: string, seconds: (one: Figures) => number) => {
    const each = (one: Figures) => (1_000_000 * seconds(one)) / one.entries;
    return lineOf({
      name,
      unit: "µs an entry",
      ours: middle("whole", each),
      baseline: middle("tenth", each),
      // 50,000 entries a second.
      goal: { oursAtMost: 20 },
      conditions,
    });
  };
  return [
    timeLine("made and stored", ({ madeS }) => madeS),
    ...formats.map((format) =>
      timeLine(`given as ${format}`, ({ givenS }) => givenS[format] ?? Number.NaN),
    ),
    lineOf({
      name: "resident memory, at most",
      unit: "MiB",
      ours: middle("whole", ({ peakMib }) => peakMib),
      baseline: middle("tenth", ({ peakMib }) => peakMib),
      goal: { atMost: 1.2 },
      conditions,
    }),
  ];
}

/** A business with two wallets and so many entries. */
async function createJournal(
  cluster: Cluster,
  count: number,
): Promise<Programs["make-statement"]["given"]> {
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

/** In a process of its own: its memory is of one statement. */
async function measure(given: Programs["make-statement"]["given"]): Promise<Figures> {
  const program = await startProgram("make-statement", given);
  try {
    return await program.ask({ formats });
  } finally {
    await program.stop();
  }
}
