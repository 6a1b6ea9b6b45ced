import { createHash } from "node:crypto";
import type { Address } from "../../../src/domain/chain/address.ts";
import type { Hash, Position } from "../../../src/domain/chain/block.ts";
import type { MatchedTransaction } from "../../../src/domain/money/matched-transaction.ts";
import type { AssetAddress } from "../../../src/domain/money/movement.ts";
import { markOf } from "../../../src/domain/watch/watchlist.ts";
import { plainMatch } from "./commit-matched.ts";
import type { Database } from "./database.ts";
import { createWatcherLedger } from "./watcher-ledger.ts";

/** Blocks back that are confirmed. */
const depth = 2n;

type Deposit = {
  businessId: string;
  walletId: string;
  address: string;
  /** 1 where it is left out; negative for a withdrawal. */
  effectAtomic?: bigint;
  /** The coin where it is left out. */
  assetAddress?: AssetAddress;
};

/**
 * A chain of the ledger whose blocks were never read: each is committed with the deposits that it
 * is said to hold. Every commit is one of the ledger's own.
 */
export async function writtenChain(db: Database, chainName: string, firstMs = 1_700_000_000_000) {
  const ledger = createWatcherLedger(db);
  const { assets } = await ledger.readWatchlist(chainName);
  const assetAt = (address: AssetAddress) => {
    const asset = assets.get(address);
    if (asset === undefined) throw new Error(`the chain has no ${address}`);
    return asset;
  };
  let branch = 0;
  const hashOf = (number: bigint): Hash =>
    `0x${createHash("sha256").update(`${chainName} ${branch} ${number}`).digest("hex")}`;
  const headerOf = (parent: Position) => ({
    number: parent.number + 1n,
    hash: hashOf(parent.number + 1n),
    parentHash: parent.hash,
    timeMs: firstMs + Number(parent.number) * 1_000,
  });
  const first = headerOf({ number: 99n, hash: hashOf(99n) });
  const start = { chainName, genesisHash: hashOf(0n), confirmedNumber: first.number };
  await ledger.startChain({ ...start, window: [first] });
  const blocks: Position[] = [first];
  const position = (): Position => blocks.at(-1) ?? first;

  const toMatched = (header: { number: bigint; hash: Hash }) => (to: Deposit, ordinal: number) => {
    const { effectAtomic = 1n, assetAddress = "native" } = to;
    const isOut = effectAtomic < 0n;
    const digest = createHash("sha256").update(`${header.hash} ${ordinal}`).digest("hex");
    const stranger: Address = `0x${digest.slice(0, 40)}`;
    const address = to.address as MatchedTransaction["toAddress"];
    return {
      identity: digest,
      businessId: to.businessId,
      walletId: to.walletId,
      assetId: assetAt(assetAddress).id,
      type: isOut ? "withdrawal" : "deposit",
      direction: isOut ? "out" : "in",
      amountAtomic: isOut ? -effectAtomic : effectAtomic,
      txHash: header.hash,
      fromAddress: isOut ? address : stranger,
      toAddress: isOut ? stranger : address,
      ordinal,
      ...plainMatch,
    } satisfies MatchedTransaction;
  };

  return {
    chainName,
    /** Writes the next block, and confirms the one that is deep enough by then. */
    async commit(deposits: readonly Deposit[]) {
      const parent = position();
      const header = headerOf(parent);
      const list = await ledger.readWatchlist(chainName);
      const outcome = await ledger.commitBlocks({
        kind: "newest",
        chainName,
        parent,
        headers: [header],
        headNumber: header.number,
        watched: markOf(list),
        isAgreed: true,
        isSettled: true,
        match: () => [{ header, matched: deposits.map(toMatched(header)) }],
        confirmedNumber: header.number - depth,
      });
      if (outcome.kind === "committed") blocks.push(header);
      return outcome;
    },
    /** Takes so many blocks back, confirmed ones too; those that follow are of another branch. */
    async undo(count: number) {
      const from = position();
      const ancestor = blocks.at(-1 - count) ?? first;
      await ledger.undoBlocks({ chainName, from, ancestor });
      blocks.splice(blocks.indexOf(ancestor) + 1);
      branch += 1;
    },
  };
}
