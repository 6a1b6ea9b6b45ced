import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import type { Prisma, PrismaClient } from "../generated/client.ts";

/** Set while Prisma asks for the connection of a transaction that has begun already. */
const lent = new AsyncLocalStorage<pg.PoolClient>();

/**
 * Resolves when the caller may take a connection, with what is called once it is given back. Throws
 * where the caller may have none now.
 */
export type Turn = () => Promise<() => void>;

/**
 * A pool that gives Prisma the connection of a transaction under way, so that its calls join that
 * transaction. A caller waits for its turn before it takes a connection.
 */
export class JoinablePool extends pg.Pool {
  readonly #turn: Turn | null;

  constructor(options: pg.PoolConfig, turn: Turn | null) {
    super(options);
    this.#turn = turn;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      if (this.#turn === null) super.connect(callback);
      else
        this.#connectInTurn(this.#turn).then(
          (client) => callback(undefined, client, client.release),
          (error: Error) => callback(error, undefined, () => {}),
        );
      return;
    }
    const client = lent.getStore();
    if (client !== undefined) return Promise.resolve(client);
    return this.#turn === null ? super.connect() : this.#connectInTurn(this.#turn);
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
