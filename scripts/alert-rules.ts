// Writes monitoring/alerts.yml, the rules for Prometheus, from the table of what the daemon alerts of.
// Writes the same as a table into docs/how-to/alerts.md.
// Usage: node scripts/run.mjs alert-rules
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import {
  alertKinds,
  alertLimits,
  isAlertKind,
  type Severity,
} from "../src/domain/alerts/alert-kinds.ts";
import { inCheckout } from "../test/support/checkout.ts";
import { table } from "../test/support/docs/markdown.ts";

type Rule = {
  severity: Severity;
  /** How long the expression must hold, in ms. */
  forMs: number;
  expr: string;
  /** The same in words, for the page of alerts. */
  when: string;
  summary: string;
  description: string;
};

const minuteMs = 60_000;

/**
 * By the name of the alert, in the order of docs/runbooks.md. Three rules are for Prometheus alone:
 * a daemon that does not answer alerts nobody, and each process counts its own questions and answers.
 */
const rules: Record<keyof typeof alertKinds | OfPrometheusAlone, Rule> = {
  ChainbellNotMeasured: {
    severity: "critical",
    forMs: 5 * minuteMs,
    expr: "absent(chainbell_ledger_up)",
    when: "no process answers `/metrics`",
    summary: "Nothing is measured",
    description: "No process of Chainbell answers /metrics.",
  },
  ChainbellLedgerUnreadable: {
    ...alertKinds.ChainbellLedgerUnreadable,
    expr: "max(chainbell_ledger_up) == 0",
    when: "no process can read PostgreSQL",
    summary: "PostgreSQL cannot be read",
    description: "No process of Chainbell can read its database.",
  },
  ChainbellChainNotWatched: {
    ...alertKinds.ChainbellChainNotWatched,
    expr: "max by (chain) (chainbell_chain_watched) == 0",
    when: "no process watches a chain",
    summary: "{{ $labels.chain }} is not watched",
    description: "No process holds the lease of the chain: what is paid is not seen.",
  },
  ChainbellChainStopped: {
    ...alertKinds.ChainbellChainStopped,
    expr: "max by (chain, reason) (chainbell_chain_stopped) > 0",
    when: "a chain is [stopped](stopped-chain.md)",
    summary: "{{ $labels.chain }} is stopped",
    description: "Every endpoint that answers is refused: {{ $labels.reason }}.",
  },
  ChainbellChainSilent: {
    ...alertKinds.ChainbellChainSilent,
    expr: `min by (chain) (max by (chain, endpoint) (chainbell_endpoint_silent_seconds)) > ${alertLimits.silenceMs / 1_000}`,
    when: `no endpoint of a chain has answered for more than ${alertLimits.silenceMs / 1_000} s`,
    summary: "No endpoint of {{ $labels.chain }} answers",
    description: "What is paid is not seen until one of them answers again.",
  },
  ChainbellChainBehind: {
    ...alertKinds.ChainbellChainBehind,
    expr: `max by (chain) (chainbell_chain_lag_seconds) > ${alertLimits.lagMs / 1_000}`,
    when: `a chain is more than ${alertLimits.lagMs / minuteMs} min behind`,
    summary: "{{ $labels.chain }} is {{ $value | humanizeDuration }} behind",
    description: "Deposits are seen that much later.",
  },
  ChainbellChainHeld: {
    ...alertKinds.ChainbellChainHeld,
    expr: `max by (chain, what, reason) (chainbell_chain_held unless chainbell_chain_held{what="history", reason="refused"}) > ${alertLimits.heldMs / 1_000}`,
    when: `a block has waited more than ${alertLimits.heldMs / minuteMs} min for [agreement](disagreement.md)`,
    summary: "{{ $labels.chain }} waits for further endpoints",
    description: "{{ $labels.what }}: {{ $labels.reason }}. Nothing is confirmed meanwhile.",
  },
  ChainbellLedgerDiffers: {
    ...alertKinds.ChainbellLedgerDiffers,
    expr: "max by (chain) (chainbell_chain_discrepancies) > 0",
    when: "a balance of the ledger differs from the chain's",
    summary: "The ledger differs from {{ $labels.chain }}",
    description: "{{ $value }} balances differ from what the chain says.",
  },
  ChainbellMoneyUnproven: {
    ...alertKinds.ChainbellMoneyUnproven,
    expr: "max by (chain) (chainbell_chain_unproven_transactions) > 0",
    when: "a transaction is pending because the balances around its block do not show it",
    summary: "Coin on {{ $labels.chain }} is not shown by balances",
    description: "{{ $value }} transactions stay pending until their block's balances show them.",
  },
  ChainbellNoDispatcher: {
    ...alertKinds.ChainbellNoDispatcher,
    expr: "max(chainbell_dispatchers) == 0",
    when: "no process sends notifications",
    summary: "No process sends notifications",
    description: "What is confirmed is not announced.",
  },
  ChainbellNoRelay: {
    ...alertKinds.ChainbellNoRelay,
    expr: "max(chainbell_relays) == 0",
    when: "no process passes due notifications on",
    summary: "No process passes on what is due",
    description: "What is confirmed stays in PostgreSQL, and is not sent.",
  },
  ChainbellMoneyLate: {
    ...alertKinds.ChainbellMoneyLate,
    expr: `max(chainbell_outbox_late_seconds) > ${alertLimits.notificationWaitMs / 1_000}`,
    when: `a notification has waited more than ${alertLimits.notificationWaitMs / minuteMs} min, and its receiver is not failing`,
    summary: "A notification has waited for {{ $value | humanizeDuration }}",
    description: "Its receiver is not failing, so the delay is ours.",
  },
  ChainbellQueueOutOfReach: {
    ...alertKinds.ChainbellQueueOutOfReach,
    expr: 'sum(increase(chainbell_warnings_total{event="queue.error"}[5m])) > 0',
    when: "the queue (Redis or PostgreSQL) answers with errors",
    summary: "The queue is out of reach",
    description: "Redis, or the queue in PostgreSQL, has answered with errors for five minutes.",
  },
  ChainbellWebhookFailing: {
    ...alertKinds.ChainbellWebhookFailing,
    expr: `max by (webhook) (chainbell_webhook_failing_seconds) > ${alertLimits.webhookFailureMs / 1_000}`,
    when: `every attempt of a webhook has failed for more than ${alertLimits.webhookFailureMs / minuteMs} min`,
    summary: "Webhook {{ $labels.webhook }} has failed for {{ $value | humanizeDuration }}",
    description: "Its business hears of its money late.",
  },
  ChainbellWebhookDeactivated: {
    ...alertKinds.ChainbellWebhookDeactivated,
    expr: "max(chainbell_webhooks_deactivated) > 0",
    when: "a webhook is [deactivated](../contract.md#deactivation)",
    summary: "{{ $value }} webhooks are deactivated",
    description: "Their events are held.",
  },
  ChainbellEndpointFailing: {
    ...alertKinds.ChainbellEndpointFailing,
    expr: `max by (chain, endpoint) (chainbell_endpoint_score) < ${alertLimits.endpointScore}`,
    when: `fewer than ${alertLimits.endpointScore * 100} % of an endpoint's answers are good`,
    summary: "{{ $labels.endpoint }} fails",
    description:
      "An endpoint of {{ $labels.chain }} answers badly or not at all; the others carry on without it.",
  },
  ChainbellEndpointBehind: {
    ...alertKinds.ChainbellEndpointBehind,
    expr: `max by (chain) (chainbell_endpoint_head) - on (chain) group_right max by (chain, endpoint) (chainbell_endpoint_head) > ${alertLimits.endpointBlocksBehind}`,
    when: `an endpoint is more than ${alertLimits.endpointBlocksBehind} blocks behind another one of its chain`,
    summary: "{{ $labels.endpoint }} is behind",
    description: "It is {{ $value }} blocks of {{ $labels.chain }} below another endpoint.",
  },
  ChainbellEndpointSlow: {
    ...alertKinds.ChainbellEndpointSlow,
    expr: `max by (chain, endpoint) (chainbell_endpoint_latency_seconds) > ${alertLimits.endpointLatencyMs / 1_000}`,
    when: `an endpoint takes more than ${alertLimits.endpointLatencyMs / 1_000} s for an answer, on average`,
    summary: "{{ $labels.endpoint }} is slow",
    description:
      "Answers of an endpoint of {{ $labels.chain }} take {{ $value | humanizeDuration }} on average.",
  },
  ChainbellQuestionsFail: {
    severity: "warning",
    forMs: 10 * minuteMs,
    expr: "sum by (chain) (rate(chainbell_rpc_errors_total[10m])) / sum by (chain) (rate(chainbell_rpc_seconds_count[10m])) > 0.2",
    when: "more than 20 % of the questions to a chain's endpoints fail",
    summary: "A fifth of the questions to {{ $labels.chain }} fail",
    description: "No endpoint answered them.",
  },
  ChainbellUpgradeAhead: {
    ...alertKinds.ChainbellUpgradeAhead,
    expr: `min by (chain, upgrade) (chainbell_chain_upgrade_seconds) < ${alertLimits.upgradeDays} * 86400`,
    when: `a chain upgrades in less than ${alertLimits.upgradeDays} days, and this version does not read the upgrade`,
    summary:
      "{{ $labels.chain }} upgrades to {{ $labels.upgrade }} in {{ $value | humanizeDuration }}",
    description: "This version does not read that upgrade.",
  },
  ChainbellAuditUnchained: {
    ...alertKinds.ChainbellAuditUnchained,
    expr: `max(chainbell_audit_waiting_seconds) > ${alertLimits.auditWaitMs / 1_000}`,
    when: `an entry of the audit trail has waited more than ${alertLimits.auditWaitMs / minuteMs} min for its place in the chain of entries`,
    summary: "An entry of the audit trail has no place in its chain",
    description:
      "No process gives places, or somebody inserted an entry that Chainbell did not write.",
  },
  ChainbellSnapshotOld: {
    ...alertKinds.ChainbellSnapshotOld,
    expr: `max(chainbell_database_oldest_snapshot_seconds) > ${alertLimits.snapshotMs / 1_000}`,
    when: `a session holds a snapshot of PostgreSQL for more than ${alertLimits.snapshotMs / minuteMs} min`,
    summary: "A snapshot of the database is {{ $value | humanizeDuration }} old",
    description: "Vacuum cannot remove dead rows while a session holds it.",
  },
  ChainbellDeadRows: {
    ...alertKinds.ChainbellDeadRows,
    expr: `max(chainbell_due_dead_rows) > ${alertLimits.dueDeadRows}`,
    when: `the table of due deliveries has more than ${alertLimits.dueDeadRows.toLocaleString("en")} dead rows`,
    summary: "The table of due deliveries has {{ $value }} dead rows",
    description: "Vacuum does not keep up, or something keeps it from removing them.",
  },
  ChainbellClaimsSlow: {
    ...alertKinds.ChainbellClaimsSlow,
    expr: `max(chainbell_claim_seconds) > ${alertLimits.claimMs / 1_000}`,
    when: `claiming due deliveries takes more than ${alertLimits.claimMs / 1_000} s`,
    summary: "Claiming due deliveries takes {{ $value | humanizeDuration }}",
    description: "Each claim is made under one lock, so notifications are late.",
  },
  ChainbellPriceStale: {
    ...alertKinds.ChainbellPriceStale,
    expr: "max by (chain, asset) (chainbell_price_fresh) == 0",
    when: "an asset's price is too old to be used",
    summary: "The price of {{ $labels.asset }} on {{ $labels.chain }} is too old",
    description: "It is left out of net worth.",
  },
  ChainbellApiFails: {
    severity: "critical",
    forMs: 5 * minuteMs,
    expr: 'sum(rate(chainbell_api_request_seconds_count{status=~"5..",route!~"/health/.*|/metrics"}[5m])) / sum(rate(chainbell_api_request_seconds_count{route!~"/health/.*|/metrics"}[5m])) > 0.01',
    when: "more than 1 % of the API's answers are 5xx",
    summary: "The API fails",
    description: "{{ $value | humanizePercentage }} of its answers are errors of ours.",
  },
};

