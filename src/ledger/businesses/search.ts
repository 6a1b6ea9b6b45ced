import { type Found, maxFound, type Search } from "../../domain/business/search.ts";
import { partsOfShortened, type ShortenedHash } from "../../domain/chain/shortened-hash.ts";
import { isId } from "../../domain/id.ts";
import { Prisma } from "../generated/client.ts";
import { asSearch } from "../postgres/as-search.ts";
import type { Database } from "../postgres/database.ts";
import { hasPart } from "../postgres/has-part.ts";
import { addressHasParts, hashHasParts, isHash } from "../postgres/shortened-hash.ts";

/** The rows of one column that a search of a business looks at, at most. */
const mostRead = 500;

/** The wallets of a business in whose texts a part is looked for: the newest ones. */
export const mostScanned = 20_000;

/** The fewest characters of a part: fewer are in half of all texts. */
const leastPart = 3;

/**
 * Finds the things that a text names. The text is the hash of a transaction, an address or an id,
 * or a part of a reference, a label or a name. A hash and an address may be shortened, as lists
 * show them. An index finds each of them for a business, and the beginning of a text. A part has
 * three characters at least, and is looked for in the newest 20,000 wallets of a business. For an
 * operator other texts are looked for among all wallets, keys, businesses and chains.
 * @throws Fault `invalid_request` where that takes too long
 */
export async function search(db: Database, { businessId, text }: Search): Promise<Found[]> {
  const lower = text.trim().toLowerCase();
  return asSearch(db, async (tx) => {
    const found: Found[] = [];
    for (const sql of questionsOf(lower, businessId))
      found.push(...(await tx.$queryRaw<Found[]>`${sql}`));
    return found;
  });
}

function questionsOf(text: string, businessId: string | null): Prisma.Sql[] {
  const of = (table: string) =>
    businessId === null
      ? Prisma.sql`true`
      : Prisma.sql`${Prisma.raw(table)}.business_id = ${businessId}::uuid`;
  if (/^0x[0-9a-f]{64}$/.test(text))
    return [
      transactions(isHash(Prisma.sql`t.tx_hash`, Prisma.sql`${text}::text`), of("t")),
      sightings(isHash(Prisma.sql`s.tx_hash`, Prisma.sql`${text}::text`), of("s")),
    ];
  if (/^0x[0-9a-f]{40}$/.test(text))
    return [
      wallets(Prisma.sql`(w.chain_name, w.address) IN (SELECT name, ${text} FROM chain)`, of("w")),
    ];
  if (isId(text)) {
    const isIt = (column: string) => Prisma.sql`${Prisma.raw(column)} = ${text}::uuid`;
    return [
      transactions(isIt("t.id"), of("t")),
      sightings(isIt("s.id"), of("s")),
      wallets(isIt("w.id"), of("w")),
      notifications(isIt("n.id"), of("n")),
      keys(isIt("k.id"), of("k")),
      ...(businessId === null ? [businesses(isIt("b.id"))] : []),
    ];
  }
  const shortened = partsOfShortened(text);
  if (shortened !== null) return shortenedOf(shortened, businessId, of);
  const begins = (column: string) => Prisma.sql`starts_with(lower(${Prisma.raw(column)}), ${text})`;
  const named = text.length < leastPart ? begins : (column: string) => hasPart(column, text);
  const isAny = (...conditions: Prisma.Sql[]) => Prisma.sql`(${Prisma.join(conditions, " OR ")})`;
  return [
    businessId === null
      ? wallets(isAny(named("w.reference"), named("w.label"), begins("w.address")), of("w"))
      : walletsNamed(text, businessId),
    keys(isAny(named("k.label"), begins("k.prefix")), of("k")),
    ...(businessId === null ? [businesses(named("b.name")), chains(named("c.name"))] : []),
  ];
}

function shortenedOf(
  parts: ShortenedHash,
  businessId: string | null,
  of: (table: string) => Prisma.Sql,
): Prisma.Sql[] {
  return [
    transactions(hashHasParts(Prisma.sql`t.tx_hash`, parts), of("t")),
    sightings(hashHasParts(Prisma.sql`s.tx_hash`, parts), of("s")),
    parts.end === "" && businessId !== null
      ? walletsNamed(`0x${parts.begin}`, businessId)
      : wallets(addressHasParts(Prisma.sql`w.address`, parts), of("w")),
  ];
}

