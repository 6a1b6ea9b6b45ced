import type { WrittenMovement, WrittenOf } from "../../domain/watch/commit.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { correctionTypes, onChainStatuses } from "./transaction-words.ts";

/**
 * Reads the written movements of some balances in blocks above `since` and up to `to`, inclusive,
 * in the order of execution.
 */
export async function readWritten(db: Database, asked: WrittenOf): Promise<WrittenMovement[]> {
  const { chainName, since, to, balances } = asked;
  const walletIds = balances.map(({ walletId }) => walletId);
  const assetIds = balances.map(({ assetId }) => assetId);
  const rows = await statementsOf(db).$queryRaw<
    (Omit<WrittenMovement, "signedAtomic"> & { signed: string })[]
  >`
    SELECT encode(t.identity, 'hex') AS identity, t.wallet_id AS "walletId", t.asset_id AS "assetId", t.block_number AS "blockNumber",
      t.block_hash AS "blockHash", t.tx_hash AS "txHash", t.unproven AS "isUnproven",
      (CASE t.direction WHEN 'in' THEN t.amount ELSE -t.amount END)::text AS signed
    FROM transaction t JOIN unnest(${walletIds}::uuid[], ${assetIds}::int[]) AS r(wallet_id, asset_id)
      ON r.wallet_id = t.wallet_id AND r.asset_id = t.asset_id
    WHERE t.chain_name = ${chainName} AND t.block_number > ${since} AND t.block_number <= ${to}
      AND t.status IN (${onChainStatuses}) AND NOT t.orphaned AND NOT t.is_history
      AND t.type NOT IN (${correctionTypes})
    ORDER BY t.block_number, t.ordinal`;
  return rows.map(({ signed, ...row }) => ({ ...row, signedAtomic: BigInt(signed) }));
}
