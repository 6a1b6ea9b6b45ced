import { connectionTo } from "./choose-server.ts";
import { overShortConnection } from "./short-connection.ts";
import type { WatchedClient } from "./watched-client.ts";

/** The connections are checked this often, in ms. */
const lookMs = 2_000;

/** A connection without an answer for this many ms is suspicious. */
const suspiciousMs = 6_000;

/**
 * The server must answer a new connection within this many ms. Otherwise it says nothing about the
 * old ones.
 */
const answerMs = 4_000;

/**
 * Closes connections that are dead although nobody closed them, for example after a host was
 * replaced. Such a connection waits for an answer. A new connection shows that the server works on
 * nothing for it. So a slow statement may go on, and a dead connection is replaced within 15 s.
 *
 * Idle connections whose last answer is older are closed too, because they lead the same way. While
 * no new connection can be made, nothing is closed, since nothing could replace it.
 *
 * Behind a pooler, a mark in each statement shows what the server works on. A statement may also
 * wait until the pooler has a free connection. Then the server works on nothing for it either. But
 * the new connection waits behind it, so nothing is closed.
 */
export function watchForSilence(databaseUrl: string): {
  add: (client: WatchedClient) => void;
  remove: (client: WatchedClient) => void;
} {
  const clients = new Set<WatchedClient>();
  let timer: NodeJS.Timeout | null = null;
  let isAsking = false;

  async function look(): Promise<void> {
    const suspects = [...clients].filter(isSuspicious);
    if (suspects.length === 0 || isAsking) return;
    isAsking = true;
    try {
      const asked = new Map(suspects.map((client) => [client, client.askedAtMs]));
      const busy = await readBusy(databaseUrl);
      const silent = suspects.filter(
        (client) => client.askedAtMs === asked.get(client) && !isWorkedFor(client, busy),
      );
      if (silent.length === 0) return;
      const sinceMs = Math.min(...silent.map(({ askedAtMs }) => askedAtMs ?? 0));
      for (const client of clients) {
        const isOlder = client.askedAtMs === null && client.answeredAtMs < sinceMs;
        if (silent.includes(client) || isOlder) client.giveUp();
      }
    } catch {
      // New connections fail too. The next check tries again.
    } finally {
      isAsking = false;
    }
  }

  return {
    add(client) {
      clients.add(client);
      timer ??= setInterval(look, lookMs).unref();
    },
    remove(client) {
      clients.delete(client);
      if (clients.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    },
  };
}

function isSuspicious({ askedAtMs, worker }: WatchedClient): boolean {
  return worker !== null && askedAtMs !== null && performance.now() - askedAtMs >= suspiciousMs;
}

type Busy = { pid: number; mark: string | null }[];

function isWorkedFor({ worker }: WatchedClient, busy: Busy): boolean {
  return busy.some(({ pid, mark }) =>
    worker?.kind === "marked" ? mark === worker.mark : pid === worker?.pid,
  );
}

/**
 * The server's processes that work on a statement, with the statement's mark. Asks by a connection
 * of its own.
 */
async function readBusy(databaseUrl: string): Promise<Busy> {
  const to = { ...connectionTo(databaseUrl), applicationName: "chainbell-watch", answerMs };
  return overShortConnection(to, async (client) => {
    const { rows } = await client.query<Busy[number]>(`
      SELECT pid, substring(query FROM '^/\\* ([0-9a-f-]{36}) ') AS mark FROM pg_stat_activity
      WHERE datname = current_database() AND state NOT LIKE 'idle%'`);
    return rows;
  });
}
