import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import type { Prisma, PrismaClient } from "../generated/client.ts";
import { WatchedClient } from "./connection/watched-client.ts";

/** Set while Prisma asks for the connection of a transaction that has begun already. */
const lent = new AsyncLocalStorage<pg.PoolClient>();

/**
 * Resolves when the caller may take a connection, with what is called once it is given back. Throws
 * where the caller may have none now.
 */
export type Turn = () => Promise<() => void>;

/**
 * A pool that gives Prisma the connection of a transaction under way, so that its calls join that
 * transaction. A caller waits for its turn before it takes a connection. `query` takes no callback.
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

  /** A connection whose statement failed is not used again, as in the driver's own pool. */
  async #queryAlone(args: unknown[]): Promise<unknown> {
    const client = await this.#take();
    // The statement says it too, and an error that nobody hears ends the process.
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
      // The pool sets it anew each time that it hands the client out.
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

/** Prisma in a transaction that somebody else began and ends. */
export type Joined = {
  models: Prisma.TransactionClient;
  /**
   * Nothing is asked of `models` afterwards. Fails where Prisma has given up, for which see
   * `limits`.
   */
  leave: () => Promise<void>;
};

/**
 * Has Prisma work in the transaction of `client`, whose pool is a JoinablePool. No statement is
 * sent for it: what Prisma sends to begin and to end a transaction stays here.
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
 * The connection as Prisma's adapter uses it, but it neither begins nor ends a transaction and is
 * not given back.
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
