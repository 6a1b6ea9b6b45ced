import type { StreamPlace } from "../../domain/delivery/stream.ts";
import type { Interested } from "../../domain/webhook/interest.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements } from "../postgres/statements.ts";
import type { MovedRow } from "../transactions/transaction-row.ts";

/** The facts that a notification needs beside its transaction. */
export type NotificationNames = {
  /** The webhooks of each business that has any. */
  webhooks: Map<string, Interested[]>;
  /** The business's own name for a wallet, by wallet, for wallets that have one. */
  references: Map<string, string>;
  assets: Map<number, { code: string; decimals: number }>;
  /** Assets that were left out of the configuration: nobody is notified of them. */
  leftAssets: Set<number>;
  /** Notifications that are written already, see `stateKey`. */
  written: Set<string>;
  /** The newest place of each stream of the chain, by business; none where it has none. */
  places: Map<string, StreamPlace>;
  /** The key that ids are derived with, see domain/derived-id.ts. */
  idKey: string;
};

/** A state that a transaction has entered, of which there is one notification in each round. */
type EnteredState = { state: string; row: Pick<MovedRow, "id" | "round"> };

export function stateKey({ state, row }: EnteredState): string {
  return `${row.id} ${row.round} ${state}`;
}

/**
 * Read together, in one statement: a commit is mostly the way to the database and back. The caller
 * holds the chain's lock, so nobody else changes what is written, nor the places.
 */
export async function readNotificationNames(
  tx: Statements,
  chainName: string,
  entered: readonly (EnteredState & { row: MovedRow })[],
): Promise<NotificationNames> {
  const rows = entered.map(({ row }) => row);
  const ids = (read: (row: MovedRow) => string | number) =>
    arrayLiteral([...new Set(rows.map(read))]);
  const businessIds = ids(({ businessId }) => businessId);
  const found = await tx.$queryRaw<
    {
      kind: string;
      id: string;
      name: string;
      number: bigint | null;
      isAdditional: boolean | null;
    }[]
  >`
    SELECT 'webhook' AS kind, business_id::text AS id, id::text AS name, NULL::bigint AS number, is_additional AS "isAdditional"
    FROM webhook
    WHERE business_id = ANY(${businessIds}::uuid[]) AND deleted_at IS NULL
    UNION ALL
    SELECT 'place', b.id::text, encode(n.digest, 'hex'), n.sequence, NULL FROM unnest(${businessIds}::uuid[]) AS b(id)
    CROSS JOIN LATERAL (
      SELECT digest, sequence FROM notification
      WHERE business_id = b.id AND chain_name = ${chainName} AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1
    ) n
    UNION ALL
    SELECT 'written', n.transaction_id::text, n.state, n.round, NULL
    FROM unnest(${arrayLiteral(rows.map(({ id }) => id))}::uuid[], ${arrayLiteral(rows.map(({ round }) => round))}::int[],
        ${arrayLiteral(entered.map(({ state }) => state))}::text[]) AS r(id, round, state)
      JOIN notification n ON n.transaction_id = r.id AND n.round = r.round AND n.state = r.state
    UNION ALL
    SELECT 'reference', id::text, reference, NULL, NULL FROM wallet
    WHERE id = ANY(${ids(({ walletId }) => walletId)}::uuid[]) AND reference IS NOT NULL
    UNION ALL
    SELECT CASE WHEN left_at IS NULL THEN 'asset' ELSE 'left_asset' END, id::text, code, decimals, NULL FROM asset
    WHERE id = ANY(${ids(({ assetId }) => assetId)}::int[])
    UNION ALL
    SELECT 'id_key', '', encode(id_key, 'hex'), NULL, NULL FROM installation`;
  const of = (...kinds: string[]) => found.filter((row) => kinds.includes(row.kind));
  return {
    webhooks: webhooksIn(of("webhook")),
    references: new Map(of("reference").map(({ id, name }) => [id, name])),
    assets: new Map(
      of("asset", "left_asset").map(({ id, name, number }) => [
        Number(id),
        { code: name, decimals: Number(number) },
      ]),
    ),
    written: new Set(
      of("written").map(({ id, name, number }) =>
        stateKey({ state: name, row: { id, round: Number(number) } }),
      ),
    ),
    places: new Map(
      of("place").map(({ id, name, number }) => [id, { digest: name, sequence: Number(number) }]),
    ),
    leftAssets: new Set(of("left_asset").map(({ id }) => Number(id))),
    idKey: of("id_key")
      .map(({ name }) => name)
      .join(),
  };
}

function webhooksIn(
  rows: readonly { id: string; name: string; isAdditional: boolean | null }[],
): Map<string, Interested[]> {
  const found = new Map<string, Interested[]>();
  for (const { id, name, isAdditional } of rows) {
    const ofBusiness = found.get(id) ?? [];
    ofBusiness.push({ id: name, isAdditional: isAdditional ?? false });
    found.set(id, ofBusiness);
  }
  return found;
}

/** The notification of each one's confirmation in its present round, by transaction. */
export async function readReversed(
  tx: Statements,
  rows: readonly MovedRow[],
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  const found = await tx.$queryRaw<{ id: string; transactionId: string }[]>`
    SELECT n.id, n.transaction_id AS "transactionId"
    FROM unnest(${arrayLiteral(rows.map(({ id }) => id))}::uuid[], ${arrayLiteral(rows.map(({ round }) => round))}::int[])
        AS r(id, round)
      JOIN notification n ON n.transaction_id = r.id AND n.round = r.round AND n.state = 'confirmed'`;
  return new Map(found.map(({ id, transactionId }) => [transactionId, id]));
}
