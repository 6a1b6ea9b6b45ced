import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import pg from "pg";
import { processOf } from "./pooler.ts";
import type { ConnectionSettings } from "./short-connection.ts";

/**
 * A connection that knows since when it has been waiting for an answer, by a clock that only grows,
 * and that can be given up. The driver can do neither: its own limit for an answer is one limit for
 * all statements, short and long.
 */
export class WatchedClient extends pg.Client {
  /** The mark of the server's process that works for it; null: it is not set up yet. */
  worker: Worker | null = null;
  /** In ms; null: it waits for nothing. */
  askedAtMs: number | null = null;
  /** When it was answered last, in ms. */
  heardAtMs = performance.now();
  readonly #sockets: readonly Duplex[];

  constructor({
    stream,
    ...config
  }: Omit<pg.ClientConfig, "stream"> & Partial<ConnectionSettings> = {}) {
    const sockets: Duplex[] = [];
    const open = (...given: unknown[]) => {
      const socket = stream?.(...given) ?? new Socket();
      sockets.push(socket);
      return socket;
    };
    super({ ...config, stream: open });
    this.#sockets = sockets;
    this.query = new Proxy(this.query, {
      apply: (query, self, args) => {
        this.askedAtMs ??= performance.now();
        return Reflect.apply(query, self, this.#forPooler(args));
      },
    });
    // The pending question is answered, and nothing else was asked meanwhile.
    this.on("drain", () => {
      this.askedAtMs = null;
      this.heardAtMs = performance.now();
    });
  }

  /** Ends the connection. The pending query fails, and the connection's user replaces it. */
  giveUp(): void {
    for (const socket of this.#sockets)
      socket.destroy(new Error("Connection terminated: nothing was heard of it any more."));
  }

  /**
   * Notes the server's process where the connection leads to it without a pooler. Behind one, each
   * statement may go to another process: it begins with a mark of this connection, by which the
   * server shows who works on it. And nothing is prepared under a name there: the next server may
   * not know it, or may know another statement by it. Each transaction begins with its settings:
   * what is set for a session would stay for whoever has that next.
   * @param settings statements that set what is local to a transaction
   */
  noteBackend(pid: number, settings: string): void {
    this.worker =
      processOf(this) === pid
        ? { kind: "process", pid }
        : { kind: "marked", mark: randomUUID(), settings };
  }

  /**
   * Asks for a statement that is no part of a transaction. Behind a pooler it becomes one, for its
   * settings. That costs no round trip: all is sent at once.
   * @param args what `query` takes, without a callback
   */
  async queryAlone(args: unknown[]): Promise<unknown> {
    if (this.worker?.kind !== "marked") return Reflect.apply(this.query, this, args);
    const sent = [this.query(plainBegin), Reflect.apply(this.query, this, args)];
    const [, answer, committed] = await Promise.allSettled([...sent, this.query("COMMIT")]);
    if (answer?.status === "rejected") throw answer.reason;
    if (committed?.status === "rejected") throw committed.reason;
    return answer?.value;
  }

  #forPooler([query, ...others]: unknown[]): unknown[] {
    if (this.worker?.kind !== "marked") return [query, ...others];
    return [statementOf(query, this.worker), ...others];
  }
}

type Marked = { kind: "marked"; mark: string; settings: string };

type Worker = { kind: "process"; pid: number } | Marked;

/** Prisma's, and a session that a pooler gives may have another level by itself. */
const plainBegin = "BEGIN";

function statementOf(query: unknown, worker: Marked): unknown {
  if (typeof query === "string") return textOf(query, worker);
  if (typeof query !== "object" || query === null || !("text" in query)) return query;
  return { ...query, text: textOf(String(query.text), worker), name: undefined };
}

function textOf(text: string, { mark, settings }: Marked): string {
  const own = text === plainBegin ? "BEGIN ISOLATION LEVEL READ COMMITTED" : text;
  // Behind the first statement, so that what a transaction sets for itself counts.
  return `/* ${mark} */ ${own.replace(/^BEGIN[^;]*/, (begin) => `${begin}; ${settings}`)}`;
}
