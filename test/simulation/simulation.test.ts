import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../support/ledger/postgres.ts";
import { notableSeeds } from "./notable-seeds.ts";
import { createRandom } from "./random.ts";
import { simulate } from "./simulate.ts";
import { kindOf } from "./trial/kinds.ts";

/**
 * The same at every run, so that a run says something of the commit. Each takes some seconds; `npm
 * run simulate` takes new ones.
 */
const ordinarySeeds = [50_001, 50_002];
/** Of businesses with many webhooks, and consumers of the feed. */
const streamSeeds = [107, 115];

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

  it.each(streamSeeds)("seed %d, with many webhooks", async (seed) => {
    expect(kindOf(createRandom(seed, "kind"))).toBe("streams");
    expect(await run(seed)).toEqual([]);
  });

  it.each(ordinarySeeds)("seed %d, which has found nothing", async (seed) => {
    expect(await run(seed)).toEqual([]);
  });
});
