import type { ReadAgain, ReplaceOutcome } from "../../domain/watch/commit.ts";
import { lockChain } from "../chain/chain-state.ts";
import { hasLeftChain } from "../chain/has-left-chain.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { type Database, inTransaction } from "../postgres/database.ts";
import { correctionTypes, onChainStatuses } from "../transactions/transaction-words.ts";
import { settleReorg } from "./settle-reorg.ts";
import { writeBlocks } from "./write-blocks.ts";

/**
 * Puts what a block holds of one wallet and asset in the place of what is written of it. What is written and is not in the
 * block is taken back as after a reorganisation: pending becomes dropped; completed becomes reversed, which is notified.
 * What was missing becomes an ordinary transaction, and what waited for its proof waits no longer. Answers `moved`, and
 * writes nothing, where the block is not the stored one, above the position, or a reorganisation is being replayed. Safe to
 * repeat.
 */
export async function replaceRead(db: Database, read: ReadAgain): Promise<ReplaceOutcome> {
  const { chainName, header, walletId, assetId, matched } = read;
  return inTransaction(db, async (tx) => {
    const chain = await lockChain(tx, chainName);
    const { position, confirmedNumber, settleNumber } = chain;
    if (settleNumber !== null || position === null || position.number < header.number)
      return { kind: "moved" };
    if (await hasLeftChain(tx, chainName, header)) return { kind: "moved" };
    const identities = arrayLiteral(matched.map(({ identity }) => identity));
    await tx.$executeRaw`
      UPDATE transaction SET unproven = false, orphaned = NOT (identity = ANY(${identities}::text[]))
      WHERE chain_name = ${chainName} AND block_number = ${header.number} AND block_hash = ${header.hash}
        AND wallet_id = ${walletId}::uuid AND asset_id = ${assetId} AND status IN (${onChainStatuses})
        AND NOT orphaned AND NOT is_history AND type NOT IN (${correctionTypes})`;
    const { dropped, reversed, ...taken } = await settleReorg(tx, chainName);
    const written = await writeBlocks(tx, {
      chain,
      blocks: [{ header, matched }],
      confirmTo: confirmedNumber,
      notifiesPending: true,
      settles: false,
    });
    const { confirmed } = written;
    const notified = taken.notified + written.notified;
    return { kind: "replaced", dropped, reversed, confirmed, notified };
  });
}
