// What it costs to commit a block of 100 transfers to watched wallets, with nothing in the ledger
// and with millions.
import { type Cluster, openCluster } from "../../test/support/ledger/cluster.ts";
import { deploymentOf } from "../../test/support/process/deployment.ts";
import { createResources } from "../../test/support/resources.ts";
import { buildsWith, ourBuild } from "../process/build.ts";
import { startProgram } from "../process/start-program.ts";
import { withApi } from "../process/with-api.ts";
import { type Contenders, median, medians } from "../runner/alternate.ts";
import type { BenchOptions, Report } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { fillHistory, historyChains, usdcOfEthereum } from "../support/ledger/fill-history.ts";

const whole = { sizes: [0, 1_000_000, 10_000_000], rounds: 11, blocks: 20 };
const quickly = { sizes: [0, 1_000, 10_000], rounds: 1, blocks: 3 };

const transfers = 100;

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const { sizes, rounds, blocks } = quick ? quickly : whole;
  const { open, end } = createResources();
  try {
    const settings = quick ? {} : { max_wal_size: "4GB" };
    const cluster = await open(openCluster(settings), (one) => one.end());
    const contenders: Contenders<number> = {};
    for (const size of sizes) {
      const filled = await createFilled({ cluster, size, report });
      for (const build of buildsWith(against)) {
        // Each commits into a copy of its own.
        const databaseUrl = await cluster.createDatabase(`${filled} of ${build.name}`, filled);
        const given = { databaseUrl, chainName: "ethereum", token: usdcOfEthereum, transfers };
        const starting = startProgram("commit-blocks", given, { build });
        const program = await open(starting, (one) => one.stop());
        const medianMs = async () => median((await program.ask({ blocks })).ms);
        contenders[nameOf(build.name, size)] = medianMs;
      }
      await cluster.drop(filled);
    }
    await cluster.checkpoint();
    const figure = await medians(rounds, contenders, report);
    return sizes.slice(1).map((size) =>
      lineOf({
        name: `commit of a block of ${transfers} transfers, ${storedOf(size)}`,
        unit: "ms",
        ours: figure(nameOf(ourBuild.name, size)),
        baseline: figure(nameOf(ourBuild.name, 0)),
        against: against === null ? null : figure(nameOf(against.name, size)),
        goal: { atMost: 1.2 },
        conditions:
          "each confirms the block before it and notifies for it; baseline: nothing stored",
      }),
    );
  } finally {
    await end();
  }
}

const storedOf = (size: number) => `${size.toLocaleString("en")} stored`;
const nameOf = (build: string, size: number) => `${build}, ${storedOf(size)}`;

/** A database with so many transactions, of the schema of our build; answers its name. */
async function createFilled(of: {
  cluster: Cluster;
  size: number;
  report: Report;
}): Promise<string> {
  const { cluster, size, report } = of;
  const name = `rows_${size}`;
  const databaseUrl = await cluster.createDatabase(name);
  const settings = { databaseUrl, redisUrl: null, receiverPorts: [], chains: historyChains };
  await withApi(ourBuild, deploymentOf(settings), (daemon) =>
    fillHistory(daemon, { databaseUrl, count: size, report }),
  );
  return name;
}
