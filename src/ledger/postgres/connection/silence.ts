import { connectionTo } from "./choose-server.ts";
import { overShortConnection } from "./short-connection.ts";
import type { WatchedClient } from "./watched-client.ts";

/** The pause between two looks at the connections, in ms. */
const lookMs = 2_000;

/** A connection without an answer for this long, in ms, is asked after. */
const suspiciousMs = 6_000;

/**
 * A server that does not answer a new connection by then can say nothing of the old ones either.
 */
const answerMs = 4_000;

/**
 * Gives up connections that have fallen silent without being closed. They do so when a host is
 * replaced or a network forgets them. Such a connection waits for an answer, and a new connection
 * shows that the server works on nothing for it. So a statement may take its time, and a lost
 * connection is replaced within 15 s. Connections that were last heard of before it go with it, for
 * they lead the same way. While no new connection can be made nothing is given up: there is nothing
 * to replace it with.
 *
 * Behind a pooler, a mark in each statement shows what the server works on. A statement that still
 * waits for a connection of the pooler's is worked on by nobody either. But then the new
 * connection, which is behind it, waits too.
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
        const isUnheard = client.askedAtMs === null && client.heardAtMs < sinceMs;
        if (silent.includes(client) || isUnheard) client.giveUp();
      }
    } catch {
      // Out of reach for new connections, too: it is looked at again.
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
 * The processes of the server that work on a statement, and its mark, by a connection of its own.
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
