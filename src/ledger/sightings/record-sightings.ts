import type { Position } from "../../domain/chain/block.ts";
import { leastIdAt } from "../../domain/id.ts";
import type { MatchedBlock } from "../../domain/money/matched-transaction.ts";
import { mostSightingsOfDay } from "../../domain/money/sighting.ts";
import { arrayLiteral, byteaArray } from "../postgres/array-literal.ts";
import { prepared } from "../postgres/statement.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import { type IdSource, onceEach, transactionId } from "../transactions/transaction-row.ts";
import { onChainStatuses } from "../transactions/transaction-words.ts";

const dayMs = 24 * 60 * 60_000;

/**
 * Writes the sightings of blocks in one statement, or none if there are no sightings. Each wallet
 * has a limited number of sightings a day. A sighting that a reorg had undone is restored, in its
 * new block. A transfer that is a transaction is no sighting: its token was configured when its
 * block was read before. The caller holds the chain's lock.
 */
export function recordSightings(
  tx: TxStatements,
  chain: IdSource,
  blocks: readonly MatchedBlock[],
): void {
  const found = blocks.flatMap(({ header, sightings = [] }) =>
    sightings.map((sighting) => {
      const { identity } = sighting;
      return { id: transactionId(chain, header, sighting), identity, sighting, header };
    }),
  );
  const rows = onceEach(found);
  if (rows.length === 0) return;
  const column = (read: (row: (typeof rows)[number]) => string | number | bigint) =>
    arrayLiteral(rows.map(read));
  // An id begins with the time of the block: the ids of a day are a range.
  const dayOf = ({ header }: (typeof rows)[number]) => Math.floor(header.timeMs / dayMs);
  const midnight = (day: number) => leastIdAt(new Date(day * dayMs));
  tx.$sendRaw`
    ${prepared} WITH found AS (
      SELECT r.*, EXISTS (SELECT FROM sighting k WHERE k.identity = r.identity) AS is_known
      FROM unnest(${column(({ id }) => id)}::uuid[],
        ${byteaArray(rows.map(({ identity }) => identity))}::bytea[], ${column(({ sighting }) => sighting.businessId)}::uuid[],
        ${column(({ sighting }) => sighting.walletId)}::uuid[], ${column(({ sighting }) => sighting.contract)}::text[],
        ${column(({ sighting }) => sighting.amountAtomic)}::numeric[], ${column(({ sighting }) => sighting.txHash)}::text[],
        ${column(({ sighting }) => sighting.fromAddress)}::text[], ${column(({ sighting }) => sighting.toAddress)}::text[],
        ${column(({ header }) => header.number)}::bigint[], ${column(({ header }) => header.hash)}::text[],
        ${column(({ header }) => new Date(header.timeMs).toISOString())}::timestamptz[],
        ${column(({ sighting }) => sighting.logIndex)}::int[], ${column(({ sighting }) => sighting.proof)}::text[],
        ${column((row) => midnight(dayOf(row)))}::uuid[], ${column((row) => midnight(dayOf(row) + 1))}::uuid[]
      ) AS r(id, identity, business_id, wallet_id, contract, amount, tx_hash, from_address, to_address, block_number,
        block_hash, block_time, log_index, proof, day_begins, day_ends)
      WHERE NOT EXISTS (SELECT FROM transaction t WHERE t.identity = r.identity AND t.status IN (${onChainStatuses}))
    ), placed AS (
      SELECT f.*, row_number() OVER (PARTITION BY f.wallet_id, f.day_begins, f.is_known ORDER BY f.id) AS place FROM found f
    ), kept AS (
      SELECT d.wallet_id, d.day_begins, (
        SELECT count(*) FROM (
          SELECT FROM sighting s WHERE s.wallet_id = d.wallet_id AND s.id >= d.day_begins AND s.id < d.day_ends
          LIMIT ${mostSightingsOfDay}) s
      ) AS count
      FROM (SELECT DISTINCT wallet_id, day_begins, day_ends FROM found) d
    )
    INSERT INTO sighting AS s (id, identity, chain_name, business_id, wallet_id, contract, amount, tx_hash, from_address,
      to_address, block_number, block_hash, block_time, log_index, proof)
    SELECT p.id, p.identity, ${chain.name}, p.business_id, p.wallet_id, p.contract, p.amount, p.tx_hash, p.from_address,
      p.to_address, p.block_number, p.block_hash, p.block_time, p.log_index, p.proof
    FROM placed p JOIN kept k ON k.wallet_id = p.wallet_id AND k.day_begins = p.day_begins
    WHERE p.is_known OR k.count + p.place <= ${mostSightingsOfDay}
    ON CONFLICT (identity) DO UPDATE SET is_undone = false, block_number = EXCLUDED.block_number,
      block_hash = EXCLUDED.block_hash, block_time = EXCLUDED.block_time, log_index = EXCLUDED.log_index,
      proof = EXCLUDED.proof`;
}

/**
 * Restores undone sightings whose blocks are on the branch again. The blocks are not searched for
 * wallets that have ended since.
 * @param tip the end of the branch, whose block need not be stored yet
 */
export async function keepSightings(
  tx: Statements,
  chainName: string,
  tip: Position,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE sighting s SET is_undone = false
    FROM (
      SELECT number, hash FROM block WHERE chain_name = ${chainName}
      UNION ALL SELECT ${tip.number}::bigint, ${tip.hash}
    ) k
    WHERE s.chain_name = ${chainName} AND s.is_undone AND s.block_number = k.number AND s.block_hash = k.hash`;
}

/** Undoes the sightings above a block, because a reorg took their blocks away. */
export async function undoSightings(
  tx: Statements,
  chainName: string,
  above: bigint,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE sighting SET is_undone = true
    WHERE chain_name = ${chainName} AND block_number > ${above} AND NOT is_undone`;
}
