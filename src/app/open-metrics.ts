import { readPrices } from "../ledger/balances/prices.ts";
import { readStatus } from "../ledger/chain/chain-status.ts";
import { readTableSizes } from "../ledger/postgres/measures.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Base } from "./base.ts";

/** What this process counts, beside what the ledger says of all. */
export function openMetrics({ db }: Pick<Base, "db">): Metrics {
  return createMetrics({
    readStatus: (nowMs) => readStatus(db, nowMs),
    readTableSizes: () => readTableSizes(db),
    readPrices: () => readPrices(db),
    clock,
  });
}
