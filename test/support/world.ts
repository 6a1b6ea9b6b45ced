import { inject } from "vitest";
import { type Anvil, type AnvilOptions, startAnvil } from "./chain/anvil.ts";
import { type Receiver, startReceiver } from "./delivery/receiver.ts";
import { createTestDatabase, type TestDatabase } from "./ledger/postgres.ts";

export type World = {
  anvil: Anvil;
  database: TestDatabase;
  receiver: Receiver;
  /** The shared Redis, or none: then the queue is in PostgreSQL. */
  redisUrl: string;
  /** Stops it all. */
  end: () => Promise<void>;
};

/** What a daemon meets outside: a chain, a database, a business's receiver. */
export async function startWorld(options: AnvilOptions = {}): Promise<World> {
  const closers: (() => Promise<void>)[] = [];
  const end = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const anvil = await startAnvil(options);
    closers.push(anvil.stop);
    const database = await createTestDatabase();
    closers.push(database.drop);
    const receiver = await startReceiver();
    closers.push(receiver.stop);
    return { anvil, database, receiver, redisUrl: inject("redisUrl"), end };
  } catch (error) {
    await end();
    throw error;
  }
}
