import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { alertRules, withAlertTable } from "../../../../scripts/alert-rules.ts";
import { alertKinds } from "../../../../src/domain/alerts/alert-kinds.ts";
import { conditionsOf, type Snapshot } from "../../../../src/domain/alerts/conditions.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";
import { inCheckout } from "../../../support/checkout.ts";
import { failingFor, minuteMs, nowMs, snapshotOf, snapshotsAt, waitingFor } from "./snapshot.ts";

// The daemon and Prometheus share one table of limits (domain/alerts/alert-kinds.ts). These tests
// hold what each of them makes of it against the other.

type Rule = { alert: string; expr: string; for: string; labels: { severity: string } };
const file: { groups: { rules: Rule[] }[] } = parse(
  readFileSync(inCheckout("monitoring/alerts.yml"), "utf8"),
);
const rules = new Map(
  file.groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]),
);

/** Rules that the daemon has not, and why. */
const ofPrometheusAlone = {
  ChainbellNotMeasured: "a daemon that does not answer alerts nobody",
  ChainbellQuestionsFail:
    "each process counts its questions by itself, and forgets them when it ends",
  ChainbellApiFails: "each process counts its answers by itself, and forgets them when it ends",
};

/**
 * Alerts whose condition is asked in another way here and there, and why. Their times are the same.
 */
const askedOtherwise = {
  ChainbellLedgerUnreadable: "a look that cannot read has nothing to compare",
  ChainbellQueueOutOfReach:
    "the rule counts errors of processes, the daemon asks what relays say in the ledger",
};

/** The comparison that a rule ends with. */
function limitOf(kind: string): { is: string; limit: number } {
  const expr = rules.get(kind)?.expr ?? "";
  const [, is = "", product = ""] = /(>|<|==) ([\d.]+(?: \* \d+)?)$/.exec(expr) ?? [];
  return { is, limit: product.split(" * ").reduce((all, factor) => all * Number(factor), 1) };
}

const found = (snapshot: Snapshot) => conditionsOf(snapshot, nowMs).map(({ kind }) => kind);

test("monitoring/alerts.yml is generated from the table (node scripts/run.mjs alert-rules)", () => {
  expect(readFileSync(inCheckout("monitoring/alerts.yml"), "utf8")).toBe(alertRules());
});

test("docs/how-to/alerts.md has the same table (node scripts/run.mjs alert-rules)", () => {
  const page = readFileSync(inCheckout("docs/how-to/alerts.md"), "utf8");
  expect(page).toContain("[ChainbellNotMeasured](");
  expect(page).toBe(withAlertTable(page));
});

test("the daemon alerts of what the rules for Prometheus alert of, but for what is listed here", () => {
  expect(new Set([...keysOf(alertKinds), ...keysOf(ofPrometheusAlone)])).toEqual(
    new Set(rules.keys()),
  );
});

test("what has no limit to compare is listed here", () => {
  const kinds = [...keysOf(snapshotsAt), ...keysOf(askedOtherwise)];
  expect(kinds.toSorted()).toEqual(keysOf(alertKinds).toSorted());
});

test.each(Object.entries(alertKinds))(
  "%s is of the rule's severity, and holds for the rule's time before it is sent",
  (kind, { forMs, severity }) => {
    const rule = rules.get(kind);
    const [, count, unit] = /^(\d+)(m|h)$/.exec(rule?.for ?? "") ?? [];
    expect(forMs).toBe(Number(count) * (unit === "h" ? 60 : 1) * minuteMs);
    expect(severity).toBe(rule?.labels.severity);
  },
);

test.each(Object.entries(snapshotsAt))("%s has the rule's limit", (kind, snapshotAt) => {
  const { is, limit } = limitOf(kind);
  const step = Number.isInteger(limit) ? 1 : 0.01;
  const byOperator: Record<string, [without: number, beyond: number]> = {
    ">": [limit, limit + step],
    "<": [limit, limit - step],
    "==": [limit + step, limit],
  };
  const [without, beyond] = byOperator[is] ?? [Number.NaN, Number.NaN];
  expect(found(snapshotAt(without))).toEqual([]);
  expect(found(snapshotAt(beyond))).toEqual([kind]);
});

describe("a notification that waits while a receiver fails", () => {
  const failing = { deactivated: 0, inactive: [], failing: [failingFor(10 * minuteMs)] };
  const outbox = waitingFor(10 * minuteMs);

  test("is told of where its own receiver does not fail, whoever else's does", () => {
    expect(found(snapshotOf({}, { outbox, webhooks: failing }))).toEqual(["ChainbellMoneyLate"]);
  });

  test("is not told of where all that is late waits for such a receiver", () => {
    const snapshot = snapshotOf({}, { outbox: { ...outbox, lateSince: null }, webhooks: failing });
    expect(found(snapshot)).toEqual([]);
  });
});
