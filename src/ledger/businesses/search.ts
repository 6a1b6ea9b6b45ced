import { type Found, maxFound, type Search } from "../../domain/business/search.ts";
import { partsOfShortened, type ShortenedHash } from "../../domain/chain/shortened-hash.ts";
import { isId } from "../../domain/id.ts";
import { notifiedTypes } from "../../domain/money/transaction.ts";
import { type WrittenAmount, writtenAmountIn } from "../../domain/money/written-amount.ts";
import { Prisma } from "../generated/client.ts";
import { asSearch } from "../postgres/as-search.ts";
import type { Database } from "../postgres/database.ts";
import { hasPart } from "../postgres/has-part.ts";
import { addressHasParts, hashHasParts, isHash } from "../postgres/shortened-hash.ts";
import { words } from "../postgres/words.ts";

/** A search of a business reads at most this many rows of one column. */
const mostRead = 500;

/** Parts of texts are searched in this many of a business's wallets: the newest. */
export const mostScanned = 20_000;

/** Fewer characters match only the beginning of a text: as a part they are in half of all texts. */
const leastPart = 3;

/**
 * Finds what a text names, of one business or for the operator of all. The text may be:
 * - a transaction hash or an address, also shortened as lists show it;
 * - an id;
 * - an amount with its asset;
 * - the number of a notification, as in `No. 4`;
 * - a part of a reference, a label or a name, of at least three characters, or the beginning of
 *   one.
 *
 * Within a business an index finds all of these except parts, which are searched in the newest
 * 20,000 wallets. An operator's search of texts reads all wallets, keys, businesses and chains.
 * @throws Fault `invalid_request` if the search takes too long
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
  const amount = writtenAmountIn(text);
  const number = shownNumber.exec(text)?.[1];
  return [
    ...(amount === null ? [] : [transactionsOfAmount(amount, businessId)]),
    ...(number === undefined ? [] : [notificationsOfNumber(number, businessId)]),
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

/** The ids of the businesses that a search looks in, one by one. */
const ownersOf = (businessId: string | null): Prisma.Sql =>
  businessId === null
    ? Prisma.sql`(SELECT id FROM business)`
    : Prisma.sql`(SELECT ${businessId}::uuid AS id)`;

function transactions(isIt: Prisma.Sql, isOurs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT 'transaction' AS kind, t.id, t.tx_hash AS label,
      concat_ws(' ', t.type, t.status, t.chain_name) AS detail, t.business_id AS "businessId"
    FROM transaction t WHERE ${isIt} AND ${isOurs} ORDER BY t.id DESC ${most}`;
}

/**
 * The newest transactions of an amount, without corrections and fees. The index is by business,
 * asset and amount, so an operator's search looks once for each business.
 */
export function transactionsOfAmount(
  { amount, code }: WrittenAmount,
  businessId: string | null,
): Prisma.Sql {
  return Prisma.sql`
    SELECT 'transaction' AS kind, t.id, t.tx_hash AS label,
      concat_ws(' ', t.type, t.status, t.chain_name) AS detail, t.business_id AS "businessId"
    FROM asset a CROSS JOIN ${ownersOf(businessId)} b CROSS JOIN LATERAL (
      SELECT * FROM transaction t
      WHERE t.business_id = b.id AND t.asset_id = a.id AND t.type IN (${words(notifiedTypes)})
        AND t.amount = ${amount}::numeric * power(10::numeric, a.decimals)
      ORDER BY t.amount DESC, t.id DESC ${most}
    ) t
    WHERE upper(a.code) = upper(${code}) ORDER BY t.id DESC ${most}`;
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
 * A business's wallets with a text that begins with `text` or contains it. For beginnings, an index
 * gives at most 500 rows of each column, in the order of the texts. The newest of these are found.
 * Other parts are searched in the newest wallets, until enough are found.
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

/** The number of a notification in its stream as the console shows it, in English or German. */
const shownNumber = /^n[or]\.?\s*(\d{1,18})$/;

/**
 * The newest notifications with this number in the stream of a chain. The index is by business and
 * chain, so an operator's search looks once for each business.
 */
function notificationsOfNumber(number: string, businessId: string | null): Prisma.Sql {
  return Prisma.sql`
    SELECT 'notification' AS kind, n.id, n.event AS label, concat_ws(' ', n.chain_name, n.sequence) AS detail,
      n.business_id AS "businessId"
    FROM ${ownersOf(businessId)} b CROSS JOIN chain c CROSS JOIN LATERAL (
      SELECT * FROM notification n
      WHERE n.business_id = b.id AND n.chain_name = c.name AND n.sequence = ${number}::bigint OFFSET 0
    ) n ORDER BY n.created_at DESC, n.id DESC ${most}`;
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
