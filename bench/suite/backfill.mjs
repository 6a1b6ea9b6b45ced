// A thousand blocks of a hundred ERC-20 transfers each, half of them to watched wallets, into the ledger: the daemon's own
// catch-up, as `chainbell backfill` runs it, into a fresh database each time. The floor is the download of the same blocks
// and receipts by the same client; the peer is Ponder, which stores a row for each of the transfers.
import { alternate } from "../alternate.mjs";
import { preparePonder, runPonder } from "../peers/ponder/run.mjs";
import { backfill, download, prepareLedger } from "../support/backfill-runs.mjs";
import { openCluster } from "../support/cluster.mjs";
import { startTransferChain } from "../support/transfer-chain.mjs";

const shapes = [
  { transactionsPerBlock: 1, words: "in one transaction a block" },
  { transactionsPerBlock: 100, words: "in a hundred transactions a block" },
];

/** What the configuration says of `receipts`: the chain's own proof, or none. */
const verifications = [
  { receipts: "none", words: "unverified", goal: { atMost: 1.5 } },
  { receipts: "root", words: "verified", goal: { atMost: 3 } },
];

export async function run({ quick, say }) {
  const blocks = quick ? 20 : 1_000;
  const rounds = quick ? 1 : 3;
  const hasPonder = !quick && preparePonder(say);
  const cluster = await openCluster();
  const lines = [];
  try {
    for (const shape of shapes) {
      const chain = await startTransferChain({ ...shape, blocks });
      say(`${blocks} blocks of 100 transfers, ${shape.words}`);
      try {
        lines.push(...(await measure({ cluster, chain, shape, hasPonder, rounds, blocks, say })));
      } finally {
        await chain.end();
      }
    }
  } finally {
    await cluster.end();
  }
  return lines;
}

async function measure({ cluster, chain, shape, hasPonder, rounds, blocks, say }) {
  const contenders = { download: () => download(chain) };
  for (const { receipts, words } of verifications) {
    const template = await prepareLedger(cluster, chain, receipts);
    contenders[words] = () => backfill(cluster, chain, template);
  }
  if (hasPonder) contenders.Ponder = () => runPonder({ cluster, chain });
  const figures = await alternate(rounds, contenders, say);
  const did = `${blocks} blocks x 100 transfers, ${chain.watched} of them recorded, confirmed and notified; no traces`;
  const peer = hasPonder ? "Ponder 0.16.6, a row for each transfer" : "none";
  return verifications.map(({ words, goal }) => ({
    name: `${words}, ${shape.words}`,
    unit: "s",
    ours: figures[words],
    baseline: figures.download,
    peer: figures.Ponder ?? null,
    ratio: figures[words] / figures.download,
    goal,
    conditions: `${did}; baseline: download of blocks and receipts; peer: ${peer}`,
  }));
}
