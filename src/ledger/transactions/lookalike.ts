import { Prisma } from "../generated/client.ts";
import { onChainStatuses } from "./transaction-words.ts";

/** As in transaction_paid_idx: the first and the last four characters of an address, without 0x. */
const endsOf = (address: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(substr(${address}, 3, 4) || right(${address}, 4))`;

/**
 * The address that the sender of a transfer to a wallet looks like, and is not: the first one with
 * the same ends that the wallet had paid before. NULL: there is none. `row` names a transfer with
 * the columns `id`, `wallet_id` and `from_address`. It is derived and not kept, so a payment that
 * has left the chain resembles nobody. It reads one entry of the index, and none of a wallet that
 * has paid nobody.
 */
export function lookalikeOf(row: "t" | "s"): Prisma.Sql {
  const of = (column: string) => Prisma.raw(`${row}.${column}`);
  return Prisma.sql`(
    SELECT p.to_address FROM transaction p
    WHERE p.wallet_id = ${of("wallet_id")} AND p.type = 'withdrawal' AND ${endsOf(Prisma.sql`p.to_address`)} = ${endsOf(of("from_address"))}
      AND p.id < ${of("id")} AND p.to_address <> ${of("from_address")} AND p.status IN (${onChainStatuses}) AND NOT p.orphaned
    ORDER BY p.id LIMIT 1)`;
}
