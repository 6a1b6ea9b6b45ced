import { randomUUID } from "node:crypto";
import pg from "pg";
import { processOf } from "./pooler.ts";

/**
 * A connection that can be closed from outside, and measures its wait for an answer by a monotonic
 * clock. The driver has neither.
 *
 * It gives the driver a callback with each query, and has the time limit of `query_timeout` itself.
 * With the driver's own promises or limit, the rows of an answer stay in memory for longer. Only a
 * collection of the whole heap frees them.
 */
export class WatchedClient extends pg.Client {
  /** When the oldest unanswered query was sent, in ms; null: no query is under way. */
  askedAtMs: number | null = null;
  /** When anything was last heard of it, in ms. */
  heardAtMs = performance.now();
  #marked: Marked | null = null;
  /** The longest wait for an answer, in ms. 0: there is no limit. */
  readonly #answerMs: number;

  constructor({ query_timeout = 0, ...config }: pg.ClientConfig = {}) {
    super(config);
    this.#answerMs = query_timeout;
    this.query = new Proxy(this.query, {
      apply: (query, self, args) => {
        this.askedAtMs ??= performance.now();
        const send = (given: unknown[]) => Reflect.apply(query, self, this.#forPooler(given));
        return this.#ask(args, send);
      },
    });
    // All queries are answered.
    this.on("drain", () => {
      this.askedAtMs = null;
    });
    this.once("connect", () =>
      this.connection.stream.on("data", () => {
        this.heardAtMs = performance.now();
      }),
    );
  }

  /** The marks of the server's process that works for this connection. */
  get worker(): Worker {
    return this.#marked ?? { kind: "process", pid: processOf(this) };
  }

  /** Closes the connection. Its pending query fails, and the pool replaces the connection. */
  giveUp(): void {
    this.connection.stream.destroy(nothingHeard());
  }

  /**
   * Sends a query with a callback. Answers a promise, unless the caller has a callback.
   * @param args what `query` takes
   */
  #ask(args: unknown[], send: (args: unknown[]) => unknown): unknown {
    const { query, answerMs } = this.#limited(args[0]);
    const others = args.slice(1);
    const last = others.at(-1);
    if (isCallback(last))
      return send([query, ...others.slice(0, -1), this.#within(answerMs, last)]);
    return new Promise((resolve, reject) => {
      const answered: Callback = (error, answer) => (error ? reject(error) : resolve(answer));
      send([query, ...others, this.#within(answerMs, answered)]);
    }).catch((error: Error) => {
      // The stack shows who sent the query, instead of the socket.
      Error.captureStackTrace(error);
      throw error;
    });
  }

  #limited(query: unknown): { query: unknown; answerMs: number } {
    const hasOwn = typeof query === "object" && query !== null && "query_timeout" in query;
    if (!hasOwn) return { query, answerMs: this.#answerMs };
    const { query_timeout, ...others } = query;
    return { query: others, answerMs: Number(query_timeout) };
  }

  /** The same callback. Closes the connection if it is not called within so many ms. */
  #within(answerMs: number, callback: Callback): Callback {
    if (answerMs === 0) return callback;
    const late = () => this.connection.stream.destroy(new Error("Query read timeout"));
    const timer = setTimeout(late, answerMs);
    return (error, answer) => {
      clearTimeout(timer);
      callback(error, answer);
    };
  }

  /**
   * Sets how the server's process is recognised. Without a pooler it is the process number.
   *
   * Behind a pooler each statement may go to another process. So each one begins with a mark of
   * this connection, which the server shows with its work. Statements are not prepared by name. The
   * next process may not know the name, or may know another statement by it. Each transaction
   * begins with its settings: a session's settings would stay for its next user.
   * @param settings statements that set what is local to a transaction
   */
  noteBackend(pid: number, settings: string): void {
    const isPooled = processOf(this) !== pid;
    this.#marked = isPooled ? { kind: "marked", mark: randomUUID(), settings } : null;
  }

  /**
   * Runs a statement outside of a transaction. Behind a pooler it gets a transaction of its own,
   * for its settings. All is sent at once, so that costs no round trip.
   * @param args what `query` takes, without a callback
   */
  async queryAlone(args: unknown[]): Promise<unknown> {
    if (this.#marked === null) return Reflect.apply(this.query, this, args);
    const sent = [this.query(plainBegin), Reflect.apply(this.query, this, args)];
    const [, answer, committed] = await Promise.allSettled([...sent, this.query("COMMIT")]);
    if (answer?.status === "rejected") throw answer.reason;
    if (committed?.status === "rejected") throw committed.reason;
    return answer?.value;
  }

  #forPooler([query, ...others]: unknown[]): unknown[] {
    return this.#marked === null
      ? [query, ...others]
      : [statementOf(query, this.#marked), ...others];
  }
}

type Callback = (error: Error | null | undefined, answer: unknown) => void;

function isCallback(value: unknown): value is Callback {
  return typeof value === "function";
}

type Marked = { kind: "marked"; mark: string; settings: string };

type Worker = { kind: "process"; pid: unknown } | Marked;

/** The reason for which a connection is given up. */
export const nothingHeard = () =>
  new Error("Connection terminated: nothing was heard of it any more.");

/**
 * Prisma begins transactions with this. The level is added, since a pooler's session may have
 * another one.
 */
const plainBegin = "BEGIN";

function statementOf(query: unknown, worker: Marked): unknown {
  if (typeof query === "string") return textOf(query, worker);
  if (typeof query !== "object" || query === null || !("text" in query)) return query;
  return { ...query, text: textOf(String(query.text), worker), name: undefined };
}

function textOf(text: string, { mark, settings }: Marked): string {
  const own = text === plainBegin ? "BEGIN ISOLATION LEVEL READ COMMITTED" : text;
  // The settings follow BEGIN, so that the transaction's own settings after it win.
  return `/* ${mark} */ ${own.replace(/^BEGIN[^;]*/, (begin) => `${begin}; ${settings}`)}`;
}
