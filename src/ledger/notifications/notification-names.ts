import type { NotificationState } from "../../domain/delivery/notification.ts";
import type { StreamPlace } from "../../domain/delivery/stream.ts";
import type { Given, Interested } from "../../domain/webhook/interest.ts";
import { isPriceFresh } from "../balances/usd-value.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { Statements } from "../postgres/statements.ts";
import { lookalikeOf } from "../transactions/lookalike.ts";
import type { MovedRow } from "../transactions/transaction-row.ts";
import { readFilter } from "../webhooks/filters.ts";

/** The facts that a notification needs besides its transaction or balance. */
export type NotificationNames = {
  /** The webhooks of each business with webhooks. */
  webhooks: Map<string, Interested[]>;
  /** The business's own reference of a wallet, by wallet. Missing: it has none. */
  references: Map<string, string>;
  /** `usd`: the price of one unit in US dollars; null: no fresh price is stored. */
  assets: Map<number, { code: string; decimals: number; usd: string | null }>;
  /** Assets that left the configuration. Nobody is notified of them. */
  leftAssets: Set<number>;
  /** The keys of notifications that exist already, see `stateKey`. */
  written: Set<string>;
  /** By transaction, the known address that its sender looks like (see lookalike.ts). */
  lookalikes: Map<string, string>;
  /** The newest place of the chain's stream, by business. Missing: the stream is empty. */
  places: Map<string, StreamPlace>;
  /** The chain's newest notification on each way, by the owner of the way's stream. */
  newest: Map<string, string>;
  /** The key that ids are derived with, see domain/derived-id.ts. */
  idKey: string;
};

/**
 * The subject of a notification, as far as names are looked up. A null asset: a token that is not
 * configured.
 */
type Subject = Pick<MovedRow, "businessId" | "walletId"> & { assetId: number | null };

/** A state that a transaction has entered. Each round has one notification of a state. */
type EnteredState = {
  state: string;
  row: Pick<MovedRow, "id" | "round" | "direction" | "walletId" | "fromAddress">;
};

type StateName = { state: string; row: Pick<MovedRow, "id" | "round"> };

export function stateKey({ state, row }: StateName): string {
  return `${row.id} ${row.round} ${state}`;
}

/**
 * Reads all facts in one statement, since a commit's time is mostly round trips. The caller holds
 * the chain's lock, so the notifications and places cannot change.
 */
export async function readNotificationNames(
  tx: Statements,
  chainName: string,
  { subjects, entered }: { subjects: readonly Subject[]; entered: readonly EnteredState[] },
): Promise<NotificationNames> {
  const rows = entered.map(({ row }) => row);
  const incoming = rows.filter(({ direction }) => direction === "in");
  const ids = (read: (subject: Subject) => string | number | null) =>
    arrayLiteral([...new Set(subjects.map(read))]);
  const businessIds = ids(({ businessId }) => businessId);
  const found = await tx.$queryRaw<
    {
      kind: string;
      id: string;
      name: string;
      number: bigint | null;
      isAdditional: boolean | null;
      isOrdered: boolean | null;
      more: string | null;
    }[]
  >`
    ${preparedByIndex} SELECT 'webhook' AS kind, business_id::text AS id, id::text AS name, NULL::bigint AS number, is_additional AS "isAdditional",
      is_ordered AS "isOrdered", filter AS more
    FROM webhook
    WHERE business_id = ANY(${businessIds}::uuid[]) AND deleted_at IS NULL
    UNION ALL
    SELECT 'place', b.id::text, encode(n.digest, 'hex'), n.sequence, NULL, NULL, NULL FROM unnest(${businessIds}::uuid[]) AS b(id)
    CROSS JOIN LATERAL (
      SELECT digest, sequence FROM notification
      WHERE business_id = b.id AND chain_name = ${chainName} AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1
    ) n
    UNION ALL
    SELECT 'newest', owner_id::text, notification_id::text, NULL, NULL, NULL, NULL FROM webhook_stream
    WHERE owner_id = ANY(${businessIds}::uuid[]) AND chain_name = ${chainName}
    UNION ALL
    SELECT 'newest', s.owner_id::text, s.notification_id::text, NULL, NULL, NULL, NULL
    FROM webhook w JOIN webhook_stream s ON s.owner_id = w.id AND s.chain_name = ${chainName}
    WHERE w.business_id = ANY(${businessIds}::uuid[]) AND w.deleted_at IS NULL AND w.is_additional
    UNION ALL
    SELECT 'written', n.transaction_id::text, n.state, n.round, NULL, NULL, NULL
    FROM unnest(${arrayLiteral(rows.map(({ id }) => id))}::uuid[], ${arrayLiteral(rows.map(({ round }) => round))}::int[],
        ${arrayLiteral(entered.map(({ state }) => state))}::text[]) AS r(id, round, state)
      JOIN notification n ON n.transaction_id = r.id AND n.round = r.round AND n.state = r.state
    UNION ALL
    SELECT 'lookalike', t.id::text, l.address, NULL, NULL, NULL, NULL
    FROM unnest(${arrayLiteral(incoming.map(({ id }) => id))}::uuid[],
        ${arrayLiteral(incoming.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(incoming.map(({ fromAddress }) => fromAddress))}::text[]) AS t(id, wallet_id, from_address)
      CROSS JOIN LATERAL (SELECT ${lookalikeOf("t")} AS address) l WHERE l.address IS NOT NULL
    UNION ALL
    SELECT 'reference', id::text, reference, NULL, NULL, NULL, NULL FROM wallet
    WHERE id = ANY(${ids(({ walletId }) => walletId)}::uuid[]) AND reference IS NOT NULL
    UNION ALL
    SELECT CASE WHEN left_at IS NULL THEN 'asset' ELSE 'left_asset' END, id::text, code, decimals, NULL, NULL, ${freshPrice} FROM asset
    WHERE id = ANY(${ids(({ assetId }) => assetId)}::int[])
    UNION ALL
    SELECT 'id_key', '', encode(id_key, 'hex'), NULL, NULL, NULL, NULL FROM installation`;
  const of = (...kinds: string[]) => found.filter((row) => kinds.includes(row.kind));
  return {
    webhooks: webhooksIn(of("webhook")),
    references: new Map(of("reference").map(({ id, name }) => [id, name])),
    assets: new Map(
      of("asset", "left_asset").map(({ id, name, number, more }) => [
        Number(id),
        { code: name, decimals: Number(number), usd: more },
      ]),
    ),
    written: new Set(
      of("written").map(({ id, name, number }) =>
        stateKey({ state: name, row: { id, round: Number(number) } }),
      ),
    ),
    lookalikes: new Map(of("lookalike").map(({ id, name }) => [id, name])),
    places: new Map(
      of("place").map(({ id, name, number }) => [id, { digest: name, sequence: Number(number) }]),
    ),
    newest: new Map(of("newest").map(({ id, name }) => [id, name])),
    leftAssets: new Set(of("left_asset").map(({ id }) => Number(id))),
    idKey: of("id_key")
      .map(({ name }) => name)
      .join(),
  };
}

