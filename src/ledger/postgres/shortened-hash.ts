import { partsOfShortened, type ShortenedHash } from "../../domain/chain/shortened-hash.ts";
import { Prisma } from "../generated/client.ts";

// All hashes have as many digits, in lower case: every collation sorts them alike.
const hashDigits = 64;

/**
 * The indexes of hashes hold so many characters of each, 0x among them. A hundred million hashes
 * have about one pair that shares them. The rest is compared in the rows.
 */
const indexedLength = 15;

/** The part of a hash that the index of its column holds. */
const indexed = (hash: Prisma.Sql) =>
  Prisma.sql`left(${hash}, ${Prisma.raw(String(indexedLength))})`;

/** A column of hashes has this one, a text of SQL. The column's index finds it. */
export const isHash = (column: Prisma.Sql, hash: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`${indexed(column)} = ${indexed(hash)} AND ${column} = ${hash}`;

/** A column of hashes has one with these parts. The column's index finds it. */
export function hashHasParts(column: Prisma.Sql, { begin, end }: ShortenedHash): Prisma.Sql {
  const [least, greatest] = ["0", "f"].map((digit) =>
    `0x${begin.padEnd(hashDigits, digit)}`.slice(0, indexedLength),
  );
  return Prisma.sql`${indexed(column)} BETWEEN ${least} AND ${greatest}
    AND starts_with(${column}, ${`0x${begin}`}) AND ${endsSo(column, end)}`;
}

/** A column of hashes has this one, or one that is shortened so. */
export function hashIs(column: Prisma.Sql, hash: string): Prisma.Sql {
  const parts = partsOfShortened(hash);
  return parts === null ? isHash(column, Prisma.sql`${hash}::text`) : hashHasParts(column, parts);
}

/** A column of addresses has one with these parts. */
export function addressHasParts(column: Prisma.Sql, { begin, end }: ShortenedHash): Prisma.Sql {
  return Prisma.sql`starts_with(${column}, ${`0x${begin}`}) AND ${endsSo(column, end)}`;
}

function endsSo(column: Prisma.Sql, end: string): Prisma.Sql {
  return Prisma.sql`right(${column}, ${end.length}::int) = ${end}`;
}
