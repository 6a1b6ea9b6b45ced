import type { Config } from "../../config/config.ts";
import type { Liveness } from "../../domain/liveness.ts";
import { readLiveness } from "../../ledger/installation/read-liveness.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import type { Trouble, TroubleCause } from "../../runtime/trouble.ts";
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
  let missing = new Map<string, Missing>();
  const service = lookEvery({
    name: "workers",
    everyMs: 5_000,
    async look() {
      const before = missing;
      const found = missingIn(await readLiveness(db), chainNames);
      missing = new Map(
        found.map(({ what, cause }) => [
          what,
          { cause, sinceMs: before.get(what)?.sinceMs ?? clock.elapsed() },
        ]),
      );
    },
    onError: (error, failures) => log.warn({ error, failures }, "workers.unknown"),
  });
  return {
    ...service,
    trouble() {
      const long = [...missing].filter(([, { sinceMs }]) => clock.elapsed() - sinceMs >= graceMs);
      if (long.length === 0) return service.trouble();
      const trouble: Trouble = {
        message: long.map(([what]) => what).join("; "),
        causes: long.map(([, { cause }]) => cause),
      };
      return trouble;
    },
  };
}

type Missing = { cause: TroubleCause; sinceMs: number };

function missingIn(
  liveness: Liveness,
  chainNames: readonly string[],
): { what: string; cause: TroubleCause }[] {
  const { watched, withWallets, dispatchers, relays } = liveness;
  const others = withWallets.filter((name) => !chainNames.includes(name));
  return [
    ...[...chainNames, ...others]
      .filter((name) => !watched.includes(name))
      .map((chain) => ({
        what: `no process watches ${chain}`,
        cause: { code: "not_watched", values: { chain } } as const,
      })),
    ...(dispatchers === 0 ? [without("not_sent", "no process sends notifications")] : []),
    ...(relays === 0 ? [without("not_passed_on", "no process passes on what is due")] : []),
  ];
}

function without(code: TroubleCause["code"], what: string) {
  return { what, cause: { code, values: {} } };
}