const most = Prisma.raw(`LIMIT ${maxFound}`);

function transactions(isIt: Prisma.Sql, isOurs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT 'transaction' AS kind, t.id, t.tx_hash AS label,
      concat_ws(' ', t.type, t.status, t.chain_name) AS detail, t.business_id AS "businessId"
    FROM transaction t WHERE ${isIt} AND ${isOurs} ORDER BY t.id DESC ${most}`;
}

function sightings(isIt: Prisma.Sql, isOurs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT 'sighting' AS kind, s.id, s.tx_hash AS label,
      concat_ws(' ', s.contract, s.chain_name) AS detail, s.business_id AS "businessId"
    FROM sighting s WHERE ${isIt} AND ${isOurs} ORDER BY s.id DESC ${most}`;
}

const shownWallet = Prisma.sql`'wallet' AS kind, w.id,
  coalesce(w.label, w.reference, w.address) AS label,
  concat_ws(' ', w.address, w.chain_name) AS detail, w.business_id AS "businessId"`;

function wallets(isIt: Prisma.Sql, isOurs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ${shownWallet}
    FROM wallet w WHERE w.removed_at IS NULL AND ${isIt} AND ${isOurs} ORDER BY w.id DESC ${most}`;
}

/**
 * A business's wallets with a text that begins so, or has this in it. For beginnings each column
 * has an index in the order of its texts, and no more of it is read than a bounded number of rows.
 * Where more begin so, the newest of the first ones in that order are found. Other parts are looked
 * for in the newest wallets, until enough are found.
 */
export function walletsNamed(text: string, businessId: string): Prisma.Sql {
  const pattern = `${text.replace(/[\\%_]/g, "\\$&")}%`;
  const isOurs = Prisma.sql`w.business_id = ${businessId}::uuid AND w.removed_at IS NULL`;
  const beginning = ["address", "reference", "label"].map((name) => {
    const column = Prisma.raw(`lower(w.${name})`);
    return Prisma.sql`(SELECT w.* FROM wallet w
      WHERE ${isOurs} AND ${Prisma.raw(`w.${name}`)} IS NOT NULL AND ${column} LIKE ${pattern}
      ORDER BY ${column} USING ~<~ LIMIT ${Prisma.raw(String(mostRead))})`;
  });
  const withPart = Prisma.sql`(SELECT w.* FROM (
      SELECT w.* FROM wallet w WHERE ${isOurs} ORDER BY w.id DESC LIMIT ${Prisma.raw(String(mostScanned))}
    ) w WHERE ${hasPart("w.reference", text)} OR ${hasPart("w.label", text)} ORDER BY w.id DESC ${most})`;
  const branches = text.length < leastPart ? beginning : [...beginning, withPart];
  return Prisma.sql`
    SELECT ${shownWallet} FROM (${Prisma.join(branches, " UNION ")}) w ORDER BY w.id DESC ${most}`;
}

function notifications(isIt: Prisma.Sql, isOurs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT 'notification' AS kind, n.id, n.event AS label, n.id::text AS detail, n.business_id AS "businessId"
    FROM notification n WHERE ${isIt} AND ${isOurs} ${most}`;
}

function keys(isIt: Prisma.Sql, isOurs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT 'key' AS kind, k.id, coalesce(k.label, k.prefix) AS label,
      concat_ws(' ', k.prefix, CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' END) AS detail,
      k.business_id AS "businessId"
    FROM api_key k WHERE ${isIt} AND ${isOurs} ORDER BY k.id DESC ${most}`;
}

function businesses(isIt: Prisma.Sql): Prisma.Sql {
  return Prisma.sql` SELECT 'business' AS kind, b.id, b.name AS label,
CASE WHEN b.suspended_at IS NOT NULL THEN 'suspended' WHEN b.verified_at IS NULL THEN 'not verified' ELSE 'verified' END
AS detail, b.id AS "businessId" FROM business b WHERE ${isIt} ORDER BY b.id DESC ${most}`;
}

function chains(isIt: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT 'chain' AS kind, c.name AS id, c.name AS label, 'chain id ' || c.evm_chain_id AS detail, NULL AS "businessId"
    FROM chain c WHERE ${isIt} ORDER BY c.name ${most}`;
}
