import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../support/ledger/postgres.ts";
import { notableSeeds } from "./notable-seeds.ts";
import { simulate } from "./simulate.ts";

/** Each takes some seconds. */
const unseen = Array.from({ length: 2 }, () => randomInt(1_000, 1_000_000_000));

async function run(seed: number): Promise<string[]> {
  const database = await createTestDatabase();
  try {
    const { failures } = await simulate({ seed, databaseUrl: database.url, atOnce: 1 });
    return failures.map((failure) => `${failure} (npm run simulate -- --seed ${seed})`);
  } finally {
    await database.drop();
  }
}

describe("whatever goes wrong, once it is over ledger and notifications say what the chain says", () => {
  it.each(notableSeeds)("seed $seed: $found", async ({ seed }) => {
    expect(await run(seed)).toEqual([]);
  });

  it.each(unseen)("seed %d, a new one", async (seed) => {
    expect(await run(seed)).toEqual([]);
  });
});
