import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type App, createApp } from "../../../src/app/app.ts";
import { openLedger } from "../../../src/app/environment/open-ledger.ts";
import { inspectConfig, loadConfig } from "../../../src/config/load-config.ts";
import { createLogger } from "../../../src/runtime/logger.ts";
import { createRedaction } from "../../../src/runtime/redaction.ts";
import { client } from "../api/api-client.ts";
import { inCheckout } from "../checkout.ts";
import { explainFailure } from "../explain-failure.ts";
import { asked } from "../ledger/database.ts";
import { bareEnvironment } from "./bare-environment.ts";
import { type DaemonProcess, startDaemonProcess } from "./daemon-process.ts";
import { configure, type Deployment } from "./deployment.ts";

const launcher = inCheckout("scripts", "run.mjs");

/**
 * The daemon in this process: the same app.ts, configured by the same file and environment as in
 * production.
 */
export async function startDaemon(deployment: Deployment, more: Record<string, string> = {}) {
  const { folder, environment } = await configure(deployment, 0);
  const given = { ...environment, ...more };
  const config = await loadConfig(given, folder);
  const log = openLog();
  const ledger = await openLedger(config, log, {
    opener: "daemon",
    patience: null,
  });
  const findConfigFaults = async () => (await inspectConfig(given, folder)).faults;
  const base = { ...ledger, findConfigFaults, log, version: "0.0.0-test" };
  const app: App = createApp(base);
  const stop = async () => {
    await app.stop();
    await ledger.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await app.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const url = app.apiUrl() ?? "";
  return {
    url,
    /** Null: it is not served. */
    consoleUrl: app.consoleUrl(),
    operatorUrl: app.operatorUrl(),
    db: asked(ledger.db),
    configPath: join(folder, "chainbell.yaml"),
    admin: client(url, { authorization: `Bearer ${deployment.adminToken}` }),
    stop,
  };
}

function openLog() {
  const lines: string[] = [];
  explainFailure("The daemon wrote", () => lines.join(""));
  return createLogger({
    level: "info",
    destination: { write: (line) => lines.push(line) },
    redaction: createRedaction([]),
  });
}

/** The same, for as long as somebody looks at it. */
export async function withDaemon(
  deployment: Deployment,
  environment: Record<string, string>,
  look: (daemon: Awaited<ReturnType<typeof startDaemon>>) => Promise<void>,
): Promise<void> {
  const daemon = await startDaemon(deployment, environment);
  try {
    await look(daemon);
  } finally {
    await daemon.stop();
  }
}

/** The daemon as a process of its own, to be killed. Started when it is ready. */
export function spawnDaemon(
  deployment: Deployment,
  environment: Record<string, string> = {},
): Promise<DaemonProcess> {
  return startDaemonProcess(deployment, {
    program: [launcher, "main"],
    environment,
    log: "collected",
    isReady: async ({ url, output }) =>
      output().includes("daemon.ready") && (await fetch(`${url}/health/live`)).ok,
  });
}

/** Runs one of the programs to its end, with nothing in the environment but what is given. */
export async function runProgram(
  program: "main" | "cli" | "demo",
  args: string[],
  environment: Record<string, string>,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [launcher, program, ...args], {
    cwd: inCheckout(),
    env: { ...bareEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { status, stdout, stderr };
}
