// @ts-check
// Installs a checkout's dependencies, and leaves nothing behind when it is interrupted: npm runs in a process group of its
// own, which ends with us. Whoever comes while an installation runs waits for it, even if its starter was killed.
// JavaScript, as prepare.mjs is: it runs on Node 20 before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const command = "npm ci --include=dev --no-audit --no-fund --loglevel=error";
const isWindows = process.platform === "win32";
const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/** npm ends within a second; what it has started may be slower. */
const endTimeoutMs = 5_000;

/**
 * Installs while `isStale` says that it is needed. Safe to repeat, and beside itself. Ends the
 * process where npm fails (status 1) or a signal arrives (128 and its number), when nothing of it
 * runs any more.
 * @param {{ root: string, what?: string, isStale: () => boolean, say: (line: string) => void }} job
 *   `root` is the folder of the package, and `what` says what is installed
 */
export async function install({ root, what = "dependencies", isStale, say }) {
  const claim = join(root, ".installing");
  let isBroken = false;
  while (isBroken || isStale() || existsSync(claim)) {
    if (claimed(claim)) {
      await runNpm({ root, what, claim, say });
      return;
    }
    isBroken = await waitForOther(claim, say);
  }
}

/**
 * Whether the installation is ours. The file has our process, and npm's once it runs. It is there
 * until npm has done everything: what npm itself leaves in node_modules is there before the
 * packages' own scripts have run.
 */
function claimed(/** @type {string} */ claim) {
  try {
    writeFileSync(claim, `${process.pid}`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Waits while another installation runs.
 * @param {string} claim
 * @param {(line: string) => void} say
 * @returns whether it ended before it had done everything, as far as anybody knows
 */
async function waitForOther(claim, say) {
  const isRunning = () => processesIn(claim).some(isInstalling);
  if (isRunning()) say("waiting for an installation that is already running");
  while (isRunning()) await sleep(200);
  const isBroken = existsSync(claim);
  rmSync(claim, { force: true });
  return isBroken;
}

/** @returns {number[]} */
function processesIn(/** @type {string} */ claim) {
  try {
    return readFileSync(claim, "utf8").split(" ").map(Number);
  } catch {
    return [];
  }
}

/**
 * The number of a process that has ended may be another one's by now: what it runs shows it. One
 * that has ended and that nobody has asked for its status (Z) runs nothing.
 */
function isInstalling(/** @type {number} */ pid) {
  if (isWindows) return isThere(pid);
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-o", "args=", "-p", `${pid}`], {
    encoding: "utf8",
  });
  return /^[^Z].*(npm|node)/.test((stdout ?? "").trim());
}

function isThere(/** @type {number} */ pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @param {{ root: string, what: string, claim: string, say: (line: string) => void }} job */
async function runNpm({ root, what, claim, say }) {
  say(`installing ${what} (once; this takes about half a minute)`);
  const [program = "npm", ...args] = command.split(" ");
  const npm = spawn(program, args, {
    cwd: root,
    shell: isWindows,
    detached: !isWindows,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = new Promise((resolve) => {
    npm.on("error", (error) => resolve(`: ${error.message}`));
    npm.on("close", (status) => resolve(status === 0 ? null : ""));
  });
  if (npm.pid !== undefined) writeFileSync(claim, `${process.pid} ${npm.pid}`);

  /** @type {typeof signals[number][]} */
  const received = [];
  const stop = (/** @type {typeof signals[number]} */ signal) => {
    if (received.push(signal) > 1) return;
    endGroup(npm.pid, "SIGTERM");
    setTimeout(() => endGroup(npm.pid, "SIGKILL"), endTimeoutMs).unref();
  };
  for (const signal of signals) process.on(signal, stop);
  const failure = await ended;
  for (const signal of signals) process.off(signal, stop);

  const [signal] = received;
  if (signal === undefined && failure === null) {
    rmSync(claim);
    return;
  }
  if (signal !== undefined) {
    say("the installation was interrupted: the next start begins it anew");
    process.exit(128 + constants.signals[signal]);
  }
  process.stderr.write(output);
  say(`${command} failed${failure}`);
  process.exit(1);
}

/**
 * @param {number | undefined} pid of npm, which leads its group
 * @param {"SIGTERM" | "SIGKILL"} signal
 */
function endGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // It has ended.
  }
}
