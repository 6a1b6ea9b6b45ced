// What it costs to commit a block of 100 transfers to watched wallets, with nothing in the ledger and with millions.

import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createResources } from "../../test/support/resources.ts";
import { type Contenders, median, medians } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { openGrownLedger, transfersPerBlock } from "../support/ledger/grown-ledger.ts";

const whole = { sizes: [0, 1_000_000, 10_000_000], rounds: 11, blocks: 20 };
const quickly = { sizes: [0, 1_000, 10_000], rounds: 1, blocks: 3 };

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const { sizes, rounds, blocks } = quick ? quickly : whole;
  const { open, end } = createResources();
  try {
    const settings = quick ? {} : { max_wal_size: "4GB" };
    const cluster = await open(openCluster(settings), (one) => one.end());
    const contenders: Contenders<number> = {};
    for (const size of sizes) {
      const opening = openGrownLedger({ cluster, size, report });
      const ledger = await open(opening, (one) => one.end());
      contenders[nameOf(size)] = async () => {
        const times: number[] = [];
        for (let block = 0; block < blocks; block += 1) times.push(await ledger.commitBlock());
        return median(times);
      };
    }
    await cluster.checkpoint();
    const figure = await medians(rounds, contenders, report);
    return sizes.slice(1).map((size) =>
      lineOf({
        name: `commit of a block of ${transfersPerBlock} transfers, ${nameOf(size)}`,
        unit: "ms",
        ours: figure(nameOf(size)),
        baseline: figure(nameOf(0)),
        goal: { atMost: 1.2 },
        conditions:
          "each confirms the block before it and notifies for it; baseline: nothing stored",
      }),
    );
  } finally {
    await end();
  }
}

const nameOf = (size: number) => `${size.toLocaleString("en")} stored`;
