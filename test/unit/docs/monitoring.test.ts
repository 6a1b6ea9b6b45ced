import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { anchorsOf } from "../../support/docs/markdown.ts";
import { sampleMetrics } from "../../support/docs/sample-metrics.ts";

type Rule = { alert: string; expr: string; annotations: { runbook: string } };

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

const groups: { groups: { rules: Rule[] }[] } = parse(read("monitoring/alerts.yml"));
const rules = groups.groups.flatMap((group) => group.rules);

const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
  read("monitoring/dashboard.json"),
);

/** Of alerts and panels: what it is called, and what it asks. */
const queries = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [title, expr]),
  ),
];

/** By the name of a series of /metrics: its labels. */
let series: Map<string, Set<string>>;

beforeAll(async () => {
  series = new Map();
  for (const [, name = "", labels = ""] of (await sampleMetrics()).matchAll(
    /^([a-z_]+)(?:\{(.*)\})? \S+$/gm,
  )) {
    const names = [...labels.matchAll(/([a-z_]+)="/g)].map(([, label = ""]) => label);
    series.set(name, new Set([...(series.get(name) ?? []), ...names]));
  }
});

/** What Prometheus itself adds. */
const ofScrapes = ["instance"];

test.each(queries)("%s asks for series and labels that /metrics has", (_name, expr) => {
  const names = expr.match(/chainbell_[a-z_]+/g) ?? [];
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !series.has(name))).toEqual([]);
  const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, list = ""]) => list);
  const matched = [...expr.matchAll(/([a-z_]+)=~?"/g)].map(([, label = ""]) => label);
  const labels = [...grouped.flatMap((list) => list.split(/,\s*/)), ...matched].filter(Boolean);
  const known = new Set([...names.flatMap((name) => [...(series.get(name) ?? [])]), ...ofScrapes]);
  expect(labels.filter((label) => !known.has(label))).toEqual([]);
});

test("every alert has a runbook, and every runbook an alert", () => {
  const anchors = anchorsOf(read("docs/runbooks.md"));
  const wanted = rules.map(({ annotations }) => annotations.runbook);
  expect(wanted.filter((path) => !anchors.has(path.replace("docs/runbooks.md#", "")))).toEqual([]);
  const sections = read("docs/runbooks.md").match(/^## .*/gm) ?? [];
  expect(sections.map((line) => line.slice(3))).toEqual(rules.map(({ alert }) => alert));
});

test("a series that there is not would be found", () => {
  expect(series.has("chainbell_nothing")).toBe(false);
  expect(series.get("chainbell_chain_stopped")).toEqual(new Set(["chain", "reason"]));
  expect(series.has("chainbell_rpc_seconds_count")).toBe(true);
});
