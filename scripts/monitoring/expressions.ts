import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { inCheckout } from "../../test/support/checkout.ts";

type Rule = {
  alert: string;
  expr: string;
  for: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
};

/** Something that is asked of Prometheus. */
export type Expression = {
  name: string;
  expr: string;
  /** Labels that are written beside what is shown. */
  labels: readonly string[];
};

export const rulesFile = inCheckout("monitoring", "alerts.yml");

const file: { groups: { rules: Rule[] }[] } = parse(readFileSync(rulesFile, "utf8"));

export const rules: readonly Rule[] = file.groups.flatMap((group) => group.rules);

type Panel = { title: string; targets?: { expr: string; legendFormat?: string }[] };

const dashboard: { panels: Panel[] } = JSON.parse(
  readFileSync(inCheckout("monitoring", "dashboard.json"), "utf8"),
);

/** What Grafana puts into an expression. */
const grafana: readonly [variable: RegExp, value: string][] = [
  [/\$__rate_interval\b/g, "1m"],
  [/\$__interval\b/g, "15s"],
  [/\$__range\b/g, "1h"],
];

/** What the dashboard's panels ask. */
export const panels: readonly Expression[] = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat = "" }) => ({
    name: title,
    expr: grafana.reduce((text, [variable, value]) => text.replaceAll(variable, value), expr),
    labels: [...legendFormat.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label = ""]) => label),
  })),
);

/**
 * What the rules look at, without the limits that they compare it with: that has to be there while
 * all is well.
 */
export const measured: readonly Expression[] = rules.map(({ alert, expr, annotations }) => ({
  name: alert,
  expr: expr.replace(/ unless .*/, "").replace(/ (?:>|<|==) [\d. *]+$/, ""),
  labels: [
    ...Object.values(annotations)
      .join()
      .matchAll(/\$labels\.(\w+)/g),
  ].map(([, label = ""]) => label),
}));

/** What has no data while all is well, and why. */
export const rightlyEmpty: Readonly<Record<string, string>> = {
  ChainbellNotMeasured: "it is measured",
  ChainbellUpgradeAhead: "there is no upgrade that is not read",
  ChainbellApiFails: "no answer was an error",
};

/**
 * The same rule, so that it can be seen to fire: at once, and with a limit that is reached within
 * seconds.
 */
export function soon(alert: string, limit: [from: string, to: string] | null): Rule {
  const rule = rules.find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`There is no rule ${alert}.`);
  const [from, to] = limit ?? ["", ""];
  if (!rule.expr.includes(from)) throw new Error(`${alert} does not say ${from}.`);
  return {
    ...rule,
    expr: rule.expr.replace(from, to),
    for: "1s",
    labels: { ...rule.labels, soon: "yes" },
  };
}
