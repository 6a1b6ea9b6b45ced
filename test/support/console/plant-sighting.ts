import { idAt } from "../../../src/domain/id.ts";
import { runSql } from "../ledger/databases.ts";

/** The contract of each planted token. */
export const plantedContract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

/**
 * Writes a confirmed transfer of a token that is not configured to the oldest wallet.
 * Development mode has no such token.
 */
export async function plantSighting(
  databaseUrl: string,
  { txHash, symbol }: { txHash: string; symbol: string },
): Promise<void> {
  await runSql(
    databaseUrl,
    `INSERT INTO sighting (id, identity, chain_name, business_id, wallet_id, contract, symbol, amount, tx_hash,
      from_address, to_address, block_number, block_hash, block_time, log_index, proof, reported_at)
    SELECT '${idAt(Date.now())}', uuid_send(gen_random_uuid()), chain_name, business_id, id, lower('${plantedContract}'),
      $$${symbol}$$, 2::numeric ^ 255, '${txHash}', '0x${"a1".repeat(20)}', address, 0, '${txHash}', now(), 0, 'root', now()
    FROM wallet WHERE removed_at IS NULL ORDER BY id LIMIT 1`,
  );
}
