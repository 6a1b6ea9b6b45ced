import { randomBytes } from "node:crypto";
import type { Movement } from "../../../src/domain/money/movement.ts";
import type { HeadLedger } from "../../../src/domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../../../src/domain/watch/watchlist.ts";
import { openDatabase } from "../../../src/ledger/postgres/database.ts";
import { createHeadLedger } from "../../../src/ledger/watching.ts";
import { matchMovements } from "../../../src/watcher/match-movements.ts";
import type { Cluster } from "../../../test/support/ledger/cluster.ts";
import { deploymentOf } from "../../../test/support/process/deployment.ts";
import { ourBuild } from "../../process/build.ts";
import { withApi } from "../../process/with-api.ts";
import type { Report } from "../../runner/bench.ts";
import { randomAddress } from "../random-address.ts";
import { fillHistory, historyChains } from "./fill-history.ts";

export const transfersPerBlock = 100;
const chainName = "ethereum";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** A ledger with so many transactions, to which blocks are added. Whoever opens it ends it. */
export async function openGrownLedger(options: { cluster: Cluster; size: number; report: Report }) {
  const { cluster, size, report } = options;
  const databaseUrl = await cluster.createDatabase(`rows_${size}`);
  const settings = { databaseUrl, redisUrl: null, receiverPorts: [], chains: historyChains };
  await withApi(ourBuild, deploymentOf(settings), (daemon) =>
    fillHistory(daemon, { databaseUrl, count: size, report }),
  );
  const db = openDatabase({ databaseUrl, poolSize: 4 });
  const ledger = createHeadLedger(db);
  const list = await ledger.readWatchlist(chainName);
  return {
    commitBlock: () => commitBlock(ledger, list),
    end: () => db.$disconnect(),
  };
}

const randomHash = (): `0x${string}` => `0x${randomBytes(32).toString("hex")}`;

/** The next block, from its movements to the end of its transaction; in ms. */
async function commitBlock(ledger: HeadLedger, list: Watchlist): Promise<number> {
  const { position: parent } = await ledger.readChainState(chainName);
  if (parent === null) throw new Error("The chain has not begun.");
  const header = {
    ...{ number: parent.number + 1n, hash: randomHash(), parentHash: parent.hash },
    timeMs: Date.now(),
  };
  const movements = movementsTo(list);
  const startedMs = performance.now();
  const outcome = await ledger.commitBlock({
    ...{ chainName, parent, header, headNumber: header.number, watchVersion: list.version },
    match: () => matchMovements(chainName, { header, movements }, list),
    confirmedNumber: header.number - 1n,
  });
  const ms = performance.now() - startedMs;
  if (outcome.kind !== "committed" || outcome.recorded !== transfersPerBlock)
    throw new Error(`The block was not committed: ${JSON.stringify(outcome)}`);
  return ms;
}

function movementsTo(list: Watchlist): Movement[] {
  const wallets = [...list.wallets.values()];
  return Array.from({ length: transfersPerBlock }, (_, index) => {
    const to = wallets[index % wallets.length]?.address ?? randomAddress();
    return {
      ...{ kind: "transfer", asset: usdc, txHash: randomHash(), amountAtomic: 1_000_000n, to },
      ...{ from: randomAddress(), logIndex: index, tracePath: null },
    };
  });
}
