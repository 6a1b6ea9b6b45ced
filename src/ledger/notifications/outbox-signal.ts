import pg from "pg";
import type { Clock } from "../../runtime/clock.ts";
import { createLoop } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { connectionTo } from "../postgres/connection/choose-server.ts";
import { keptAlive } from "../postgres/connection/kept-alive.ts";
import { endsAtPooler } from "../postgres/connection/pooler.ts";
import type { Database } from "../postgres/database.ts";
import { type Notified, namedIn, outboxChannel, wakeRelay } from "../postgres/outbox-channel.ts";
import { readRows, statementsOf } from "../postgres/statements.ts";

/** The first and the longest pause before a lost connection is opened again. */
const reconnectMs = 250;
const longestReconnectMs = 5_000;
/** The listening connection is tested this often, and must answer within the same time. */
const heartbeatMs = 5_000;

/**
 * Calls `onSignal` for each commit that notified the outbox. Also calls it after each new
 * connection, because signals may have been missed before that. It holds one connection, which must
 * lead to the server itself. At a pooler nothing can be received, and `onPooled` is called once.
 *
 * A signal only saves time, because the relay also looks by itself. So this service never reports
 * trouble.
 */
export function listenForOutbox(options: {
  databaseUrl: string;
  onSignal: (notified: Notified) => void;
  onPooled: () => void;
  onError: (error: unknown) => void;
  clock: Clock;
}): Service {
  const { databaseUrl, onSignal, onPooled, onError, clock } = options;
  return createLoop({
    name: "outbox signal",
    async step(signal) {
      const ended = await listen({ databaseUrl, onSignal, signal, clock });
      if (ended === "aborted") return "again";
      onPooled();
      await aborted(signal);
      return "again";
    },
    onError,
    clock,
    pollMs: reconnectMs,
    maxBackoffMs: longestReconnectMs,
    stuckAfterMs: null,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

/**
 * Listens on one connection until `signal` is aborted. Returns at once if the connection ends at a
 * pooler. Rejects when the connection is lost.
 */
async function listen(options: {
  databaseUrl: string;
  onSignal: (notified: Notified) => void;
  signal: AbortSignal;
  clock: Clock;
}): Promise<"aborted" | "pooled"> {
  const { databaseUrl, onSignal, signal, clock } = options;
  const client = new pg.Client({
    ...connectionTo(databaseUrl),
    application_name: "chainbell-outbox",
    connectionTimeoutMillis: 5_000,
    query_timeout: heartbeatMs,
  });
  const lost = new Promise<never>((_, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("The connection that listens to the outbox ended.")));
  });
  const ended = Promise.race([lost, aborted(signal)]);
  ended.catch(() => {});
  try {
    await Promise.race([client.connect(), ended]);
    if (signal.aborted) return "aborted";
    if (await endsAtPooler(client)) return "pooled";
    client.on("notification", ({ payload = "" }) => onSignal(namedIn(payload)));
    const settings = Object.entries(keptAlive).map(([name, value]) => `SET ${name} = ${value}; `);
    await client.query(`${settings.join("")}LISTEN ${outboxChannel}`);
    onSignal("everybody");
    await Promise.race([ended, beat(client, { signal, clock })]);
    return "aborted";
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Tests the connection until `signal` is aborted. Rejects if it does not answer: it would receive
 * no signals, and nobody would notice.
 */
async function beat(
  client: pg.Client,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(heartbeatMs, signal);
    if (!signal.aborted) await client.query("SELECT 1");
  }
}

/**
 * Wakes the relay outside of a ledger commit, because a slot became free or a webhook became
 * active.
 */
export async function signalOutbox(db: Database): Promise<void> {
  await wakeRelay(statementsOf(db));
}

/**
 * Looks this far back, in s. A notification has the time before its commit, by the clock of the
 * process that wrote it.
 */
const lateS = 15;

/**
 * Those of these businesses with a notification in the last 15 s. It is for processes that cannot
 * receive signals. One statement.
 */
export async function readNotifiedLately(
  db: Database,
  businessIds: readonly string[],
): Promise<string[]> {
  const rows = await readRows<{ id: string }>(
    db,
    Prisma.sql`
      SELECT b.id FROM unnest(${arrayLiteral(businessIds)}::uuid[]) AS b(id)
      WHERE EXISTS (SELECT 1 FROM notification n
        WHERE n.business_id = b.id AND n.created_at > now() - ${lateS} * interval '1 second')`,
  );
  return rows.map(({ id }) => id);
}
