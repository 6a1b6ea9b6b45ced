import pg from "pg";

/**
 * Writes a journal of `count` confirmed deposits of one asset, by PostgreSQL itself: the wallets of
 * the business have one each in turn. The chain has confirmed all of them. Only into a ledger
 * without transactions.
 */
export async function insertBulkJournal(journal: {
  databaseUrl: string;
  businessId: string;
  chainName: string;
  assetCode: string;
  count: number;
}): Promise<void> {
  const { databaseUrl, businessId, chainName, assetCode, count } = journal;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // What refers to a row exists, and a balance is no part of the journal: no trigger runs.
    await client.query("SET session_replication_role = replica");
    await client.query(
      `INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount,
        status, tx_hash, from_address, to_address, block_number, block_hash, block_time, completed_at, ordinal, usd_value)
      SELECT (lpad(to_hex(1735689600000 + i), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid, decode(h || reverse(h), 'hex'),
        $1, $2::uuid, w.id, (SELECT id FROM asset WHERE chain_name = $1 AND code = $3), 'deposit', 'in', 10 ^ 15 + i,
        'completed', '0x' || h || reverse(h), '0x' || substr(h, 1, 20) || substr(h, 5, 20), w.address, 1 + i / 100,
        '0x' || reverse(h) || h, to_timestamp(1735689600 + i), to_timestamp(1735689600 + i), 0, 2.5
      FROM (SELECT i, md5(i::text) AS h FROM generate_series(0, $4::int - 1) i OFFSET 0) n
        JOIN (
          SELECT id, address, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS wallets
          FROM wallet WHERE business_id = $2::uuid AND chain_name = $1
        ) w ON w.place = i % w.wallets`,
      [chainName, businessId, assetCode, count],
    );
    await client.query(
      `INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, id, 'confirmation', amount, block_number FROM transaction ORDER BY id`,
    );
    await client.query(
      `INSERT INTO ledger_seal (chain_name, number, entry_ids, digests, previous_hash, hash)
      SELECT $1, 1, ARRAY[max(id)], decode(repeat('00', 32), 'hex'), repeat('0', 64), repeat('1', 64) FROM ledger_entry`,
      [chainName],
    );
    await client.query(
      `UPDATE chain SET position_number = $2, head_number = $2, confirmed_number = $2,
        position_hash = '0x' || repeat('c', 64), position_time = now() WHERE name = $1`,
      [chainName, count],
    );
    await client.query(
      `INSERT INTO block (chain_name, number, hash, parent_hash, time)
      SELECT name, confirmed_number, position_hash, position_hash, '2026-01-01' FROM chain WHERE name = $1`,
      [chainName],
    );
    await client.query("VACUUM ANALYZE");
  } finally {
    await client.end();
  }
}
