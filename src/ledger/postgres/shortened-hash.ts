import { partsOfShortened, type ShortenedHash } from "../../domain/chain/shortened-hash.ts";
import { Prisma } from "../generated/client.ts";

// All hashes have the same length and are in lower case, so every collation sorts them alike.
const hashDigits = 64;

/**
 * The indexes of hashes hold this many characters of each, 0x included. Of a hundred million hashes
 * about one pair has the same beginning. The row itself is compared with the rest.
 */
const indexedLength = 15;

/** The part of a hash that its index holds. */
const indexed = (hash: Prisma.Sql) =>
  Prisma.sql`left(${hash}, ${Prisma.raw(String(indexedLength))})`;

/** Condition: the column of hashes is this hash, an SQL text. The column's index serves it. */
export const isHash = (column: Prisma.Sql, hash: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`${indexed(column)} = ${indexed(hash)} AND ${column} = ${hash}`;

/** Condition: the hash in the column has this beginning and end. The column's index serves it. */
export function hashHasParts(column: Prisma.Sql, { begin, end }: ShortenedHash): Prisma.Sql {
  const [least, greatest] = ["0", "f"].map((digit) =>
    `0x${begin.padEnd(hashDigits, digit)}`.slice(0, indexedLength),
  );
  return Prisma.sql`${indexed(column)} BETWEEN ${least} AND ${greatest}
    AND starts_with(${column}, ${`0x${begin}`}) AND ${endsSo(column, end)}`;
}

/** Condition: the hash in the column is this one, or matches it if it is shortened. */
export function hashIs(column: Prisma.Sql, hash: string): Prisma.Sql {
  const parts = partsOfShortened(hash);
  return parts === null ? isHash(column, Prisma.sql`${hash}::text`) : hashHasParts(column, parts);
}

/** Condition: the address in the column has this beginning and end. */
export function addressHasParts(column: Prisma.Sql, { begin, end }: ShortenedHash): Prisma.Sql {
  return Prisma.sql`starts_with(${column}, ${`0x${begin}`}) AND ${endsSo(column, end)}`;
}

function endsSo(column: Prisma.Sql, end: string): Prisma.Sql {
  return Prisma.sql`right(${column}, ${end.length}::int) = ${end}`;
}