/** The price of a row of `asset` in US dollars; NULL: no fresh price is stored. */
const freshPrice = Prisma.sql`(SELECT trim_scale(p.usd)::text FROM price p
  WHERE p.asset_id = asset.id AND ${isPriceFresh})`;

function webhooksIn(
  rows: readonly {
    id: string;
    name: string;
    isAdditional: boolean | null;
    isOrdered: boolean | null;
    more: string | null;
  }[],
): Map<string, Interested[]> {
  const found = new Map<string, Interested[]>();
  for (const { id, name, isAdditional, isOrdered, more } of rows) {
    const ofBusiness = found.get(id) ?? [];
    ofBusiness.push({
      id: name,
      isAdditional: isAdditional ?? false,
      isOrdered: isOrdered ?? false,
      filter: readFilter(more),
    });
    found.set(id, ofBusiness);
  }
  return found;
}

/** The states that undo an earlier state of the same round. */
const undoneStates = { reversed: "confirmed", dropped: "pending" } as const;

/** True if the state undoes an earlier one. */
export function isUndoing(state: NotificationState): state is keyof typeof undoneStates {
  return state in undoneStates;
}

/** The notification of a state that was undone, and the webhooks that received it. */
export type Undone = { id: string; given: Given };

/**
 * Reads the notifications that the entered states undo, by transaction. A transaction is missing if
 * the undone state was not notified, or the notification is not kept any more.
 */
export async function readUndone(
  tx: Statements,
  entered: readonly { state: NotificationState; row: MovedRow }[],
): Promise<Map<string, Undone>> {
  const undoing = entered.flatMap(({ state, row }) =>
    isUndoing(state) ? [{ undone: undoneStates[state], row }] : [],
  );
  if (undoing.length === 0) return new Map();
  const column = (read: (one: (typeof undoing)[number]) => string | number) =>
    arrayLiteral(undoing.map(read));
  const found = await tx.$queryRaw<
    { id: string; transactionId: string; isFirst: boolean; additional: string[] }[]
  >`
    SELECT n.id, n.transaction_id AS "transactionId", coalesce(bool_or(NOT d.is_additional), false) AS "isFirst",
      coalesce(array_agg(d.webhook_id::text) FILTER (WHERE d.is_additional), '{}') AS additional
    FROM unnest(${column(({ row }) => row.id)}::uuid[], ${column(({ row }) => row.round)}::int[],
        ${column(({ undone }) => undone)}::text[]) AS r(id, round, state)
      JOIN notification n ON n.transaction_id = r.id AND n.round = r.round AND n.state = r.state
      LEFT JOIN delivery d ON d.notification_id = n.id
    GROUP BY n.id`;
  return new Map(
    found.map(({ id, transactionId, isFirst, additional }) => [
      transactionId,
      { id, given: { isFirst, additional } },
    ]),
  );
}
