import { expect, it } from "vitest";
import { parseAddress, zeroAddress } from "../../../../src/domain/chain/address.ts";
import type { MatchedTransaction } from "../../../../src/domain/money/matched-transaction.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { openWallet } from "../../../support/chain/watched-chain.ts";
import { commitMatched } from "../../../support/ledger/commit-matched.ts";

const { anvil, watched } = eachWatchedChain({ blocks: 2, depth: 2 });

it.each([
  ["keeps its amount while the balances do not show another one", true, 10n],
  ["takes another amount once they do", false, 99n],
])("a completed fee whose block is read again %s", async (_, isUnproven, expected) => {
  const { businessId, chainName, db, ledger } = watched;
  const walletId = await openWallet(watched, anvil);
  const coin = (await ledger.readWatchlist(chainName)).assets.get("native");
  const fee: MatchedTransaction = {
    identity: "fe".repeat(32),
    businessId,
    walletId,
    assetId: coin?.id ?? 0,
    type: "fee",
    direction: "out",
    amountAtomic: 10n,
    txHash: `0x${"fe".repeat(32)}`,
    fromAddress: parseAddress(wallet),
    toAddress: zeroAddress,
    ordinal: 0,
    logIndex: null,
    tracePath: null,
    isUnproven: false,
    proof: "answered",
    memo: null,
    virtualAddress: null,
  };
  await commitMatched(watched, { walletId, address: wallet }, [fee]);
  const block = await db.block.findFirstOrThrow({
    where: { chainName },
    orderBy: { number: "desc" },
  });
  const { position } = await ledger.readChainState(chainName);
  if (position === null) throw new Error("the chain has started");
  const header = { ...position, parentHash: position.hash, timeMs: block.time.getTime() };
  const matched = [{ ...fee, amountAtomic: 99n, isUnproven }];
  await ledger.recordFound({ chainName, header, matched });
  expect((await watched.balances(walletId))["ETH"]).toBe(-expected);
  expect(await watched.history(walletId)).toMatchObject([
    { amountAtomic: expected, status: "completed" },
  ]);
});
