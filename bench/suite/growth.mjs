// What it costs to commit a block of 100 transfers to watched wallets, with nothing in the ledger and with millions.
import { randomBytes } from "node:crypto";
import { openDatabase } from "../../dist/ledger/postgres/database.js";
import { migrate } from "../../dist/ledger/postgres/migrate.js";
import { createBalanceLedger, createHeadLedger } from "../../dist/ledger/watching.js";
import { configureChains } from "../../dist/ledger/watchlist/configure-chains.js";
import { matchMovements } from "../../dist/watcher/match-movements.js";
import { alternate, median } from "../alternate.mjs";
import { fillHistory } from "../support/bulk-history.mjs";
import { openCluster } from "../support/cluster.mjs";

const token = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const assets = [
  { code: "ETH", address: "native", decimals: 18, kind: "exact" },
  { code: "USDC", address: token, decimals: 6, kind: "exact" },
];
const chains = [
  { name: "ethereum", chainId: 1, assets },
  { name: "base", chainId: 8453, assets },
];
const chainName = "ethereum";
const transfers = 100;
const hash = () => `0x${randomBytes(32).toString("hex")}`;
const address = () => `0x${randomBytes(20).toString("hex")}`;

export async function run({ quick, say }) {
  const sizes = quick ? [0, 1_000, 10_000] : [0, 1_000_000, 10_000_000];
  const [rounds, blocks] = quick ? [1, 3] : [11, 20];
  const cluster = await openCluster(quick ? {} : { max_wal_size: "4GB" });
  const ledgers = [];
  try {
    for (const size of sizes) {
      ledgers.push(await openFilled(cluster, size, say));
    }
    await cluster.settle();
    const contenders = Object.fromEntries(
      ledgers.map(({ size, commit }) => [
        `${size.toLocaleString("en")} stored`,
        async () => {
          const times = [];
          for (let block = 0; block < blocks; block += 1) times.push(await commit());
          return median(times);
        },
      ]),
    );
    const figures = await alternate(rounds, contenders, say);
    const [[, baseline], ...grown] = Object.entries(figures);
    return grown.map(([name, ours]) => ({
      name: `commit of a block of ${transfers} transfers, ${name}`,
      unit: "ms",
      ...{ ours, baseline, peer: null, ratio: ours / baseline },
      goal: { atMost: 1.2 },
      conditions: "each confirms the block before it and notifies for it; baseline: nothing stored",
    }));
  } finally {
    for (const { db } of ledgers) await db.$disconnect();
    await cluster.end();
  }
}

async function openFilled(cluster, size, say) {
  const url = await cluster.createDatabase(`rows_${size}`);
  await migrate({ databaseUrl: url });
  const db = openDatabase({ databaseUrl: url, poolSize: 4 });
  await configureChains(db, chains);
  await fillHistory({ db, databaseUrl: url, count: size, say });
  const ledger = { ...createHeadLedger(db), ...createBalanceLedger(db) };
  const list = await readBegun(db, ledger);
  const wallets = [...list.wallets.values()].map((wallet) => wallet.address);
  return { size, db, commit: () => commitBlock(ledger, list, wallets) };
}

/** The chain as the history left it, everything of it confirmed. */
async function readBegun(db, ledger) {
  await db.$executeRaw`UPDATE chain SET confirmed_number = position_number WHERE name = ${chainName}`;
  return ledger.readWatchlist(chainName);
}

/** The next block, from its movements to the end of its transaction; in ms. */
async function commitBlock(ledger, list, wallets) {
  const parent = await ledger.readPosition(chainName);
  const header = {
    ...{ number: parent.number + 1n, hash: hash(), parentHash: parent.hash },
    timeMs: Date.now(),
  };
  const movements = Array.from({ length: transfers }, (_, index) => ({
    ...{ kind: "transfer", asset: token, txHash: hash(), amountAtomic: 1_000_000n },
    ...{ from: address(), to: wallets[index % wallets.length], logIndex: index, tracePath: null },
  }));
  const startedMs = performance.now();
  const outcome = await ledger.commitBlock({
    ...{ chainName, parent, header, headNumber: header.number, watchVersion: list.version },
    match: () => matchMovements(chainName, { header, movements }, list),
    confirmedNumber: header.number - 1n,
  });
  const ms = performance.now() - startedMs;
  if (outcome.recorded !== transfers) throw new Error(`${outcome.kind}: ${outcome.recorded}`);
  return ms;
}
