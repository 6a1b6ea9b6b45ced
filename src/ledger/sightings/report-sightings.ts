import type { ReportedSighting, UnreportedSighting } from "../../domain/money/sighting.ts";
import { lockChain } from "../chain/chain-state.ts";
import { type NotifiedSighting, notifySightings } from "../notifications/notify-sightings.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { lookalikeOf } from "../transactions/lookalike.ts";

/** Reads the sightings in confirmed blocks that are not reported yet, oldest first. */
export async function readUnreported(
  db: Database,
  chainName: string,
  limit: number,
): Promise<UnreportedSighting[]> {
  return statementsOf(db).$queryRaw<UnreportedSighting[]>`
    SELECT s.id, s.contract FROM sighting s
    WHERE s.chain_name = ${chainName} AND s.reported_at IS NULL AND NOT s.is_undone
      AND s.block_number <= (SELECT confirmed_number FROM chain WHERE name = ${chainName})
    ORDER BY s.block_number, s.id LIMIT ${limit}`;
}

/**
 * Reports sightings of one chain, with the symbols that their contracts gave, and notifies the
 * webhooks that asked for them. Skips a sighting that was reported or undone in the meantime, or
 * whose block is not confirmed any more. A later reorg changes nothing: a sighting is notified
 * once. Safe to repeat.
 */
export async function reportSightings(
  db: Database,
  chainName: string,
  reported: readonly ReportedSighting[],
): Promise<{ notified: number }> {
  return inTransaction(db, async (tx) => {
    // Until the transaction ends, no block is undone or confirmed.
    const { confirmedNumber } = await lockChain(tx, chainName);
    const rows = await tx.$queryRaw<ReportedRow[]>`
      UPDATE sighting s SET symbol = r.symbol, reported_at = now()
      FROM jsonb_to_recordset(${JSON.stringify(reported)}::jsonb) AS r(id uuid, symbol text), wallet w
      WHERE s.id = r.id AND s.chain_name = ${chainName} AND s.reported_at IS NULL AND NOT s.is_undone
        AND s.block_number <= ${confirmedNumber} AND w.id = s.wallet_id
      RETURNING s.id AS "sightingId", s.business_id AS "businessId", s.chain_name AS "chainName", s.wallet_id AS "walletId",
        w.label, w.reference, s.contract, s.symbol, s.amount::text, s.tx_hash AS "txHash", s.from_address AS "fromAddress",
        s.to_address AS "toAddress", s.block_number AS "blockNumber", s.block_hash AS "blockHash", s.log_index AS "logIndex",
        s.proof, ${lookalikeOf("s")} AS "lookalikeOf"`;
    const sightings = rows
      .map(({ amount, ...row }) => ({ ...row, amountAtomic: BigInt(amount) }))
      .sort((a, b) => (a.sightingId < b.sightingId ? -1 : 1));
    return notifySightings(tx, chainName, sightings);
  });
}

type ReportedRow = Omit<NotifiedSighting, "amountAtomic"> & { amount: string };
