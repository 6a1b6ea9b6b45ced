import { inject } from "vitest";
import { type Anvil, type AnvilOptions, startAnvil } from "./chain/anvil.ts";
import { type Receiver, startReceiver } from "./delivery/receiver.ts";
import { createTestDatabase, type TestDatabase } from "./ledger/postgres.ts";
import { createResources } from "./resources.ts";

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
  const { open, end } = createResources();
  try {
    const anvil = await open(startAnvil(options), (one) => one.stop());
    const database = await open(createTestDatabase(), (one) => one.drop());
    const receiver = await open(startReceiver(), (one) => one.stop());
    return { anvil, database, receiver, redisUrl: inject("redisUrl"), end };
  } catch (error) {
    await end();
    throw error;
  }
}
