import type { EventLevel, LogEvent } from "../runtime/log-events.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Metrics } from "./metrics.ts";

type Counted = Pick<
  Metrics,
  "deliveryAttempted" | "reorgUndone" | "spansDropped" | "troubleLogged"
>;

/**
 * A logger that also counts. Every part logs each outcome once, as a line `noun.verb` with all its
 * fields. So outcomes are counted here. No part needs to know of metrics, and the counts always
 * match the log.
 */
export function observeLog(log: Logger, metrics: Counted): Logger {
  const observing =
    <Level extends EventLevel>(level: Level) =>
    (fields: object, event: LogEvent<Level>): void => {
      observe(fields, event, metrics);
      if (level === "warn" || level === "error") metrics.troubleLogged(event);
      log[level](fields, event);
    };
  return {
    debug: observing("debug"),
    info: observing("info"),
    warn: observing("warn"),
    error: observing("error"),
  };
}

function observe(fields: object, event: LogEvent, metrics: Counted): void {
  if (event === "delivery.attempted") {
    const [outcome, latencyMs] = [Reflect.get(fields, "outcome"), Reflect.get(fields, "latencyMs")];
    if (typeof outcome !== "string" || typeof latencyMs !== "number") return;
    metrics.deliveryAttempted({ outcome, latencyMs });
  }
  if (event === "spans.dropped") metrics.spansDropped(Number(Reflect.get(fields, "spans")));
  if (event === "reorg.undone") metrics.reorgUndone(String(Reflect.get(fields, "chain")));
}
