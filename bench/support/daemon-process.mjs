import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../dist/bin/main.js", import.meta.url));

/** A daemon as an operator runs it, in a process of its own. Its log is written, and read by nobody. */
export function startDaemon(environment) {
  const child = spawn(process.execPath, [...profiling(), main], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  return {
    /** Ends it as a service manager does. */
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** `CHAINBELL_BENCH_PROFILE=<folder>`: a CPU profile of every daemon. */
function profiling() {
  const folder = process.env.CHAINBELL_BENCH_PROFILE;
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}
