import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../../src/app/app.ts";
import { openLedger } from "../../../src/app/open-ledger.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { freePort } from "../../../src/development/process/free-port.ts";
import type { TracingChoice } from "../../../src/domain/chain/block-proof.ts";
import { client } from "../api/api-client.ts";
import { inCheckout } from "../checkout.ts";
import { waitFor } from "../wait-for.ts";

const launcher = inCheckout("scripts", "run.mjs");
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

type TestChain = {
  name: string;
  rpcUrl: string;
  chainId?: number;
  confirmations: number;
  startBlock?: number;
  /** As the file says it; 2000 dollars where nothing is said. */
  nativePrice?: object;
  tokens?: { code: string; address: string; decimals: number }[];
  tracing?: TracingChoice;
};

/** What a production daemon is configured with; every test has its own. */
export type DaemonSettings = {
  databaseUrl: string;
  /** Null: the queue is in PostgreSQL. */
  redisUrl: string | null;
  chains: TestChain[];
  /** Ports of 127.0.0.1 that may be notified, by http. */
  receiverPorts: number[];
  /** ms before each attempt. */
  scheduleMs?: number[];
  roles?: string;
  /** Further keys of the file. */
  file?: object;
};

/** The same key and token for all daemons of one test, as in one deployment. */
export type Deployment = { settings: DaemonSettings; encryptionKey: string; adminToken: string };

export function deploymentOf(settings: DaemonSettings): Deployment {
  return {
    settings,
    encryptionKey: randomBytes(32).toString("base64"),
    adminToken: randomBytes(16).toString("hex"),
  };
}

/** The daemon in this process: the same app.ts, configured by the same file and environment as in production. */
export async function startDaemon(deployment: Deployment) {
  const { folder, environment } = await configure(deployment, 0);
  const config = await loadConfig(environment, folder);
  const ledger = await openLedger(config, quiet, {
    needs: "daemon",
    patience: null,
  });
  const app: App = createApp({ ...ledger, log: quiet, version: "0.0.0-test" });
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
    db: ledger.db,
    admin: client(url, { authorization: `Bearer ${deployment.adminToken}` }),
    stop,
  };
}

/** The daemon as a process of its own, to be killed. Started when it is ready. */
export async function spawnDaemon(deployment: Deployment) {
  const port = await freePort();
  const { folder, environment } = await configure(deployment, port);
  const child = spawn(process.execPath, [launcher, "main"], {
    cwd: inCheckout(),
    env: { ...bareEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(child);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${port}`;
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const status = await exited;
    await rm(folder, { recursive: true, force: true });
    return status;
  };
  try {
    await waitFor(
      async () => {
        if (child.exitCode !== null) throw new Error(`it ended: ${output()}`);
        return (await fetch(`${url}/health/live`)).ok && output().includes("daemon.ready");
      },
      { what: "the daemon to be ready", timeoutMs: 30_000 },
    );
  } catch (error) {
    await end("SIGKILL");
    throw error;
  }
  return {
    url,
    output,
    pid: child.pid ?? 0,
    admin: client(url, { authorization: `Bearer ${deployment.adminToken}` }),
    /** In order. Answers the exit status. */
    stop: () => end("SIGTERM"),
    /** As a crash would. */
    kill: () => end("SIGKILL"),
  };
}

/** Runs one of the programs to its end, with nothing in the environment but what is given. */
export async function runProgram(
  program: "main" | "cli" | "demo",
  args: string[],
  environment: Record<string, string>,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [launcher, program, ...args], {
    cwd: environment["CWD"] ?? inCheckout(),
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

function collect(child: ChildProcess): () => string {
  let text = "";
  const add = (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-100_000);
  };
  child.stdout?.on("data", add);
  child.stderr?.on("data", add);
  return () => text;
}

/** Nothing of the developer's own settings reaches a test. */
function bareEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "LANG"];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** Writes the file of a deployment; answers the folder that it is in, to be removed, and the environment of its programs. */
export async function configure(deployment: Deployment, port: number) {
  const { settings, encryptionKey, adminToken } = deployment;
  const folder = await mkdtemp(join(tmpdir(), "chainbell-config-"));
  await writeFile(join(folder, "chainbell.yaml"), yamlOf(settings));
  const environment: Record<string, string> = {
    CHAINBELL_CONFIG: join(folder, "chainbell.yaml"),
    DATABASE_URL: settings.databaseUrl,
    CHAINBELL_ENCRYPTION_KEY: encryptionKey,
    CHAINBELL_ADMIN_TOKENS: `test:${adminToken}`,
    PORT: String(port),
    ...(settings.redisUrl === null ? {} : { REDIS_URL: settings.redisUrl }),
    ...(settings.roles === undefined ? {} : { CHAINBELL_ROLES: settings.roles }),
  };
  return { folder, environment };
}

/** JSON is YAML. */
function yamlOf(settings: DaemonSettings): string {
  return JSON.stringify({
    ...settings.file,
    queue: settings.redisUrl === null ? "postgres" : "redis",
    webhooks: {
      ...(settings.scheduleMs === undefined
        ? {}
        : { schedule: settings.scheduleMs.map((ms) => `${ms}ms`) }),
      allow: [{ cidr: "127.0.0.0/8", ports: settings.receiverPorts, http: true }],
    },
    chains: settings.chains.map((chain) => ({
      name: chain.name,
      chain_id: chain.chainId ?? 31_337,
      rpc: [chain.rpcUrl],
      confirmations: chain.confirmations,
      poll_interval: "50ms",
      ...(chain.tracing === undefined ? {} : { tracing: chain.tracing }),
      ...(chain.startBlock === undefined ? {} : { start_block: chain.startBlock }),
      native_asset: { code: "ETH", price: chain.nativePrice ?? { usd: 2000 } },
      assets: chain.tokens ?? [],
    })),
  });
}
