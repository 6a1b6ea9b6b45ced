import pg from "pg";
import type { Clock } from "../../runtime/clock.ts";
import { createLoop } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";
import { type Database, reaching } from "../postgres/database.ts";
import { outboxChannel, wakeRelay } from "../postgres/outbox-channel.ts";

/** How soon a lost connection is tried again, at first and at most. */
const reconnectMs = 250;
const longestReconnectMs = 5_000;
/** The kernel asks a silent connection this often whether it is alive. */
const keepAliveMs = 10_000;

/**
 * Calls `onSignal` for each commit that notified the outbox, and after each connection, since signals may have been missed
 * before it. Needs a direct connection, not a transaction-mode pooler; holds one. A signal only saves waiting: the
 * relay looks by itself too, so this is never in trouble.
 */
export function listenForOutbox(options: {
  databaseUrl: string;
  onSignal: () => void;
  onError: (error: unknown) => void;
  clock: Clock;
}): Service {
  const { databaseUrl, onSignal, onError, clock } = options;
  const loop = createLoop({
    name: "outbox signal",
    async step(signal) {
      await listen({ databaseUrl, onSignal, signal });
      return "again";
    },
    onError,
    clock,
    pollMs: reconnectMs,
    maxBackoffMs: longestReconnectMs,
    stuckAfterMs: Number.POSITIVE_INFINITY,
  });
  return { ...loop, trouble: () => null };
}

/** One connection, until the signal is aborted. Rejects when it is lost. */
async function listen(options: {
  databaseUrl: string;
  onSignal: () => void;
  signal: AbortSignal;
}): Promise<void> {
  const { databaseUrl, onSignal, signal } = options;
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "chainbell-outbox",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  const ended = new Promise<void>((resolve, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("The connection that listens to the outbox ended.")));
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  ended.catch(() => {});
  try {
    await Promise.race([client.connect(), ended]);
    if (signal.aborted) return;
    client.on("notification", onSignal);
    await client.query(`LISTEN ${outboxChannel}`);
    onSignal();
    await ended;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Notifies the outbox from outside of a ledger commit: a slot became free, or a webhook became active again. */
export async function signalOutbox(db: Database): Promise<void> {
  await reaching(() => wakeRelay(db));
}
