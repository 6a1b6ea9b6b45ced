import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { inCheckout } from "../support/checkout.ts";
import { eachFolder } from "../support/each-folder.ts";
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

const folder = eachFolder();

/** `statements`: where those of its end are written. */
async function run(seed: number, statements: string | null = null): Promise<string[]> {
  const database = await createTestDatabase();
  try {
    const { failures } = await simulate({ seed, databaseUrl: database.url, atOnce: 1, statements });
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

  it.each(ordinarySeeds)("seed %d, and its statements add up by another program", async (seed) => {
    expect(await run(seed, folder.path)).toEqual([]);
    const args = [inCheckout("scripts/add-again.mjs"), folder.path, "--planted"];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stdout).toMatch(/jsonl: [1-9]\d* files, 0 wrong, ([1-9]\d*) of \1 planted/);
    expect(status).toBe(0);
  });
});
