import { partsOfShortened } from "../../domain/chain/shortened-hash.ts";
import { invalidField } from "../../domain/text.ts";
import { Prisma } from "../generated/client.ts";
import { hasPart } from "../postgres/has-part.ts";
import { addressHasParts } from "../postgres/shortened-hash.ts";
import type { Statements } from "../postgres/statements.ts";

/** A text is searched in at most this many wallets. */
export const mostLookedAt = 100_000;

/** The transactions and notifications of at most this many wallets are listed together. */
export const mostNamed = 5_000;

/** `businessId` null: the wallets of all businesses. */
export type WalletsNamed = {
  businessId: string | null;
  named: string;
  chainName: string | undefined;
};

/**
 * Condition on a wallet `w`: its reference or label contains the text, or its address begins with
 * it, in any case. The address may be shortened as lists show it.
 */
export function isNamed(named: string): Prisma.Sql {
  const sought = named.toLowerCase();
  const parts = partsOfShortened(sought);
  const isAddress =
    parts === null
      ? Prisma.sql`starts_with(w.address, ${sought})`
      : addressHasParts(Prisma.sql`w.address`, parts);
  return Prisma.sql`(${isAddress} OR ${hasPart("w.reference", sought)}
    OR ${hasPart("w.label", sought)})`;
}

/**
 * The ids of all wallets that match, removed ones included. The answer is complete or refused.
 * @throws Fault `invalid_request` if more wallets would have to be searched or listed than is
 *   allowed
 */
export async function readNamedWallets(
  tx: Statements,
  { businessId, named, chainName }: WalletsNamed,
): Promise<string[]> {
  const isOurs =
    businessId === null ? Prisma.sql`true` : Prisma.sql`w.business_id = ${businessId}::uuid`;
  const isThere =
    chainName === undefined ? Prisma.sql`true` : Prisma.sql`w.chain_name = ${chainName}`;
  const [found] = await tx.$queryRaw<{ count: bigint; ids: string[] | null }[]>`
    SELECT count(*), array_agg(w.id::text) FILTER (WHERE ${isThere} AND ${isNamed(named)}) AS ids
    FROM (SELECT * FROM wallet w WHERE ${isOurs} LIMIT ${mostLookedAt + 1}) w`;
  const { count = 0n, ids } = found ?? {};
  if (count > mostLookedAt) throw tooMany(businessId);
  if (ids == null) return [];
  if (ids.length > mostNamed) {
    const most = mostNamed.toLocaleString("en");
    const rule = `must have more of the text: it names more than ${most} wallets`;
    throw invalidField("q", rule, { code: "vague", values: { most: mostNamed } });
  }
  return ids;
}

function tooMany(businessId: string | null) {
  const most = mostLookedAt.toLocaleString("en");
  const values = { most: mostLookedAt };
  if (businessId === null) {
    const rule = `must come with one business: there are more than ${most} wallets`;
    return invalidField("q", rule, { code: "one_business", values });
  }
  const rule = `must not be given for a business with more than ${most} wallets: name one wallet_id`;
  return invalidField("q", rule, { code: "one_wallet", values });
}
