// Commits blocks of transfers to watched wallets, one after the other, as the daemon does at the
// head of a chain.

import { randomBytes } from "node:crypto";
import type { Movement } from "../../src/domain/money/movement.ts";
import { onlyAnswered } from "../../src/domain/money/movement.ts";
import { markOf } from "../../src/domain/watch/watchlist.ts";
import { createHeadLedger } from "../../src/ledger/watching.ts";
import { matchMovements } from "../../src/watcher/match-movements.ts";
import { openDatabase } from "../../test/support/ledger/database.ts";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { randomAddress } from "../support/random-address.ts";

const { databaseUrl, chainName, token, transfers, confirmsAtOnce } = givenTo<"commit-blocks">();
const ledger = createHeadLedger(openDatabase({ databaseUrl, poolSize: 4 }));
const list = await ledger.readWatchlist(chainName);
const wallets = [...list.wallets.values()];

serveParent<"commit-blocks">(null, async ({ blocks }) => {
  const ms: number[] = [];
  for (let block = 0; block < blocks; block += 1) ms.push(await commitBlock());
  return { ms };
});

/** The next block, from its movements to the end of its transaction; in ms. */
async function commitBlock(): Promise<number> {
  const { position: parent } = await ledger.readChainState(chainName);
  if (parent === null) throw new Error("The chain has not begun.");
  const header = {
    number: parent.number + 1n,
    hash: randomHash(),
    parentHash: parent.hash,
    timeMs: Date.now(),
  };
  const movements = Array.from({ length: transfers }, (_, at) => transferTo(at));
  const startedMs = performance.now();
  const outcome = await ledger.commitBlocks({
    kind: "newest",
    chainName,
    parent,
    headers: [header],
    headNumber: header.number,
    watched: markOf(list),
    match: () => {
      const block = { header, movements, evidence: onlyAnswered, host: "node" };
      return [{ header, matched: matchMovements(chainName, block, list) }];
    },
    confirmedNumber: confirmsAtOnce === true ? header.number : header.number - 1n,
    isAgreed: true,
    isSettled: true,
  });
  const ms = performance.now() - startedMs;
  if (outcome.kind !== "committed" || outcome.recorded !== transfers)
    throw new Error(`The block was not committed: ${outcome.kind}`);
  return ms;
}

function transferTo(at: number): Movement {
  const to = wallets[at % wallets.length]?.address ?? randomAddress();
  return {
    kind: "transfer",
    asset: token,
    txHash: randomHash(),
    amountAtomic: 1_000_000n,
    to,

    from: randomAddress(),
    logIndex: at,
    tracePath: null,
  };
}

function randomHash(): `0x${string}` {
  return `0x${randomBytes(32).toString("hex")}`;
}
