import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { inCheckout } from "../checkout.ts";
import { explainFailure } from "../explain-failure.ts";
import { waitFor } from "../wait-for.ts";
import { bareEnvironment } from "./bare-environment.ts";

/** An embedded PostgreSQL is made at the first start. */
export const startTimeoutMs = 120_000;

/** A process that a test left running has so long to end in order. Then it is killed. */
const orderlyEndMs = 30_000;

export type Running = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

/**
 * `npm start`, or another of its scripts, as a terminal runs it: a process group of its own, which
 * gets the Ctrl-C as a whole.
 */
export function npmStart(
  environment: Record<string, string>,
  script: readonly string[] = ["start"],
): Running {
  return start(["npm", ...script], environment);
}

/** util-linux has it, which every Debian comes with. */
export const hasTerminal = existsSync("/usr/bin/script") && process.platform === "linux";

/**
 * `npm start` in a pseudo-terminal of its own, which is closed when the process that is answered is
 * killed.
 */
export function npmStartInTerminal(environment: Record<string, string>): Running {
  return start(["script", "-qfec", "npm start", "/dev/null"], environment);
}

function start([program = "", ...args]: string[], environment: Record<string, string>): Running {
  const child = spawn(program, args, {
    cwd: inCheckout(),
    env: { ...bareEnvironment(), ...environment },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const add = (chunk: Buffer) => {
    text += chunk.toString();
  };
  child.stdout?.on("data", add);
  child.stderr?.on("data", add);
  explainFailure(`${args.join(" ")} wrote`, () => text);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  onTestFinished(() => endGroup(child, ended));
  return { child, output: () => text, ended };
}

/**
 * Ends it in order first: PostgreSQL and the chain that it started are no part of the group, and
 * would outlive a kill.
 */
async function endGroup(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    signalGroup(child, "SIGINT");
    await Promise.race([ended, sleep(orderlyEndMs, undefined, { ref: false })]);
  }
  signalGroup(child, "SIGKILL");
}

/** Nothing where the whole group has ended. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid ?? 0), signal);
  } catch {
    // The whole group has ended.
  }
}

/** Waits for the banner, which has the key of the demo business. */
export async function untilReady(running: Running): Promise<{ apiKey: string }> {
  await waitFor(
    async () => {
      if (running.child.exitCode !== null) throw new Error(`it ended: ${running.output()}`);
      return running.output().includes("Try:");
    },
    { what: "the banner", timeoutMs: startTimeoutMs },
  );
  return { apiKey: /API key\s+(cb_\S+)/.exec(running.output())?.[1] ?? "" };
}

/**
 * Waits for the daemon of the data directory to end in order: it gives the directory back after its
 * servers have ended.
 */
export async function untilGivenBack(dataDir: string): Promise<void> {
  const isFree = () => !existsSync(join(dataDir, "daemon.lock"));
  await waitFor(isFree, { what: "the daemon to end", timeoutMs: startTimeoutMs });
}
