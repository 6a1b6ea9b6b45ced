import type { ChannelReport, DueAlert } from "../../domain/alerts/alert-ledger.ts";
import type { ChannelName } from "../../domain/alerts/alert-settings.ts";
import type { ChannelFailure } from "../../domain/alerts/channel-failure.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Reads a channel's oldest message that is not sent, if it is due by the database's clock. Null:
 * there is none, or it is not due yet. A message due later than `longestPauseMs` from now counts as
 * due: the clock was set back after the message was written.
 */
export async function readDueAlert(
  db: Database,
  { channel, longestPauseMs }: { channel: ChannelName; longestPauseMs: number },
): Promise<DueAlert | null> {
  const rows = await statementsOf(db).$queryRaw<(DueAlert & { isDue: boolean })[]>`
    SELECT message, attempts,
      due_at <= now() OR due_at > now() + ${longestPauseMs}::float8 * interval '1 ms' AS "isDue"
    FROM alert_message WHERE channel = ${channel} AND sent_at IS NULL ORDER BY created_at, id LIMIT 1`;
  const [first] = rows;
  return first?.isDue ? { message: first.message, attempts: first.attempts } : null;
}

export async function recordAlertSent(
  db: Database,
  channel: ChannelName,
  id: string,
): Promise<void> {
  await statementsOf(db).$executeRaw`
    UPDATE alert_message SET sent_at = now(), attempts = attempts + 1, failure = NULL, failure_code = NULL, failure_values = NULL
    WHERE id = ${id}::uuid AND channel = ${channel}`;
}

export async function recordAlertFailure(
  db: Database,
  channel: ChannelName,
  { id, failure, againInMs }: { id: string; failure: ChannelFailure; againInMs: number },
): Promise<void> {
  await statementsOf(db).$executeRaw`
    UPDATE alert_message SET attempts = attempts + 1, failure = ${failure.message}, failure_code = ${failure.code},
      failure_values = ${failure.values}::jsonb,
      due_at = now() + ${againInMs}::float8 * interval '1 ms'
    WHERE id = ${id}::uuid AND channel = ${channel}`;
}

const isFailed = Prisma.sql`sent_at IS NULL AND failure IS NOT NULL`;

/** The state of each channel with an alert within the last week. */
export async function readChannelReports(db: Database): Promise<ChannelReport[]> {
  return statementsOf(db).$queryRaw<ChannelReport[]>`
    SELECT channel, max(sent_at) AS "sentAt", (count(*) FILTER (WHERE sent_at IS NULL))::int AS waiting,
      (array_agg(failure ORDER BY created_at) FILTER (WHERE ${isFailed}))[1] AS failure,
      (array_agg(failure_code ORDER BY created_at) FILTER (WHERE ${isFailed}))[1] AS "failureCode",
      (array_agg(failure_values ORDER BY created_at) FILTER (WHERE ${isFailed}))[1] AS "failureValues"
    FROM alert_message GROUP BY channel ORDER BY channel`;
}
