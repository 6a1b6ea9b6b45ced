import type { Config } from "../../config/config.ts";
import type { Liveness } from "../../domain/liveness.ts";
import { readLiveness } from "../../ledger/installation/read-liveness.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createLoop } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";

const pollMs = 5_000;
const stuckAfterMs = 15_000;

/** A process that restarts, or another that takes over, is there again by then. */
const graceMs = 10_000;

/**
 * A part without work of its own: readiness shows by it whether anybody watches each chain and sends what is due, in whatever process.
 * Without them this one answers requests and money is late all the same.
 */
export function watchWorkers({
  config,
  db,
  log,
}: {
  config: Pick<Config, "chains">;
  db: Database;
  log: Logger;
}): Service {
  const chainNames = config.chains.map(({ name }) => name);
  /** What is missing, and since when. */
  let missing = new Map<string, number>();
  const loop = createLoop({
    name: "workers",
    async step() {
      const before = missing;
      const found = missingIn(await readLiveness(db), chainNames);
      missing = new Map(found.map((what) => [what, before.get(what) ?? clock.elapsed()]));
      return "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, "workers.unknown"),
    clock,
    pollMs,
    maxBackoffMs: pollMs,
    stuckAfterMs,
  });
  return {
    ...loop,
    trouble() {
      const long = [...missing].filter(([, sinceMs]) => clock.elapsed() - sinceMs >= graceMs);
      return long.length === 0 ? loop.trouble() : long.map(([what]) => what).join("; ");
    },
  };
}

function missingIn({ watched, dispatchers }: Liveness, chainNames: readonly string[]): string[] {
  return [
    ...chainNames
      .filter((name) => !watched.includes(name))
      .map((name) => `no process watches ${name}`),
    ...(dispatchers === 0 ? ["no process sends notifications"] : []),
  ];
}
