import { createHash } from "node:crypto";
import { parseAddress } from "../../../src/domain/chain/address.ts";
import type { MatchedTransaction } from "../../../src/domain/money/matched-transaction.ts";
import type { WatchedChain } from "../chain/watched-chain.ts";

const stranger = parseAddress("0x0000000000000000000000000000000000005a1e");

/**
 * Commits a block that was never read, confirmed at once, with these deposits of the coin to one
 * wallet in it.
 */
export async function commitMatched(
  watched: WatchedChain,
  to: { walletId: string; address: string },
  deposits: readonly Partial<MatchedTransaction>[],
) {
  const { ledger, chainName, businessId } = watched;
  const { position } = await ledger.readChainState(chainName);
  const list = await ledger.readWatchlist(chainName);
  const asset = list.assets.get("native");
  if (position === null || asset === undefined) throw new Error("the chain has started");
  const number = position.number + 1n;
  const hash = `0x${number.toString(16).padStart(64, "7")}` as const;
  const header = { number, hash, parentHash: position.hash, timeMs: 1_700_000_000_000 };
  const matched = deposits.map(
    (deposit, ordinal): MatchedTransaction => ({
      identity: createHash("sha256").update(`${number}-${ordinal}`).digest("hex"),
      businessId,
      walletId: to.walletId,
      assetId: asset.id,
      type: "deposit",
      direction: "in",
      amountAtomic: 1n,
      txHash: hash,
      fromAddress: stranger,
      toAddress: parseAddress(to.address),
      ordinal,
      logIndex: null,
      tracePath: null,
      isUnproven: false,
      proof: "root",
      memo: null,
      virtualAddress: null,
      ...deposit,
    }),
  );
  return ledger.commitBlock({
    chainName,
    parent: position,
    headers: [header],
    headNumber: number,
    watchVersion: list.version,
    isAgreed: true,
    isSettled: true,
    match: () => [{ header, matched }],
    confirmedNumber: number,
  });
}
