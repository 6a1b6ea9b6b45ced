import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/development/process/free-port.ts";
import { endWithUs, removeWithUs } from "../../test/support/process/reaper.ts";
import { waitFor } from "../../test/support/wait-for.ts";

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

/** A rule as Prometheus has loaded and evaluated it. */
type LoadedRule = {
  name: string;
  query: string;
  health: "ok" | "err" | "unknown";
  lastError?: string;
  alerts: FiringAlert[];
};

export type FiringAlert = {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: "pending" | "firing";
};

/** The labels of each series that a query answered. */
type Answered = { error: string } | { series: Record<string, string>[] };

/** What is missing here, with how to get it; null: nothing. */
export function missingProgram(): string | null {
  const missing = ["prometheus", "promtool"].filter(
    (program) => spawnSync(program, ["--version"]).error !== undefined,
  );
  return missing.length === 0
    ? null
    : `${missing.join(" and ")} not found in PATH. Debian: apt-get install prometheus. Else: https://prometheus.io/download`;
}

/** What promtool says of a file, or of what it is given; null: nothing to complain about. */
export function promtool(args: readonly string[], input?: string): string | null {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", ...args], {
    encoding: "utf8",
    ...(input === undefined ? {} : { input }),
  });
  return status === 0 && stderr === "" ? null : `${stderr}${stdout}`.trim();
}

/**
 * A Prometheus of its own that asks these ports of this machine every second and follows these
 * rules. Whoever starts it stops it.
 */
export async function startPrometheus(of: {
  ports: readonly number[];
  ruleFiles: readonly string[];
}) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "chainbell-prometheus-"));
  removeWithUs(folder);
  const config = join(folder, "prometheus.json");
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(configOf(of)));
  const child = spawn(
    "prometheus",
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4_000);
  });
  const exited = once(child, "exit");
  const reaped = endWithUs(child.pid ?? 0);
  const url = `http://127.0.0.1:${port}`;
  await waitFor(
    async () => child.exitCode !== null || (await fetch(`${url}/-/ready`).catch(() => null))?.ok,
    { what: "Prometheus to be ready", timeoutMs: 60_000 },
  );
  if (child.exitCode !== null) throw new Error(`Prometheus ended at its start: ${output}`);
  return {
    ...questionsTo(`${url}/api/v1`),
    /** At once: what it has measured is thrown away. */
    async stop() {
      child.kill("SIGKILL");
      await exited.then(reaped.forget);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf({
  ports,
  ruleFiles,
}: {
  ports: readonly number[];
  ruleFiles: readonly string[];
}) {
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  return {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: ruleFiles,
    scrape_configs: [{ job_name: "chainbell", static_configs: [{ targets }] }],
  };
}

function questionsTo(api: string) {
  async function get<T>(path: string): Promise<T> {
    const answer = await fetch(`${api}${path}`);
    const { data, error } = (await answer.json()) as { data: T; error?: string };
    if (error !== undefined) throw new Error(error);
    return data;
  }
  return {
    /** At this moment. */
    async query(expr: string): Promise<Answered> {
      try {
        const found = await get<{ result: { metric: Record<string, string> }[] }>(
          `/query?${new URLSearchParams({ query: expr })}`,
        );
        return { series: found.result.map(({ metric }) => metric) };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    },
    async rules(): Promise<LoadedRule[]> {
      const { groups } = await get<{ groups: { rules: LoadedRule[] }[] }>("/rules");
      return groups.flatMap(({ rules }) => rules);
    },
    /** What the last scrape of each process came to; empty: it was scraped. */
    async scrapeErrors(): Promise<string[]> {
      const { activeTargets } = await get<{
        activeTargets: { health: string; lastError: string }[];
      }>("/targets");
      return activeTargets.map(({ health, lastError }) =>
        health === "up" ? "" : lastError || health,
      );
    },
  };
}
