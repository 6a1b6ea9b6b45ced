import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { median } from "../runner/alternate.ts";
import { readMetric } from "../support/metrics.ts";
import type { Soaked } from "./soak-outcome.ts";

const sampleMs = 2_000;
/** How many times as long as before a claim may take. */
const allowed = 2;
/** The metric has whole ms, of the slowest claim: less says nothing. */
const leastMs = 5;

/**
 * Looks at how long a claim takes: without a snapshot for `quietMs`, then under one that is held
 * until `forMs` are over. Answers whether the last third of that was fast enough, and prints all.
 */
export async function watchClaims(
  { daemon, databaseUrl }: Soaked,
  { quietMs, forMs }: { quietMs: number; forMs: number },
): Promise<boolean> {
  const beganAtMs = performance.now();
  const sampleUntil = async (untilMs: number) => {
    const claims: number[] = [];
    while (performance.now() - beganAtMs < untilMs) {
      claims.push((await readMetric(daemon.url, "chainbell_claim_seconds")) * 1_000);
      await sleep(sampleMs);
    }
    return claims;
  };
  // What is compiled and filled at the start is no part of it.
  await sampleUntil(quietMs / 3);
  const quiet = median(await sampleUntil(quietMs));
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  try {
    await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await holder.query("SELECT count(*) FROM business");
    const thirdMs = (forMs - quietMs) / 3;
    const parts: number[] = [];
    for (let part = 1; part <= 3; part += 1)
      parts.push(median(await sampleUntil(quietMs + part * thirdMs)));
    const last = parts.at(-1) ?? Number.NaN;
    const dead = await readMetric(daemon.url, "chainbell_due_dead_rows");
    const age = await readMetric(daemon.url, "chainbell_database_oldest_snapshot_seconds");
    const held = parts.map((one) => one.toFixed(1)).join(", ");
    const figures = `${quiet.toFixed(1)} ms before, ${held} ms in each third of the held time`;
    console.log(
      `claims: ${figures}; ${(last / quiet).toFixed(2)} times (at most ${allowed}); ${dead} dead rows, oldest snapshot ${age.toFixed(0)} s`,
    );
    return last <= allowed * Math.max(quiet, leastMs);
  } finally {
    await holder.end();
  }
}
