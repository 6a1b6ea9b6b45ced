import { keysOf } from "../keys-of.ts";

export type Severity = "critical" | "warning";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/**
 * What the operator is alerted of, by the names and for the times of monitoring/alerts.yml. The rules that there are for Prometheus alone
 * ask what each process counts by itself.
 */
export const alertKinds = {
  ChainbellLedgerUnreadable: { severity: "critical", forMs: 2 * minuteMs },
  ChainbellChainNotWatched: { severity: "critical", forMs: minuteMs },
  ChainbellChainStopped: { severity: "critical", forMs: 2 * minuteMs },
  ChainbellChainBehind: { severity: "critical", forMs: 5 * minuteMs },
  ChainbellChainHeld: { severity: "critical", forMs: minuteMs },
  ChainbellLedgerDiffers: { severity: "critical", forMs: 15 * minuteMs },
  ChainbellMoneyUnproven: { severity: "warning", forMs: 15 * minuteMs },
  ChainbellNoDispatcher: { severity: "critical", forMs: minuteMs },
  ChainbellNoRelay: { severity: "critical", forMs: 5 * minuteMs },
  ChainbellMoneyLate: { severity: "critical", forMs: 2 * minuteMs },
  ChainbellQueueOutOfReach: { severity: "critical", forMs: 5 * minuteMs },
  ChainbellWebhookFailing: { severity: "warning", forMs: 5 * minuteMs },
  ChainbellWebhookDeactivated: { severity: "warning", forMs: 10 * minuteMs },
  ChainbellEndpointFailing: { severity: "warning", forMs: 10 * minuteMs },
  ChainbellEndpointBehind: { severity: "warning", forMs: 10 * minuteMs },
  ChainbellUpgradeAhead: { severity: "warning", forMs: 60 * minuteMs },
  ChainbellPriceStale: { severity: "warning", forMs: 30 * minuteMs },
} as const satisfies Record<string, { severity: Severity; forMs: number }>;

export type AlertKind = keyof typeof alertKinds;

/** Every kind that there is. */
export const alertKindNames: readonly AlertKind[] = keysOf(alertKinds);

export function isAlertKind(text: string): text is AlertKind {
  return Object.hasOwn(alertKinds, text);
}

/** What to do about it: a section of a page of this repository. */
export function runbookOf(kind: AlertKind): string {
  return `docs/runbooks.md#${kind.toLowerCase()}`;
}
