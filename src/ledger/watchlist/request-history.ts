import { requireFound } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import type { HistoryProgress } from "../../domain/watch/history.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";

/**
 * Asks for a wallet's history from a block on. A second call extends it to the lower of both
 * blocks, and keeps what was read. So it is safe to repeat.
 * @throws Fault `wallet_not_found`; `invalid_request` if the chain has not reached that block
 */
export async function requestHistory(
  tx: Tx,
  asked: { walletId: string; fromNumber: bigint },
): Promise<{ walletId: string; fromNumber: bigint }> {
  const { walletId, fromNumber } = asked;
  // The lock keeps the wallet from ending before its history is stored.
  const rows = await tx.$queryRaw<{ chainName: string }[]>`
    SELECT chain_name AS "chainName" FROM wallet WHERE id = ${walletId}::uuid AND removed_at IS NULL FOR SHARE`;
  const { chainName } = requireFound(rows[0], "wallet_not_found");
  await requireReached(tx, [{ chainName, fromNumber }]);
  await insertHistories(tx, [asked]);
  const row = await tx.history.findUniqueOrThrow({ where: { walletId } });
  return { walletId, fromNumber: row.fromNumber };
}

/**
 * Reads the progress of a history that was asked for.
 * @throws Fault `wallet_not_found`
 */
export async function readHistoryProgress(
  db: Database,
  walletId: string,
): Promise<HistoryProgress> {
  const rows = await statementsOf(db).$queryRaw<HistoryProgress[]>`
    SELECT w.chain_name AS "chainName", h.from_number AS "fromNumber", h.next_number AS "nextNumber", h.verdict,
      CASE r.reading #>> '{held,what}' WHEN 'history' THEN (r.reading #>> '{held,number}')::bigint END AS "heldAt",
      COALESCE((SELECT max(c.position_number) FROM balance b JOIN watch_change c ON c.id = b.since_change_id
        JOIN asset a ON a.id = b.asset_id AND a.configured WHERE b.wallet_id = w.id), -1) AS "untilNumber"
    FROM history h JOIN wallet w ON w.id = h.wallet_id AND w.removed_at IS NULL
      LEFT JOIN chain_reading r ON r.chain_name = w.chain_name
    WHERE w.id = ${walletId}::uuid`;
  return requireFound(rows[0], "wallet_not_found");
}

/** @throws Fault `invalid_request` */
export async function requireReached(
  tx: Tx,
  asked: readonly { chainName: string; fromNumber: bigint }[],
): Promise<void> {
  const chains = await tx.chain.findMany({ select: { name: true, positionNumber: true } });
  const positions = new Map(chains.map((row) => [row.name, row.positionNumber ?? -1n]));
  for (const { chainName, fromNumber } of asked) {
    const position = positions.get(chainName) ?? -1n;
    if (fromNumber <= position) continue;
    const rule = `must not be after the last block of '${chainName}'`;
    const values = { chain: chainName };
    if (position < 0n)
      throw invalidField("from_block", `${rule}: it has not started`, {
        code: "not_started",
        values,
      });
    throw invalidField("from_block", `${rule}: it is at ${position}`, {
      code: "not_reached",
      values: { ...values, position: String(position) },
    });
  }
}

/**
 * Histories begin at block 1 at the earliest. Block 0 has no transactions, and its balances came
 * from nowhere.
 */
export async function insertHistories(
  tx: Tx,
  asked: readonly { walletId: string; fromNumber: bigint }[],
): Promise<void> {
  if (asked.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO history AS h (wallet_id, chain_name, from_number, next_number)
    SELECT w.id, w.chain_name, GREATEST(n, 1), GREATEST(n, 1)
    FROM unnest(${asked.map(({ walletId }) => walletId)}::uuid[],
        ${asked.map(({ fromNumber }) => fromNumber)}::bigint[]) AS r(id, n)
      JOIN wallet w ON w.id = r.id
    ON CONFLICT (wallet_id) DO UPDATE SET from_number = LEAST(h.from_number, EXCLUDED.from_number),
      next_number = LEAST(h.next_number, EXCLUDED.next_number), verdict = NULL`;
}
