import { partsOfShortened, type ShortenedHash } from "../../domain/chain/shortened-hash.ts";
import { Prisma } from "../generated/client.ts";

// All hashes have as many digits, in lower case: every collation sorts them alike.
const hashDigits = 64;

/** A column of hashes has one with these parts. An index of the column finds it. */
export function hashHasParts(column: Prisma.Sql, { begin, end }: ShortenedHash): Prisma.Sql {
  const [least, greatest] = ["0", "f"].map((digit) => `0x${begin.padEnd(hashDigits, digit)}`);
  return Prisma.sql`${column} BETWEEN ${least} AND ${greatest} AND ${endsSo(column, end)}`;
}

/** A column of hashes has this one, or one that is shortened so. */
export function hashIs(column: Prisma.Sql, hash: string): Prisma.Sql {
  const parts = partsOfShortened(hash);
  return parts === null ? Prisma.sql`${column} = ${hash}` : hashHasParts(column, parts);
}

/** A column of addresses has one with these parts. */
export function addressHasParts(column: Prisma.Sql, { begin, end }: ShortenedHash): Prisma.Sql {
  return Prisma.sql`starts_with(${column}, ${`0x${begin}`}) AND ${endsSo(column, end)}`;
}

function endsSo(column: Prisma.Sql, end: string): Prisma.Sql {
  return Prisma.sql`right(${column}, ${end.length}::int) = ${end}`;
}
