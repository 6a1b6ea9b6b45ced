import { expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import type { MatchedTransaction } from "../../../../src/domain/money/matched-transaction.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { openWallet } from "../../../support/chain/watched-chain.ts";
import { commitMatched } from "../../../support/ledger/commit-matched.ts";

const { anvil, watched } = eachWatchedChain({ blocks: 2, depth: 2 });

it("a movement that was written after the others were judged still waits", async () => {
  const { businessId, chainName, db, ledger } = watched;
  const walletId = await openWallet(watched, anvil);
  const coin = (await ledger.readWatchlist(chainName)).assets.get("native");
  const deposit = (byte: string, ordinal: number): MatchedTransaction => ({
    identity: byte.repeat(32),
    businessId,
    walletId,
    assetId: coin?.id ?? 0,
    type: "deposit",
    direction: "in",
    amountAtomic: 10n,
    txHash: `0x${byte.repeat(32)}`,
    fromAddress: parseAddress(payer),
    toAddress: parseAddress(wallet),
    ordinal,
    logIndex: null,
    tracePath: "0",
    isUnproven: true,
    proof: "answered",
    memo: null,
    virtualAddress: null,
  });
  const judged = deposit("aa", 0);
  await commitMatched(watched, { walletId, address: wallet }, [judged]);
  const waiting = await ledger.readUnproven(chainName, { after: null, limit: 10 });
  expect(waiting.changes).toMatchObject([{ walletId, identities: [judged.identity] }]);

  const { position } = await ledger.readChainState(chainName);
  if (position === null) throw new Error("the chain has started");
  const block = await db.block.findFirstOrThrow({
    where: { chainName },
    orderBy: { number: "desc" },
  });
  const header = { ...position, parentHash: position.hash, timeMs: block.time.getTime() };
  await ledger.recordFound({ chainName, header, matched: [judged, deposit("bb", 1)] });

  const accepted = waiting.changes.map(({ identities, block: { hash: blockHash } }) => ({
    identities,
    blockHash,
    isAgreed: true,
    isAlone: false,
  }));
  expect(await ledger.acceptProven(chainName, accepted)).toMatchObject({ accepted: 1 });
  const left = await ledger.readUnproven(chainName, { after: null, limit: 10 });
  expect(left.changes).toMatchObject([{ walletId, sumAtomic: 20n }]);
});
