import type { Config } from "../../config/config.ts";
import type { Liveness } from "../../domain/liveness.ts";
import { readLiveness } from "../../ledger/installation/read-liveness.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/** Long enough for a process to restart, or for another to take over. */
const graceMs = 10_000;

/**
 * Looks whether any process watches each chain, queues what is due, and sends it. Readiness shows
 * what is missing. The chains are those of this process's file, and all others with wallets. This
 * process answers requests without those workers, but money is reported late.
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
  /** Each missing worker, and since when it is missing, in ms of the steady clock. */
  let missing = new Map<string, number>();
  const service = lookEvery({
    name: "workers",
    everyMs: 5_000,
    async look() {
      const before = missing;
      const found = missingIn(await readLiveness(db), chainNames);
      missing = new Map(found.map((what) => [what, before.get(what) ?? clock.elapsed()]));
    },
    onError: (error, failures) => log.warn({ error, failures }, "workers.unknown"),
  });
  return {
    ...service,
    trouble() {
      const long = [...missing].filter(([, sinceMs]) => clock.elapsed() - sinceMs >= graceMs);
      return long.length === 0 ? service.trouble() : long.map(([what]) => what).join("; ");
    },
  };
}

function missingIn(liveness: Liveness, chainNames: readonly string[]): string[] {
  const { watched, withWallets, dispatchers, relays } = liveness;
  const others = withWallets.filter((name) => !chainNames.includes(name));
  return [
    ...[...chainNames, ...others]
      .filter((name) => !watched.includes(name))
      .map((name) => `no process watches ${name}`),
    ...(dispatchers === 0 ? ["no process sends notifications"] : []),
    ...(relays === 0 ? ["no process passes on what is due"] : []),
  ];
}
