import {
  type DaemonProcess,
  type DaemonProcessOptions,
  startDaemonProcess,
} from "../../test/support/process/daemon-process.ts";
import type { Deployment } from "../../test/support/process/deployment.ts";
import { type Build, daemonFile } from "./build.ts";

/**
 * A build's daemon as production runs it, once it is ready. Its log is written, and read by nobody.
 * `CHAINBELL_BENCH_PROFILE=<folder>` keeps a CPU profile of every daemon there.
 */
export function startDaemon(
  build: Build,
  deployment: Deployment,
  options: Partial<Pick<DaemonProcessOptions, "environment" | "isReady" | "onStarted">> = {},
): Promise<DaemonProcess> {
  return startDaemonProcess(deployment, {
    program: [...profiling(), daemonFile(build)],
    log: "discarded",
    isReady: async ({ url }) => {
      const answer = await fetch(`${url}/health/ready`);
      await answer.arrayBuffer();
      return answer.ok;
    },
    ...options,
    environment: { NODE_ENV: "production", ...options.environment },
  });
}

function profiling(): string[] {
  const folder = process.env["CHAINBELL_BENCH_PROFILE"];
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}
