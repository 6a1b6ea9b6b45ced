import { readPrices } from "../ledger/balances/prices.ts";
import { readStatus } from "../ledger/chain/chain-status.ts";
import { readTableSizes } from "../ledger/postgres/measures.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Base } from "./base.ts";

/** The metrics: what this process counts, and what the ledger knows of all processes. */
export function openMetrics({ db }: Pick<Base, "db">): Metrics {
  return createMetrics({
    readStatus: (nowMs) => readStatus(db, nowMs),
    readTableSizes: () => readTableSizes(db),
    readPrices: () => readPrices(db),
    clock,
  });
}
