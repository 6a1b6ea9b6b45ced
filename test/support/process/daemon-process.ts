import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { type ApiClient, client } from "../api/api-client.ts";
import { explainFailure } from "../explain-failure.ts";
import { waitFor } from "../wait-for.ts";
import { bareEnvironment } from "./bare-environment.ts";
import { configure, type Deployment } from "./deployment.ts";
import { freePort } from "./free-port.ts";
import { endWithUs } from "./reaper.ts";

export type DaemonProcess = {
  url: string;
  pid: number;
  /** The administration, as an operator calls it. */
  admin: ApiClient;
  /** What it has written so far, the end of it; empty where its log is discarded. */
  output: () => string;
  /** Resolves with the exit status when it ends, however it does. */
  ended: Promise<number | null>;
  /** In order. Answers the exit status. Safe to repeat, as is `kill`. */
  stop: () => Promise<number | null>;
  /** As a crash would. */
  kill: () => Promise<number | null>;
};

export type DaemonProcessOptions = {
  /** What Node is given: its own options, a file, and what that is given. */
  program: readonly string[];
  /** The command that Node is started under, which becomes Node; none where nothing is said. */
  under?: readonly string[];
  /** Beside what the deployment says. */
  environment: Record<string, string>;
  /** "collected": for `output`. "discarded": written to nowhere, which costs the reader nothing. */
  log: "collected" | "discarded";
  /** Asked again until it is true. What it throws is a no. */
  isReady: (daemon: Pick<DaemonProcess, "url" | "output">) => Promise<boolean>;
  /** Called when the process has just been started. */
  onStarted?: () => void;
  /** Is given all that it writes, also what is too long ago for `output`. */
  onWritten?: (text: string) => void;
};

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 25_000;

/**
 * A deployment's daemon as a process of its own, once it is ready. Whoever starts it stops it; it
 * ends with us.
 */
export async function startDaemonProcess(
  deployment: Deployment,
  options: DaemonProcessOptions,
): Promise<DaemonProcess> {
  const port = await freePort();
  const { folder, environment } = await configure(deployment, port);
  const isCollected = options.log === "collected";
  const [command = process.execPath, ...args] = [
    ...(options.under ?? []),
    ...[process.execPath, ...options.program],
  ];
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...bareEnvironment(), ...environment, ...options.environment },
    stdio: isCollected ? ["ignore", "pipe", "pipe"] : ["ignore", "ignore", "inherit"],
  });
  options.onStarted?.();
  let written = "";
  const collect = (chunk: Buffer) => {
    options.onWritten?.(chunk.toString());
    written = `${written}${chunk}`.slice(-100_000);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const output = () => written;
  explainFailure("The daemon wrote", output);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const reaped = endWithUs(child.pid ?? 0);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    const status = await exited;
    clearTimeout(late);
    reaped.forget();
    await rm(folder, { recursive: true, force: true });
    return status;
  };
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitFor(async () => hasEnded() || (await options.isReady({ url, output })), {
      what: "the daemon to be ready",
      timeoutMs: READY_TIMEOUT_MS,
    });
    if (hasEnded()) throw new Error(`The daemon ended at its start, with ${child.exitCode}.`);
  } catch (cause) {
    await end("SIGKILL");
    throw new Error(`The daemon did not become ready. It wrote: ${output()}`, { cause });
  }
  return {
    url,
    pid: child.pid ?? 0,
    output,
    ended: exited,
    admin: client(url, { authorization: `Bearer ${deployment.adminToken}` }),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
