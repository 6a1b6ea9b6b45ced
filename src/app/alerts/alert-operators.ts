import { randomUUID } from "node:crypto";
import { createAlerter } from "../../alerts/alerter.ts";
import type { AlertLedger } from "../../domain/alerts/alert-ledger.ts";
import type { AlertSettings } from "../../domain/alerts/alert-settings.ts";
import { readAlertSnapshot } from "../../ledger/alert-snapshot.ts";
import {
  readDueAlert,
  recordAlertFailure,
  recordAlertSent,
} from "../../ledger/alerts/alert-messages.ts";
import { settleAlerts } from "../../ledger/alerts/settle-alerts.ts";
import { releaseLease, takeLease } from "../../ledger/chain/lease.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Loop } from "../../runtime/loop.ts";
import type { Redaction } from "../../runtime/redaction.ts";
import { openChannels } from "./channels.ts";

/**
 * Longer than one look and the messages that follow it take. If the holder dies, another process
 * takes over after this time and one pause between looks, at most.
 */
const leaseMs = 90_000;

/**
 * `installation`: the id of the database. `version`: that of Chainbell. Both are in each message.
 */
type AlertBase = { db: Database; installation: string; version: string; log: Logger } & {
  redaction: Pick<Redaction, "text">;
  metrics: Pick<Metrics, "alertSent">;
};

/**
 * Makes alerts from the ledger and sends them to the operator. Every process runs this part,
 * whatever its roles: only the holder of the lease works.
 */
export function alertOperators(base: AlertBase, settings: AlertSettings): Loop {
  const { db, installation, version, log, redaction, metrics } = base;
  return createAlerter(
    {
      ledger: alertLedger(db, installation),
      readSnapshot: (nowMs) => readAlertSnapshot(db, nowMs),
      channels: openChannels(settings, `Chainbell/${version}`),
      onSent: metrics.alertSent,
      redact: redaction.text,

      installation,
      clock,
      log,
    },
    settings.policy,
  );
}

function alertLedger(db: Database, installation: string): AlertLedger {
  const lease = { name: "alerts", holder: randomUUID() };
  return {
    takeLease: () => takeLease(db, { ...lease, ttlMs: leaseMs }),
    releaseLease: () => releaseLease(db, lease),
    settle: (...input) => settleAlerts(db, lease, installation, input),
    readDue: (channel, longestPauseMs) => readDueAlert(db, { channel, longestPauseMs }),
    recordSent: (...input) => recordAlertSent(db, ...input),
    recordFailure: (...input) => recordAlertFailure(db, ...input),
  };
}
