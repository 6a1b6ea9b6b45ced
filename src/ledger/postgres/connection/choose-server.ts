import { Socket } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type pg from "pg";
import {
  type DatabaseServer,
  type DatabaseServers,
  parseDatabaseUrl,
  type SessionTarget,
} from "../../../domain/setup/database-servers.ts";
import { type ConnectionSettings, overShortConnection } from "./short-connection.ts";

/** A server that does not answer within this many ms is passed over. */
const answerMs = 2_500;

/** Once one server fits, the others get this many ms more, because they may fit better. */
const graceMs = 1_500;

/**
 * Connections made within this many ms of a choice use the same server. Later ones choose again,
 * since the server may have been replaced.
 */
const sharedMs = 100;

/** A connection that is quiet for this many ms is tested. Without it Linux begins after 2 hours. */
const quietMs = 10_000;

/**
 * The settings for connections to a database whose URL may name several servers. Each new
 * connection goes to the server that fits the URL's `target_session_attrs`. So after a fail-over,
 * old connections break, and new ones lead to the new primary. With one server and no
 * `target_session_attrs` no server is asked.
 *
 * All servers are asked at once. Of several that take writes, the one with the newest history (its
 * timeline) is chosen. The process remembers the newest timeline until it ends. So an old primary
 * that comes back is never chosen, even while the newer one is out of reach.
 */
export function connectionTo(databaseUrl: string): ConnectionSettings {
  const reading = parseDatabaseUrl(databaseUrl);
  // The configuration has not checked this URL, for example in a test. The driver refuses it.
  if ("fault" in reading) return straightTo(databaseUrl);
  const { servers, target } = reading.value;
  if (servers.length === 1 && target === null) return straightTo(databaseUrl);
  return {
    ...straightTo(servers[0].url),
    stream: (given) => new ChoosingSocket(() => chooseServer(databaseUrl, reading.value), given),
  };
}

function straightTo(connectionString: string): ConnectionSettings {
  return { connectionString, keepAlive: true, keepAliveInitialDelayMillis: quietMs };
}

/**
 * True if the URL asks for a server that takes writes. A connection to a replica is then a mistake.
 */
export function wantsPrimary(databaseUrl: string): boolean {
  const reading = parseDatabaseUrl(databaseUrl);
  if ("fault" in reading) return false;
  const { servers, target } = reading.value;
  return target === null ? servers.length > 1 : target === "read-write" || target === "primary";
}

/**
 * A socket that chooses its server when it connects. It ignores the server that the driver names.
 */
class ChoosingSocket extends Socket {
  readonly #choose: () => Promise<DatabaseServer>;
  #chosen: DatabaseServer | null = null;

  constructor(choose: () => Promise<DatabaseServer>, given: unknown) {
    super();
    this.#choose = choose;
    this.#checkIdentity(given);
  }

  override connect(): this {
    this.#choose().then(
      (server) => {
        this.#chosen = server;
        if (!this.destroyed) super.connect(server.port, server.host);
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  /** The driver knows only the first host. The certificate must be that of the chosen host. */
  #checkIdentity(given: unknown): void {
    if (typeof given !== "object" || given === null) return;
    const ssl: unknown = Reflect.get(given, "ssl");
    const isOwn = typeof ssl === "object" && ssl !== null;
    if (!isOwn && ssl !== true) return;
    const check = (host: string, certificate: PeerCertificate) =>
      checkServerIdentity(this.#chosen?.host ?? host, certificate);
    Reflect.set(given, "ssl", { checkServerIdentity: check, ...(isOwn ? ssl : {}) });
  }
}

const choices = new Map<string, { untilMs: number; server: Promise<DatabaseServer> }>();

/**
 * Chooses a server. Rejects with an error of PostgreSQL's class 08 if none fits. If all servers
 * refused the login, it rejects with such a refusal.
 */
function chooseServer(databaseUrl: string, all: DatabaseServers): Promise<DatabaseServer> {
  const before = choices.get(databaseUrl);
  if (before !== undefined && performance.now() < before.untilMs) return before.server;
  const choice = { untilMs: Number.POSITIVE_INFINITY, server: findServer(all) };
  choices.set(databaseUrl, choice);
  const settle = (forMs: number) => {
    choice.untilMs = performance.now() + forMs;
  };
  // After a failed choice, the next connection chooses again.
  choice.server.then(
    () => settle(sharedMs),
    () => settle(0),
  );
  return choice.server;
}

type Answer =
  | { kind: "there"; server: DatabaseServer; isReplica: boolean; isReadOnly: boolean; line: number }
  | { kind: "refused"; error: Error }
  | { kind: "replaced"; error: Error };

async function findServer({ servers, target }: DatabaseServers): Promise<DatabaseServer> {
  const wanted = target ?? "read-write";
  const answers = await askAll(servers, wanted);
  const [best] = answers.sort((one, other) => rank(other, wanted) - rank(one, wanted));
  if (best?.kind === "there" && rank(best, wanted) > 0) return best.server;
  const refusals = answers.filter((answer) => answer.kind === "refused");
  const isRefused = refusals.every(({ error }) => refusedCodes.test(codeOf(error)));
  if (isRefused && refusals[0] !== undefined && refusals.length === answers.length)
    throw refusals[0].error;
  const message = `None of the ${servers.length} servers of the database URL is ${wanted} now.`;
  const cause = answers.find((answer) => answer.kind === "replaced") ?? refusals[0];
  throw Object.assign(new Error(message, { cause: cause?.error }), { code: "08001" });
}

/** The answers in the order of the servers, without servers that were too slow. */
function askAll(servers: DatabaseServers["servers"], wanted: SessionTarget): Promise<Answer[]> {
  const answers = new Map<DatabaseServer, Answer>();
  const inOrder = () => servers.flatMap((server) => answers.get(server) ?? []);
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      resolve(inOrder());
    };
    for (const server of servers) {
      void ask(server).then((answer) => {
        answers.set(server, answer);
        if (answers.size === servers.length) return finish();
        if (rank(answer, wanted) > 0) timer ??= setTimeout(finish, graceMs);
      });
    }
  });
}

