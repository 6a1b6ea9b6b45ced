import { keysOf } from "../keys-of.ts";

/** The worst first. */
export const severities = ["critical", "warning"] as const;

export type Severity = (typeof severities)[number];

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/**
 * Every alert that the operator may get: its severity, and how long its condition must last, in ms.
 * The Prometheus rules in monitoring/alerts.yml are generated from this table
 * (scripts/alert-rules.ts).
 */
export const alertKinds = {
  ChainbellLedgerUnreadable: { severity: "critical", forMs: 2 * minuteMs },
  ChainbellChainNotWatched: { severity: "critical", forMs: minuteMs },
  ChainbellChainStopped: { severity: "critical", forMs: 2 * minuteMs },
  ChainbellChainSilent: { severity: "critical", forMs: minuteMs },
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
  ChainbellEndpointSlow: { severity: "warning", forMs: 10 * minuteMs },
  ChainbellUpgradeAhead: { severity: "warning", forMs: 60 * minuteMs },
  ChainbellAuditUnchained: { severity: "critical", forMs: minuteMs },
  ChainbellSnapshotOld: { severity: "warning", forMs: 5 * minuteMs },
  ChainbellDeadRows: { severity: "warning", forMs: 30 * minuteMs },
  ChainbellClaimsSlow: { severity: "warning", forMs: 5 * minuteMs },
  ChainbellPriceStale: { severity: "warning", forMs: 30 * minuteMs },
} as const satisfies Record<string, { severity: Severity; forMs: number }>;

export type AlertKind = keyof typeof alertKinds;

/** The limits beyond which an alert begins. The Prometheus rules are generated from them. */
export const alertLimits = {
  /**
   * The time, in ms, for which all endpoints of a chain may be silent. One lost request is repeated
   * within it.
   */
  silenceMs: 5 * secondMs,
  /** The time that a chain may be behind, in ms. */
  lagMs: 5 * minuteMs,
  /** The time that a chain may wait for further endpoints, in ms. */
  heldMs: 15 * minuteMs,
  /** The time that a notification may wait to be sent, in ms. */
  notificationWaitMs: 5 * minuteMs,
  /** The time that an entry of the audit trail may wait for its place in the chain, in ms. */
  auditWaitMs: minuteMs,
  /** The age that a snapshot of the database may have, in ms: a dump rarely takes longer. */
  snapshotMs: 60 * minuteMs,
  /** The dead rows that the table of due deliveries may have: vacuum leaves far fewer. */
  dueDeadRows: 1_000_000,
  /** The time that a claim of due deliveries may take, in ms: it usually takes a few. */
  claimMs: secondMs,
  /** The time that a webhook may fail, in ms. */
  webhookFailureMs: 30 * minuteMs,
  /** The least share of good answers among an endpoint's answers, from 0 to 1. */
  endpointScore: 0.5,
  /** The blocks that an endpoint may be behind another endpoint of its chain. */
  endpointBlocksBehind: 100,
  /** The time that an endpoint's answers may take on average, in ms: each block needs several. */
  endpointLatencyMs: 2 * secondMs,
  /** The alert of an unsupported upgrade of a chain begins this many days before the upgrade. */
  upgradeDays: 14,
} as const;

/** Every kind that there is. */
export const alertKindNames: readonly AlertKind[] = keysOf(alertKinds);

export function isAlertKind(text: string): text is AlertKind {
  return Object.hasOwn(alertKinds, text);
}

/** The runbook of an alert: a section of a page of this repository. */
export function runbookOf(kind: AlertKind): string {
  return `docs/runbooks.md#${kind.toLowerCase()}`;
}

/**
 * Sorts conditions for an operator. Severity comes first, then the order of the table above, then
 * the time for which they have held. Otherwise the order stays.
 */
export function worstFirst<Holding extends { kind: AlertKind; sinceMs: number | null }>(
  found: readonly Holding[],
): Holding[] {
  const rankOf = ({ kind, sinceMs }: Holding) => [
    severities.indexOf(alertKinds[kind].severity),
    alertKindNames.indexOf(kind),
    sinceMs ?? Number.MAX_SAFE_INTEGER,
  ];
  return found.toSorted((a, b) => {
    const [first, second] = [rankOf(a), rankOf(b)];
    const at = first.findIndex((rank, index) => rank !== second[index]);
    return (first[at] ?? 0) - (second[at] ?? 0);
  });
}
