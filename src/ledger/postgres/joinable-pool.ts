import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import type { Prisma, PrismaClient } from "../generated/client.ts";
import { WatchedClient } from "./connection/watched-client.ts";

/** Set while Prisma asks for the connection of a transaction that has begun already. */
const lent = new AsyncLocalStorage<pg.PoolClient>();

/**
 * Resolves when the caller may take a connection. The caller must call the result once it gives the
 * connection back. Rejects if the caller may have none now.
 */
export type Turn = () => Promise<() => void>;

/**
 * A pool that can give Prisma the connection of a running transaction, so that Prisma's calls join
 * it. A caller waits for its turn before it takes a connection. `query` takes no callback.
 */
export class JoinablePool extends pg.Pool {
  readonly #turn: Turn | null;

  constructor(options: pg.PoolConfig, turn: Turn | null) {
    super(options);
    this.#turn = turn;
    this.query = new Proxy(this.query, { apply: (_, __, args) => this.#queryAlone(args) });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const lentClient = lent.getStore();
    const taken = lentClient === undefined ? this.#take() : Promise.resolve(lentClient);
    if (callback === undefined) return taken;
    taken.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return;
  }

  #take(): Promise<pg.PoolClient> {
    return this.#turn === null ? super.connect() : this.#connectInTurn(this.#turn);
  }

  /**
   * Runs one query. As in the driver's own pool, a connection whose query failed is not used again.
   */
  async #queryAlone(args: unknown[]): Promise<unknown> {
    const client = await this.#take();
    // The query rejects with the error too. Without a listener the event would end the process.
    client.on("error", ignore);
    let failed: Error | undefined;
    try {
      return await (client instanceof WatchedClient
        ? client.queryAlone(args)
        : Reflect.apply(client.query, client, args));
    } catch (error) {
      failed = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(failed);
      client.off("error", ignore);
    }
  }

  async #connectInTurn(turn: Turn): Promise<pg.PoolClient> {
    const end = await turn();
    try {
      const client = await super.connect();
      // The pool sets `release` again each time it hands the client out.
      const { release } = client;
      client.release = (lost) => {
        end();
        release(lost);
      };
      return client;
    } catch (error) {
      end();
      throw error;
    }
  }
}

const ignore = () => {};

type Connected = Parameters<pg.Pool["connect"]>[0];

/** Prisma's models in a transaction that the caller begins and ends. */
export type Joined = {
  models: Prisma.TransactionClient;
  /**
   * Call it after the last use of `models`. Rejects if Prisma's time limit passed before (see
   * `limits`).
   */
  leave: () => Promise<void>;
};

/**
 * Lets Prisma work in the transaction of `client`, whose pool is a JoinablePool. This sends no
 * statement: Prisma's own BEGIN and COMMIT are not passed on.
 */
export async function joinPrisma(
  prisma: PrismaClient,
  client: pg.PoolClient,
  limits: { timeout: number; maxWait: number },
): Promise<Joined> {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  return new Promise((resolve, reject) => {
    const begin = () =>
      prisma.$transaction((models) => {
        resolve({
          models,
          leave() {
            leave();
            return ended;
          },
        });
        return left;
      }, limits);
    const ended = lent.run(withoutFrame(client), begin);
    ended.catch(reject);
  });
}

const frame = new Set(["BEGIN", "COMMIT", "ROLLBACK"]);

const nothing = { rows: [], fields: [], rowCount: 0 };

/**
 * The connection for Prisma's adapter. BEGIN, COMMIT and ROLLBACK do nothing, and neither does
 * giving it back.
 */
function withoutFrame(client: pg.PoolClient): pg.PoolClient {
  return new Proxy(client, {
    get(target, name) {
      if (name === "release") return () => {};
      if (name !== "query") return Reflect.get(target, name);
      return (query: pg.QueryConfig) =>
        frame.has(query.text) ? Promise.resolve(nothing) : target.query(query);
    },
  });
}
