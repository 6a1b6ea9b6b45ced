// Shows that what Prometheus and Grafana are told of Chainbell works: a real Prometheus, with our
// rules, asks two real processes in production mode under deposits. The rules are loaded and
// evaluated, what they and the dashboard ask is there, nothing fires while all is well, and alerts
// fire when things break: copies of them that wait for seconds. Prints a table, and ends with 1
// where anything is wrong. Needs prometheus and promtool in PATH. Usage: node scripts/run.mjs
// monitoring
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeWithUs } from "../test/support/process/reaper.ts";
import { createResources } from "../test/support/resources.ts";
import { waitFor } from "../test/support/wait-for.ts";
import {
  type Expression,
  measured,
  panels,
  rightlyEmpty,
  rules,
  rulesFile,
  soon,
} from "./monitoring/expressions.ts";
import {
  type FiringAlert,
  missingProgram,
  type Prometheus,
  promtool,
  startPrometheus,
} from "./monitoring/prometheus.ts";
import { openScene, type Scene } from "./monitoring/scene.ts";

/** A line of the table; `wrong` is null where all is well. */
type Line = { what: string; found: string; wrong: string | null };

const timeoutMs = 120_000;
const failing = "ChainbellWebhookFailing";

/**
 * Of copies: limits that are reached within seconds in the place of those that are not. An endpoint
 * that is down is asked less and less often.
 */
const limits: Readonly<Record<string, [from: string, to: string]>> = {
  [failing]: ["> 1800", "> 3"],
  ChainbellEndpointFailing: ["< 0.5", "< 0.8"],
};

/** What breaks, one after the other, and what fires then. */
const breaks = (scene: Scene): { how: () => Promise<unknown>; what: string; fires: string[] }[] => [
  { how: async () => {}, what: "a webhook fails", fires: [failing] },
  {
    how: scene.breakEndpoint,
    what: "an endpoint drops every connection",
    fires: ["ChainbellEndpointFailing"],
  },
  ...(scene.breakQueue === null
    ? []
    : [{ how: scene.breakQueue, what: "Redis is killed", fires: ["ChainbellQueueOutOfReach"] }]),
  {
    how: scene.killWorker,
    what: "the process that works is killed",
    fires: ["ChainbellChainNotWatched", "ChainbellNoDispatcher", "ChainbellNoRelay"],
  },
  { how: scene.killApi, what: "the other process is killed", fires: ["ChainbellNotMeasured"] },
];

const missing = missingProgram();
if (missing !== null) {
  console.error(missing);
  process.exit(1);
}
const lines: Line[] = [];
const resources = createResources();
try {
  const scene = await openScene(resources);
  const steps = breaks(scene);
  const ruleFiles = [rulesFile, writeSoon(steps.flatMap(({ fires }) => fires))];
  const starting = startPrometheus({ ports: scene.ports, ruleFiles });
  const prometheus = await resources.open(starting, (one) => one.stop());
  await check(scene, prometheus);
  for (const { how, what, fires } of steps) {
    await how();
    for (const name of fires) lines.push(await fire(prometheus, name, what));
  }
} finally {
  await resources.end();
}
print();
process.exit(lines.some(({ wrong }) => wrong !== null) ? 1 : 0);

/** Copies of these rules that do not wait. Answers the file. */
function writeSoon(alerts: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "chainbell-rules-"));
  removeWithUs(folder);
  const path = join(folder, "soon.json");
  const copies = alerts.map((name) => soon(name, limits[name] ?? null));
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ groups: [{ name: "soon", rules: copies }] }));
  return path;
}

