import type {
  NotificationEvent,
  NotificationState,
  sightedState,
} from "../../domain/delivery/notification.ts";
import type { StreamPlace } from "../../domain/delivery/stream.ts";
import type { CrossedState } from "../../domain/money/threshold.ts";
import { streamOwner, type Way } from "../../domain/webhook/interest.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { messageOf, outboxChannel } from "../postgres/outbox-channel.ts";
import { prepared } from "../postgres/statement.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";

/** A notification, and its deliveries. */
export type NewNotification = {
  id: string;
  businessId: string;
  /** Null: the notification is about no transaction. */
  transactionId: string | null;
  /** The wallet, if the notification is about no transaction. */
  walletId: string | null;
  round: number;
  state: NotificationState | CrossedState | typeof sightedState;
  event: NotificationEvent;
  /** ISO 8601. */
  createdAt: string;
  body: string;
  /** Null: the notification stands in no stream. */
  place: StreamPlace | null;
  /**
   * `previousId`: the chain's notification that was sent before it on the same way. `walletId`: the
   * wallet in whose line the delivery stands; null: in none.
   */
  deliveries: readonly {
    id: string;
    way: Way;
    previousId: string | null;
    walletId: string | null;
  }[];
};

/** True if the first webhook's filter leaves the notification out. */
function isFiltered({ deliveries }: NewNotification): boolean {
  return deliveries.every(({ way }) => way.isAdditional);
}

/** Reads those of the ids that notifications have already. */
export async function readWritten(
  tx: Statements,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM notification WHERE id = ANY(${arrayLiteral(ids)}::uuid[])`;
  return new Set(rows.map(({ id }) => id));
}

/** Separates bodies. A body is JSON, which has no line break of its own here. */
const lineBreak = "\n";

/**
 * Writes new notifications of one chain and their deliveries, in the given order. Each notification
 * gets the next place in the ledger (`seq`), and so do its deliveries. A notification with a place
 * in a stream becomes the newest there. In a wallet's line a delivery begins behind the others, and
 * the first of the line is due. The relay wakes at the commit.
 *
 * One statement does all, because a commit's time is mostly round trips.
 */
export function insertNotifications(
  tx: TxStatements,
  chainName: string,
  rows: readonly NewNotification[],
): void {
  const column = (read: (row: NewNotification) => string | number | null) =>
    arrayLiteral(rows.map(read));
  const ids = column(({ id }) => id);
  const businessIds = column(({ businessId }) => businessId);
  const deliveries = rows.flatMap((row, index) =>
    row.deliveries.map((delivery) => ({ row, delivery, at: index + 1 })),
  );
  const queued = (read: (row: (typeof deliveries)[number]) => string | number | null) =>
    arrayLiteral(deliveries.map(read));
  const newest = new Map(
    deliveries
      .filter(({ row }) => row.place !== null)
      .map(({ row, delivery }) => [streamOwner(delivery.way, row.businessId), row.id]),
  );
  tx.$sendRaw`
    ${prepared} WITH drawn AS MATERIALIZED (
      SELECT ARRAY(SELECT nextval('delivery_seq_seq') FROM generate_series(1, ${rows.length}::int)) AS seqs
    ), written AS (
      INSERT INTO notification (id, business_id, transaction_id, wallet_id, round, state, event, body, created_at,
        chain_name, sequence, digest, is_filtered, seq)
      SELECT r.id, r.business_id, r.transaction_id, r.wallet_id, r.round, r.state, r.event, r.body, r.created_at,
        CASE WHEN r.sequence IS NOT NULL THEN ${chainName} END, r.sequence, decode(r.digest, 'hex'), r.is_filtered,
        (SELECT seqs FROM drawn)[r.at]
      FROM unnest(${ids}::uuid[], ${businessIds}::uuid[],
        ${column(({ transactionId }) => transactionId)}::uuid[],
        ${column(({ walletId }) => walletId)}::uuid[], ${column(({ round }) => round)}::int[],
        ${column(({ state }) => state)}::text[], ${column(({ event }) => event)}::text[],
        string_to_array(${rows.map(({ body }) => body).join(lineBreak)}, ${lineBreak}),
        ${column(({ createdAt }) => createdAt)}::timestamptz[],
        ${column(({ place }) => place?.sequence ?? null)}::bigint[],
        ${column(({ place }) => place?.digest ?? null)}::text[],
        ${column((row) => String(isFiltered(row)))}::boolean[]
      ) WITH ORDINALITY AS r(id, business_id, transaction_id, wallet_id, round, state, event, body, created_at, sequence,
        digest, is_filtered, at)
    ), queued AS (
      INSERT INTO delivery (id, notification_id, business_id, webhook_id, is_additional, previous_id, wallet_id, is_behind, seq,
        listed_at)
      SELECT r.id, r.notification_id, r.business_id, r.webhook_id, r.is_additional, r.previous_id,
        r.wallet_id, r.wallet_id IS NOT NULL, (SELECT seqs FROM drawn)[r.at], r.listed_at
      FROM unnest(${queued(({ delivery }) => delivery.id)}::uuid[], ${queued(({ row }) => row.id)}::uuid[],
        ${queued(({ row }) => row.businessId)}::uuid[], ${queued(({ delivery }) => delivery.way.webhookId)}::uuid[],
        ${queued(({ delivery }) => String(delivery.way.isAdditional))}::boolean[],
        ${queued(({ delivery }) => delivery.previousId)}::uuid[],
        ${queued(({ delivery }) => delivery.walletId)}::uuid[], ${queued(({ at }) => at)}::int[],
        ${queued(({ row, delivery }) => (delivery.way.isAdditional ? row.createdAt : null))}::timestamptz[]
      ) AS r(id, notification_id, business_id, webhook_id, is_additional, previous_id, wallet_id, at, listed_at)
    ), streams AS (
      INSERT INTO webhook_stream (owner_id, chain_name, notification_id)
      SELECT r.owner_id, ${chainName}, r.notification_id
      FROM unnest(${arrayLiteral([...newest.keys()])}::uuid[], ${arrayLiteral([...newest.values()])}::uuid[])
        AS r(owner_id, notification_id)
      ON CONFLICT (owner_id, chain_name) DO UPDATE SET notification_id = EXCLUDED.notification_id
    )
    SELECT pg_notify(${outboxChannel}, ${messageOf(rows.map(({ businessId }) => businessId))})::text`;
}