type OfPrometheusAlone = "ChainbellNotMeasured" | "ChainbellQuestionsFail" | "ChainbellApiFails";

/** The whole text of monitoring/alerts.yml. */
export function alertRules(): string {
  const group = {
    name: "chainbell",
    rules: Object.entries(rules).map(
      ([alert, { severity, forMs, expr, summary, description }]) => ({
        alert,
        expr,
        for: `${forMs / minuteMs}m`,
        labels: { severity },
        annotations: {
          summary,
          description,
          runbook: `docs/runbooks.md#${alert.toLowerCase()}`,
        },
      }),
    ),
  };
  const about = [
    "# Alert rules for Prometheus, generated: node scripts/run.mjs alert-rules",
    "# Every series is one of /metrics, and every alert has a section in docs/runbooks.md.",
    "# `max` and `min`: each process answers with what the ledger says of all processes.",
  ];
  return `${about.join("\n")}\n${stringify({ groups: [group] }, { lineWidth: 0 })}`;
}

const begin = "<!-- alerts: begin (node scripts/run.mjs alert-rules) -->";
const end = "<!-- alerts: end -->";

/** The page with the table of all alerts between its two marks, as the rules are now. */
export function withAlertTable(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error("The page has no place for the table of alerts.");
  return `${page.slice(0, from)}${begin}\n\n${alertTable()}\n${page.slice(to)}`;
}

function alertTable(): string {
  const rows = Object.entries(rules).map(([alert, { severity, forMs, when }]) => [
    `[${alert}](../runbooks.md#${alert.toLowerCase()})`,
    when,
    `${forMs / minuteMs} min`,
    severity,
    isAlertKind(alert) ? "both" : "Prometheus",
  ]);
  return table(["alert", "begins when", "for", "severity", "who alerts"], rows);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const page = inCheckout("docs", "how-to", "alerts.md");
  writeFileSync(inCheckout("monitoring", "alerts.yml"), alertRules());
  writeFileSync(page, withAlertTable(readFileSync(page, "utf8")));
}
