import type { DaemonProcess } from "../../test/support/process/daemon-process.ts";
import type { Deployment } from "../../test/support/process/deployment.ts";
import type { Build } from "./build.ts";
import { startDaemon } from "./start-daemon.ts";

/**
 * Does the work beside a daemon that only answers: to add businesses and wallets as an operator
 * does, before anything is watched or sent. The database has the schema of that build from then on.
 */
export async function withApi<T>(
  build: Build,
  deployment: Deployment,
  work: (daemon: DaemonProcess) => Promise<T>,
): Promise<T> {
  const daemon = await startDaemon(build, withRoles(deployment, "api"));
  try {
    return await work(daemon);
  } finally {
    await daemon.stop();
  }
}

export function withRoles(deployment: Deployment, roles: string): Deployment {
  return { ...deployment, settings: { ...deployment.settings, roles } };
}
