import { createHash } from "node:crypto";
import { parseAddress } from "../../../src/domain/chain/address.ts";
import type { MatchedTransaction } from "../../../src/domain/money/matched-transaction.ts";
import { markOf } from "../../../src/domain/watch/watchlist.ts";
import type { WatchedChain } from "../chain/watched-chain.ts";

const stranger = parseAddress("0x0000000000000000000000000000000000005a1e");

type Deposits = readonly Partial<MatchedTransaction>[];

/** The fields of a transaction that was proved by its block, without a place in it. */
export const plainMatch = {
  logIndex: null,
  tracePath: null,
  isUnproven: false,
  proof: "root",
  memo: null,
  virtualAddress: null,
} satisfies Partial<MatchedTransaction>;

/**
 * Commits a block that was never read, confirmed at once, with these deposits of the coin to one
 * wallet in it.
 */
export async function commitMatched(
  watched: WatchedChain,
  to: { walletId: string; address: string },
  deposits: Deposits,
) {
  return commitMatchedBlocks(watched, to, { kind: "newest", blocks: [deposits] });
}

/** The same for several blocks, in one commit. `depth`: how many of the last ones stay pending. */
export async function commitMatchedBlocks(
  watched: WatchedChain,
  to: { walletId: string; address: string },
  of: { kind: "newest" | "range"; blocks: readonly Deposits[]; depth?: number },
) {
  const { kind, blocks, depth = 0 } = of;
  const { ledger, chainName, businessId } = watched;
  const { position } = await ledger.readChainState(chainName);
  const list = await ledger.readWatchlist(chainName);
  const asset = list.assets.get("native");
  if (position === null || asset === undefined) throw new Error("the chain has started");
  const hashAt = (number: bigint) => `0x${number.toString(16).padStart(64, "7")}` as const;
  const headerAt = (place: number) => {
    const number = position.number + BigInt(place) + 1n;
    const parentHash = place === 0 ? position.hash : hashAt(number - 1n);
    return { number, hash: hashAt(number), parentHash, timeMs: 1_700_000_000_000 + place };
  };
  const matchedBlocks = blocks.map((deposits, place) => {
    const header = headerAt(place);
    const { number, hash } = header;
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
        ...plainMatch,
        ...deposit,
      }),
    );
    return { header, matched };
  });
  const [first, ...others] = matchedBlocks.map(({ header }) => header);
  if (first === undefined) throw new Error("there is a block");
  const number = others.at(-1)?.number ?? first.number;
  return ledger.commitBlocks({
    kind,
    chainName,
    parent: position,
    headers: [first, ...others],
    headNumber: number,
    watched: markOf(list),
    isAgreed: true,
    isSettled: true,
    match: () => matchedBlocks,
    confirmedNumber: number - BigInt(depth),
  });
}