async function check(scene: Scene, prometheus: Prometheus): Promise<void> {
  lines.push({
    what: "promtool check rules",
    found: "monitoring/alerts.yml",
    wrong: promtool(["rules", rulesFile]),
  });
  await waitFor(() => scene.received() > 10, { what: "notifications", timeoutMs });
  await scene.reorganise();
  const metrics = await scene.metrics();
  const count = new Set(metrics.match(/^[a-z_]+/gm)).size;
  lines.push({
    what: "promtool check metrics",
    found: `${count} series by name`,
    wrong: promtool(["metrics"], metrics),
  });
  for (const expression of [...measured, ...panels]) lines.push(await ask(prometheus, expression));
  const errors = (await prometheus.scrapeErrors()).filter((error) => error !== "");
  lines.push({
    what: "scrapes",
    found: `${scene.ports.length} processes`,
    wrong: errors.length === 0 ? null : errors.join("; "),
  });
  lines.push(await evaluated(prometheus));
}

/** Waits for its data. */
async function ask(prometheus: Prometheus, { name, expr, labels }: Expression): Promise<Line> {
  const what = `${name}: \`${expr}\``;
  const reason = rightlyEmpty[name];
  const answer = await waitFor(
    async () => {
      const found = await prometheus.query(expr);
      return "error" in found || found.series.length > 0 || reason !== undefined ? found : null;
    },
    { what, timeoutMs: 20_000 },
  ).catch(() => null);
  if (answer === null) return { what, found: "nothing", wrong: "no data" };
  if ("error" in answer) return { what, found: "", wrong: answer.error };
  const { series } = answer;
  if (series.length === 0) return { what, found: `nothing: ${reason}`, wrong: null };
  const unsaid = labels.filter((label) => series.some((one) => (one[label] ?? "") === ""));
  return {
    what,
    found: `${series.length} series`,
    wrong: unsaid.length === 0 ? null : `without the label ${unsaid.join(", ")}`,
  };
}

/** Every rule, as it stands in the file, was evaluated, and none of them fires. */
async function evaluated(prometheus: Prometheus): Promise<Line> {
  const loaded = await waitFor(
    async () => {
      const all = await prometheus.rules();
      return all.every(({ health }) => health !== "unknown") ? all : null;
    },
    { what: "every rule to be evaluated", timeoutMs },
  );
  const ours = rules.map(({ alert }) => alert);
  const lost = ours.filter((name) => !loaded.some((rule) => rule.name === name));
  const bad = loaded.filter(({ health }) => health !== "ok");
  const loud = loaded.filter(
    ({ name, alerts }) => alerts.length > 0 && !(name === failing && alerts.every(isSoon)),
  );
  const wrong = [
    ...lost.map((name) => `${name} is not loaded`),
    ...bad.map(({ name, lastError }) => `${name}: ${lastError}`),
    ...loud.map(({ name, alerts }) => `${name} is ${alerts[0]?.state} though all is well`),
  ];
  return {
    what: "rules are loaded, evaluated and quiet",
    found: `${ours.length} rules`,
    wrong: wrong.length === 0 ? null : wrong.join("; "),
  };
}

function isSoon({ labels }: FiringAlert): boolean {
  return labels["soon"] === "yes";
}

/** Waits until the copy of this rule fires. */
async function fire(prometheus: Prometheus, name: string, why: string): Promise<Line> {
  const what = `${name} fires when ${why}`;
  const alert = await waitFor(
    async () => {
      const found = (await prometheus.rules()).filter((rule) => rule.name === name);
      const alerts = found.flatMap(({ alerts }) => alerts).filter(isSoon);
      return alerts.find(({ state }) => state === "firing");
    },
    { what, timeoutMs },
  ).catch(() => null);
  if (alert === null) return { what, found: "nothing", wrong: "it does not fire" };
  const { summary = "", description = "" } = alert.annotations;
  const found = `${summary}. ${description}`;
  const isWhole = !/<no value>|<error|\{\{| {2}/.test(found);
  return { what, found, wrong: isWhole ? null : "a label is missing" };
}

function print(): void {
  console.log("| what | found | wrong |\n|---|---|---|");
  for (const { what, found, wrong } of lines)
    console.log(
      `| ${[what, found, wrong ?? ""].map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`,
    );
  const wrong = lines.filter((line) => line.wrong !== null).length;
  console.log(`\n${lines.length} looked at, ${wrong} wrong`);
}
