import { Prisma } from "../generated/client.ts";
import { onChainStatuses } from "./transaction-words.ts";

/**
 * The first and the last four characters of an address, without 0x, as transaction_paid_idx has
 * them.
 */
const endsOf = (address: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(substr(${address}, 3, 4) || right(${address}, 4))`;

/** A look reads at most this many payments of a wallet to addresses with the same ends. */
const mostLookedAt = 20;

/**
 * The address that the sender of a transfer to a wallet imitates. It is the first one with the same
 * ends that the wallet paid before. NULL: there is none. A sender that the wallet had paid twenty
 * times by then imitates nobody. `row` names a transfer with the columns `id`, `wallet_id` and
 * `from_address`.
 *
 * It is computed and not stored, so a payment that left the chain does not count. It reads one
 * entry of the index, or none for a wallet that has paid nobody. Where the wallet has paid the
 * sender itself, it reads twenty entries at most. Two wallets may have paid each other many times.
 */
export function lookalikeOf(row: "t" | "s"): Prisma.Sql {
  const of = (column: string) => Prisma.raw(`${row}.${column}`);
  return Prisma.sql`(
    SELECT paid.to_address FROM (
      SELECT p.id, p.to_address FROM transaction p
      WHERE p.wallet_id = ${of("wallet_id")} AND p.type = 'withdrawal' AND ${endsOf(Prisma.sql`p.to_address`)} = ${endsOf(of("from_address"))}
        AND p.id < ${of("id")} AND p.status IN (${onChainStatuses}) AND NOT p.orphaned
      ORDER BY p.id LIMIT ${mostLookedAt}
    ) paid WHERE paid.to_address <> ${of("from_address")} ORDER BY paid.id LIMIT 1)`;
}
