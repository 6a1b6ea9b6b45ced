import type { Hash, Position } from "../../domain/chain/block.ts";
import { nilId } from "../../domain/id.ts";
import {
  type ChangeCursor,
  type ProvenChange,
  sumsOf,
  type WaitingChange,
  type WaitingChanges,
} from "../../domain/money/balance-change.ts";
import { lockChain } from "../chain/chain-state.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf, type TxStatements } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import type { IdSource } from "../transactions/transaction-row.ts";
import { correctionTypes, onChainStatuses } from "../transactions/transaction-words.ts";
import { writeBlocks } from "./write-blocks.ts";

/** Sorts before every change. */
const start: ChangeCursor = {
  block: { number: -1n, hash: "0x" },
  walletId: nilId,
  assetId: 0,
};

/**
 * Reads at most `limit` wallets and blocks after `after` whose movements of the coin wait for their
 * proof, oldest first. Each has the sum of all its movements.
 */
export async function readUnproven(
  db: Database,
  chainName: string,
  page: { after: ChangeCursor | null; limit: number },
): Promise<WaitingChanges> {
  const { after, limit } = page;
  const { block, walletId, assetId } = after ?? start;
  const rows = await statementsOf(db).$queryRaw<
    (Omit<WaitingChange, "block" | "sumAtomic" | "stepsAtomic"> &
      Position & { amounts: string[]; hashes: Hash[] })[]
  >`
    WITH waiting AS (
      SELECT DISTINCT block_number, block_hash, wallet_id, asset_id FROM transaction
      WHERE chain_name = ${chainName} AND unproven AND status = 'pending' AND NOT orphaned
        AND block_number >= ${block.number} AND (block_number, block_hash, wallet_id, asset_id)
          > (${block.number}, ${block.hash}, ${walletId}::uuid, ${assetId})
      ORDER BY block_number, block_hash, wallet_id, asset_id LIMIT ${limit}
    )
    SELECT s.wallet_id AS "walletId", w.address AS "walletAddress", w.business_id AS "businessId", w.purpose,
      s.asset_id AS "assetId", a.kind AS "assetKind", s.block_number AS number, s.block_hash AS hash, t.amounts, t.hashes, t.identities, t."isOnlyTraced"
    FROM waiting s JOIN wallet w ON w.id = s.wallet_id JOIN asset a ON a.id = s.asset_id CROSS JOIN LATERAL (
      SELECT array_agg((CASE t.direction WHEN 'in' THEN t.amount ELSE -t.amount END)::text ORDER BY t.ordinal) AS amounts,
        array_agg(t.tx_hash ORDER BY t.ordinal) AS hashes,
        array_agg(encode(t.identity, 'hex')) AS identities,
        bool_or(t.trace_path IS NOT NULL AND COALESCE(t.proof, 'answered') = 'answered') AS "isOnlyTraced"
      FROM transaction t
      WHERE t.chain_name = ${chainName} AND t.block_number = s.block_number AND t.block_hash = s.block_hash
        AND t.wallet_id = s.wallet_id AND t.asset_id = s.asset_id AND t.status IN (${onChainStatuses})
        AND NOT t.orphaned AND t.type NOT IN (${correctionTypes})
    ) t ORDER BY s.block_number, s.block_hash, s.wallet_id, s.asset_id`;
  const changes = rows.map(({ number, hash, amounts, hashes, ...row }) => ({
    ...row,
    block: { number, hash },
    ...sumsOf(
      hashes.map((txHash, place) => ({ txHash, signedAtomic: BigInt(amounts[place] ?? "") })),
    ),
  }));
  const last = changes.at(-1);
  const isMore = last !== undefined && changes.length === limit;
  const next = isMore
    ? { block: last.block, walletId: last.walletId, assetId: last.assetId }
    : null;
  return { changes, next };
}

/**
 * Ends the wait of the movements that were judged. They become confirmed if their block is.
 * Internal transfers that two hosts show are marked as agreed. A movement that has left its block
 * since then stays unchanged, and one that was added since then still waits. Safe to repeat.
 */
export async function acceptProven(
  db: Database,
  chainName: string,
  changes: readonly ProvenChange[],
): Promise<{
  accepted: number;
  confirmed: number;
  confirmedIds: readonly string[];
  notified: number;
}> {
  return inTransaction(db, async (tx) => acceptIn(tx, await lockChain(tx, chainName), changes));
}

type Accepted = Awaited<ReturnType<typeof acceptProven>>;

/** As acceptProven, in a transaction that holds the chain's lock. */
export async function acceptIn(
  tx: TxStatements,
  state: IdSource & Pick<Awaited<ReturnType<typeof lockChain>>, "confirmedNumber">,
  changes: readonly ProvenChange[],
): Promise<Accepted> {
  const judged = changes.flatMap(({ identities, ...change }) =>
    identities.map((identity) => ({ ...change, identity })),
  );
  const accepted = await tx.$executeRaw`
      UPDATE transaction t SET unproven = false, confirmed_alone = t.confirmed_alone OR r.is_alone,
        proof = CASE WHEN r.is_agreed AND t.trace_path IS NOT NULL AND t.proof = 'answered' THEN 'agreed' ELSE t.proof END
      FROM unnest(${judged.map(({ identity }) => identity)}::text[],
        ${judged.map(({ blockHash }) => blockHash)}::text[],
        ${judged.map(({ isAgreed }) => isAgreed)}::boolean[],
        ${judged.map(({ isAlone }) => isAlone)}::boolean[]) AS r(identity, block_hash, is_agreed, is_alone)
      WHERE t.chain_name = ${state.name} AND t.unproven AND t.status = 'pending'
        AND t.identity = decode(r.identity, 'hex') AND t.block_hash = r.block_hash`;
  if (state.confirmedNumber === null)
    return { accepted, confirmed: 0, confirmedIds: [], notified: 0 };
  const { ids, notified } = await writeBlocks(tx, {
    chain: state,
    blocks: [],
    confirmTo: state.confirmedNumber,
    aloneAbove: null,
    notifiesPending: false,
    settles: null,
  });
  const { confirmed: confirmedIds } = ids;
  return { accepted, confirmed: confirmedIds.length, confirmedIds, notified };
}
