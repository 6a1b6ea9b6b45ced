import { connectionTo } from "./choose-server.ts";
import { overShortConnection } from "./short-connection.ts";
import type { WatchedClient } from "./watched-client.ts";

/** The connections are checked this often, in ms. */
const lookMs = 2_000;

/** A connection that waits for an answer, and brings nothing for this many ms, is suspicious. */
const suspiciousMs = 6_000;

/**
 * The server must answer a new connection within this many ms. Otherwise it says nothing about the
 * old ones.
 */
const answerMs = 4_000;

/** A connection that is watched. Over some nobody ever asks, since they only listen. */
type Watched = Pick<WatchedClient, "askedAtMs" | "heardAtMs" | "worker" | "giveUp">;

/** The connections of this process to each database URL, of whatever pool. */
const watches = new Map<string, Set<Watched>>();

/**
 * Closes connections that are dead although nobody closed them, for example after a host was
 * replaced. Such a connection waits for an answer. A new connection shows that the server works on
 * nothing for it. So a slow statement may go on, and a dead connection is replaced within 15 s.
 *
 * Idle connections that were last heard of earlier are closed too, because they lead the same way.
 * They may be of any pool of this process. While no new connection can be made, nothing is closed,
 * since nothing could replace it.
 *
 * Behind a pooler, a mark in each statement shows what the server works on. A statement may also
 * wait until the pooler has a free connection. Then the server works on nothing for it either. But
 * the new connection waits behind it, so nothing is closed.
 * @returns ends the watch; call it once the connection has ended
 */
export function watchForSilence(databaseUrl: string, one: Watched): () => void {
  const watched = watches.get(databaseUrl) ?? begin(databaseUrl);
  watched.add(one);
  return () => void watched.delete(one);
}

function begin(databaseUrl: string): Set<Watched> {
  const watched = new Set<Watched>();
  watches.set(databaseUrl, watched);
  let isLooking = false;
  const timer = setInterval(async () => {
    if (watched.size === 0) {
      clearInterval(timer);
      watches.delete(databaseUrl);
    } else if (!isLooking) {
      isLooking = true;
      // Where new connections fail too, the next look tries again.
      await look(databaseUrl, watched).catch(() => {});
      isLooking = false;
    }
  }, lookMs).unref();
  return watched;
}

async function look(databaseUrl: string, watched: ReadonlySet<Watched>): Promise<void> {
  const asked = new Map([...watched].filter(isSuspicious).map((one) => [one, one.askedAtMs]));
  if (asked.size === 0) return;
  const busy = await readBusy(databaseUrl);
  const silent = [...asked.keys()].filter(
    (one) => one.askedAtMs === asked.get(one) && isSuspicious(one) && !isWorkedFor(one, busy),
  );
  if (silent.length === 0) return;
  const sinceMs = Math.min(...silent.map((one) => Math.max(one.askedAtMs ?? 0, one.heardAtMs)));
  for (const one of watched) {
    const isOlder = one.askedAtMs === null && one.heardAtMs < sinceMs;
    if (silent.includes(one) || isOlder) one.giveUp();
  }
}

/** An answer may come slowly, long after the server has sent all of it. */
function isSuspicious({ askedAtMs, heardAtMs }: Watched): boolean {
  return askedAtMs !== null && performance.now() - Math.max(askedAtMs, heardAtMs) >= suspiciousMs;
}

type Busy = { pid: number; mark: string | null }[];

function isWorkedFor({ worker }: Watched, busy: Busy): boolean {
  return busy.some(({ pid, mark }) =>
    worker.kind === "marked" ? mark === worker.mark : pid === worker.pid,
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
