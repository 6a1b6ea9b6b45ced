// A thousand blocks of a hundred ERC-20 transfers each, half of them to watched wallets, into the
// ledger: the daemon's own catch-up, as its command line runs it, into a fresh database each time.
// The bare floor is the download of the same blocks and receipts by the same client. The durable
// one also copies the rows of a catch-up into the same tables. The peer is Ponder, which stores a
// row for each of the transfers.
import { createResources } from "../../test/support/resources.ts";
import { buildsWith, ourBuild } from "../process/build.ts";
import { type Program, startProgram } from "../process/start-program.ts";
import { type Contenders, medians } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { catchUp, prepareLedger } from "../support/chain/catch-up.ts";
import { copyRows, keepRows } from "../support/chain/copied-rows.ts";
import { download } from "../support/chain/download.ts";
import { preparePonder, runPonder } from "../support/chain/ponder.ts";
import { startTransferChain, type TransferChain } from "../support/chain/transfer-chain.ts";
import { openServers, type Servers } from "../support/servers.ts";

const shapes = [
  { transactionsPerBlock: 1, words: "in one transaction a block", goal: { atMost: 1.5 } },
  { transactionsPerBlock: 100, words: "in a hundred transactions a block", goal: { atMost: 1.4 } },
] as const;

/** What the configuration says of `receipts`: the chain's own proof, or none. */
const verifications = [
  { receipts: "none", words: "unverified" },
  { receipts: "root", words: "verified" },
] as const;

const whole = { blocks: 300, rounds: 3 };
const quickly = { blocks: 20, rounds: 1 };

export async function run(options: BenchOptions): Promise<Line[]> {
  const { quick, report, against } = options;
  const { blocks } = quick ? quickly : whole;
  const hasPonder = !quick && preparePonder(report);
  const { open, end } = createResources();
  try {
    const servers = await open(openServers(), (one) => one.end());
    const programs = new Map<string, Program<"catch-up">>();
    for (const build of buildsWith(against)) {
      const starting = startProgram("catch-up", null, { build, nodeArgs: ["--expose-gc"] });
      programs.set(build.name, await open(starting, (one) => one.stop()));
    }
    const lines: Line[] = [];
    for (const shape of shapes) {
      const chain = await startTransferChain({ ...shape, blocks });
      report(`${blocks} blocks of 100 transfers, ${shape.words}`);
      try {
        const measured = { servers, programs, chain, shape, hasPonder, blocks };
        lines.push(...(await measure(measured, options)));
      } finally {
        await chain.end();
      }
    }
    return lines;
  } finally {
    await end();
  }
}

type Measured = {
  servers: Servers;
  programs: ReadonlyMap<string, Program<"catch-up">>;
  chain: TransferChain;
  shape: (typeof shapes)[number];
  hasPonder: boolean;
  blocks: number;
};

async function measure(
  { servers, programs, chain, shape, hasPonder, blocks }: Measured,
  { quick, report, against }: BenchOptions,
): Promise<Line[]> {
  const { cluster } = servers;
  const contenders: Contenders<number> = { download: () => download(chain) };
  for (const build of buildsWith(against)) {
    const program = programs.get(build.name);
    if (program === undefined) throw new Error(`Nothing was started of ${build.name}.`);
    for (const { receipts, words } of verifications) {
      const template = await prepareLedger({ cluster, build, chain, receipts });
      const run = { cluster, program, chain, template };
      contenders[nameOf(build.name, words)] = () => catchUp(run);
      if (contenders["copied"] !== undefined) continue;
      await catchUp({ ...run, keep: (databaseUrl) => keepRows(cluster, databaseUrl) });
      contenders["copied"] = async () =>
        (await download(chain)) + (await copyRows(cluster, template));
    }
  }
  if (hasPonder) contenders["Ponder"] = () => runPonder({ cluster, chain });
  const figure = await medians((quick ? quickly : whole).rounds, contenders, report);
  const did = `${blocks} blocks x 100 transfers, ${chain.watched} of them recorded, confirmed and notified; no traces`;
  const peer = hasPonder ? "Ponder 0.16.6, a row for each transfer" : "none";
  return verifications.map(({ words }) =>
    lineOf({
      name: `${words}, ${shape.words}`,
      unit: "s",
      ours: figure(nameOf(ourBuild.name, words)),
      baseline: figure("download"),
      durable: figure("copied"),
      peer: hasPonder ? figure("Ponder") : null,
      against: against === null ? null : figure(nameOf(against.name, words)),
      goal: shape.goal,
      conditions: `${did}; bare floor: download of blocks and receipts; durable: and COPY of their rows; peer: ${peer}`,
    }),
  );
}

const nameOf = (build: string, words: string) => `${build}, ${words}`;
