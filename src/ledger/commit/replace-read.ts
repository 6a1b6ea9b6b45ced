import type { ReadAgain, ReplaceOutcome } from "../../domain/watch/commit.ts";
import type { ThresholdEntries } from "../balances/move-balances.ts";
import { lockChain } from "../chain/chain-state.ts";
import { hasLeftChain } from "../chain/has-left-chain.ts";
import { Prisma } from "../generated/client.ts";
import { byteaArray } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { correctionTypes, onChainStatuses } from "../transactions/transaction-words.ts";
import { findUnwatched } from "../watchlist/find-unwatched.ts";
import { settleReorg } from "./settle-reorg.ts";
import { writeBlocks } from "./write-blocks.ts";

/**
 * Replaces the ledger's transactions of one block, wallet and asset by those that the block holds.
 * A transaction that is not in the block is taken back as after a reorg. Pending becomes dropped,
 * and completed becomes reversed. A missing transaction is added, if the balance begins below the
 * block. Nothing in the block waits for its proof afterwards. Changes are notified. Safe to repeat.
 *
 * Answers `moved`, and writes nothing, if the block is not the stored one or is above the position.
 * The same holds while a reorg is replayed, and for a wallet that ended below the block. Answers
 * `held`, and writes nothing, if a proven transaction would be taken back although the caller
 * allows only unproven ones.
 */
export async function replaceRead(db: Database, read: ReadAgain): Promise<ReplaceOutcome> {
  const { chainName, header, matched } = read;
  return inTransaction(db, async (tx) => {
    const chain = await lockChain(tx, chainName);
    const { position, confirmedNumber, settleNumber } = chain;
    if (settleNumber !== null || position === null || position.number < header.number)
      return { kind: "moved" };
    if (await hasLeftChain(tx, chainName, header)) return { kind: "moved" };
    const unwatched = (await findUnwatched(tx, [read], header.number))(read);
    if (unwatched === "after") return { kind: "moved" };
    const { isStanding, isRead } = conditionsOf(read);
    if (read.takesBack === "unproven") {
      const [proven] = await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM transaction WHERE ${isStanding} AND NOT unproven AND NOT ${isRead} LIMIT 1`;
      if (proven !== undefined) return { kind: "held" };
    }
    await tx.$executeRaw`
      UPDATE transaction SET unproven = false, orphaned = NOT ${isRead} WHERE ${isStanding}`;
    const touched: ThresholdEntries = [];
    const { dropped, reversed, ...taken } = await settleReorg(tx, chainName, touched);
    const written = await writeBlocks(tx, {
      chain,
      blocks: [{ header, matched: unwatched === null ? matched : [] }],
      confirmTo: confirmedNumber,
      aloneAbove: null,
      notifiesPending: true,
      settles: null,
      touched,
    });
    const { confirmed } = written;
    const notified = taken.notified + written.notified;
    return { kind: "replaced", dropped, reversed, confirmed, notified };
  });
}

/**
 * SQL conditions on the ledger's transactions of that block, wallet and asset. `isStanding`: the
 * transaction has not been taken back. `isRead`: the block holds it.
 */
function conditionsOf({ chainName, header, walletId, assetId, matched }: ReadAgain) {
  const identities = byteaArray(matched.map(({ identity }) => identity));
  return {
    isStanding: Prisma.sql`chain_name = ${chainName} AND block_number = ${header.number}
      AND block_hash = ${header.hash} AND wallet_id = ${walletId}::uuid AND asset_id = ${assetId}
      AND status IN (${onChainStatuses}) AND NOT orphaned AND NOT is_history AND type NOT IN (${correctionTypes})`,
    isRead: Prisma.sql`(identity = ANY(${identities}::bytea[]))`,
  };
}
