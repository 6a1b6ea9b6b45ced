import type { Sighting, SightingsAsked } from "../../domain/money/sighting.ts";
import { type Page, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { hashIs } from "../postgres/shortened-hash.ts";
import { readRows } from "../postgres/statements.ts";
import { lookalikeOf } from "../transactions/lookalike.ts";

type Row = Omit<Sighting, "amountAtomic"> & { amount: string };

/**
 * A business's matching sightings, newest first by the time of the block in which they were first
 * seen.
 */
export async function readSightings(
  db: Database,
  { businessId, filter, page }: SightingsAsked,
): Promise<Page<Sighting>> {
  const { chainName, walletId, contract, txHash, from, to } = filter;
  const where = [Prisma.sql`s.business_id = ${businessId}::uuid`];
  if (chainName !== undefined) where.push(Prisma.sql`s.chain_name = ${chainName}`);
  if (walletId !== undefined) where.push(Prisma.sql`s.wallet_id = ${walletId}::uuid`);
  if (contract !== undefined) where.push(Prisma.sql`s.contract = ${contract}`);
  if (txHash !== undefined) where.push(hashIs(Prisma.sql`s.tx_hash`, txHash));
  if (from !== undefined) where.push(Prisma.sql`s.block_time >= ${from}`);
  if (to !== undefined) where.push(Prisma.sql`s.block_time < ${to}`);
  if (page.afterId !== null) where.push(Prisma.sql`s.id < ${page.afterId}::uuid`);
  const rows = await readRows<Row>(
    db,
    Prisma.sql`
      SELECT s.id, s.chain_name AS "chainName", s.business_id AS "businessId", s.wallet_id AS "walletId", s.contract,
        s.symbol, s.amount::text, s.tx_hash AS "txHash", s.from_address AS "fromAddress", s.to_address AS "toAddress",
        w.reference, w.label, s.block_number AS "blockNumber", s.block_time AS "blockTime", s.log_index AS "logIndex", s.proof,
        ${lookalikeOf("s")} AS "lookalikeOf",
        CASE WHEN s.is_undone THEN 'dropped'
          WHEN s.block_number <= (SELECT c.confirmed_number FROM chain c WHERE c.name = s.chain_name) THEN 'confirmed'
          ELSE 'pending' END AS status
      FROM sighting s JOIN wallet w ON w.id = s.wallet_id WHERE ${Prisma.join(where, " AND ")} ORDER BY s.id DESC LIMIT ${page.limit + 1}`,
  );
  return toPage(
    rows.map(({ amount, ...row }) => ({ ...row, amountAtomic: BigInt(amount) })),
    page.limit,
  );
}