/**
 * The rank of an answer; 0: the server does not fit. The highest rank is chosen. Among equal ranks
 * it is the server named first.
 */
function rank(answer: Answer, wanted: SessionTarget): number {
  if (answer.kind !== "there") return 0;
  const { isReplica, isReadOnly, line } = answer;
  switch (wanted) {
    case "any":
      return 1;
    case "read-write":
      return isReadOnly ? 0 : line;
    case "read-only":
      return isReadOnly ? 1 : 0;
    case "primary":
      return isReplica ? 0 : line;
    case "standby":
      return isReplica ? 1 : 0;
    case "prefer-standby":
      return isReplica ? 2 : 1;
  }
}

/** Asks one server. Never rejects. */
async function ask(server: DatabaseServer): Promise<Answer> {
  const to = { ...straightTo(server.url), applicationName: "chainbell-choose", answerMs };
  try {
    return await overShortConnection(to, async (client) => {
      const { rows } = await client.query<{ isReplica: boolean; isReadOnly: boolean }>(askedSql);
      const [row] = rows;
      if (row === undefined) throw new Error("A server said nothing of itself.");
      if (row.isReplica) return { kind: "there", server, ...row, line: 1 };
      const line = await lineOf(client);
      const newest = newestSeen(await systemOf(client), line);
      if (line >= newest) return { kind: "there", server, ...row, line };
      return { kind: "replaced", error: replaced(server, { line, newest }) };
    });
  } catch (error) {
    return { kind: "refused", error: error instanceof Error ? error : new Error(String(error)) };
  }
}

const askedSql = `
  SELECT pg_is_in_recovery() AS "isReplica", current_setting('transaction_read_only')::bool AS "isReadOnly"`;

/**
 * A server's timeline: the first part of the name of its current WAL file. 1 if the server does not
 * give it.
 */
async function lineOf(client: pg.Client): Promise<number> {
  const sql = "SELECT pg_walfile_name(pg_current_wal_lsn()) AS name";
  const { rows } = await client.query<{ name: string }>(sql).catch(() => ({ rows: [] }));
  return Number.parseInt(rows[0]?.name.slice(0, 8) ?? "1", 16);
}

/** By database system, the newest timeline seen of a server that was no replica. */
const newestLines = new Map<string, number>();

function newestSeen(system: string | null, line: number): number {
  if (system === null) return line;
  const newest = Math.max(line, newestLines.get(system) ?? line);
  newestLines.set(system, newest);
  return newest;
}

/** The identifier that only a primary and its replicas share; null: the server does not give it. */
async function systemOf(client: pg.Client): Promise<string | null> {
  const sql = "SELECT system_identifier::text AS id FROM pg_control_system()";
  const { rows } = await client.query<{ id: string }>(sql).catch(() => ({ rows: [] }));
  return rows[0]?.id ?? null;
}

function replaced({ host, port }: DatabaseServer, of: { line: number; newest: number }): Error {
  const message = `The server at ${host}:${port} was replaced: its timeline is ${of.line}, and one of timeline ${of.newest} was seen. Restart the process if it is the right one after all.`;
  return Object.assign(new Error(message), { code: "08001" });
}

/** Refusals that waiting does not change: the login, the database's name, or missing rights. */
const refusedCodes = /^(28...|3D000|42501)$/;

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}
