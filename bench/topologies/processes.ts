import {
  type DaemonProcess,
  startDaemonProcess,
} from "../../test/support/process/daemon-process.ts";
import {
  type DaemonSettings,
  type Deployment,
  deploymentOf,
} from "../../test/support/process/deployment.ts";
import { runCli } from "../../test/support/process/run-cli.ts";
import { daemonFile, ourBuild } from "../process/build.ts";
import { withRoles } from "../process/with-api.ts";
import type { Changes, Ground, Processes } from "./fault.ts";

/** The processes of a deployment, none of them started. */
export function openProcesses(ground: Ground, port: number, onWritten: (text: string) => void) {
  const whole = deploymentOf(settingsOf(ground, port));
  const deploymentWith = (changes: Changes): Deployment => ({
    ...whole,
    settings: settingsOf({ ...ground, ...changes }, port),
  });
  const running = new Map<string, DaemonProcess>();
  const found = (roles: string): DaemonProcess => {
    const daemon = running.get(roles);
    if (daemon === undefined) throw new Error(`No process has the roles ${roles}.`);
    return daemon;
  };
  const end = (how: "stop" | "kill") => async (roles: string) => {
    await found(roles)[how]();
  };
  const processes: Processes = {
    async start(roles, changes = {}) {
      const environment = { ...ground.environment, ...changes.environment };
      const daemon = await startDaemonProcess(withRoles(deploymentWith(changes), roles), {
        program: [daemonFile(ourBuild)],
        under: ground.under,
        environment: { NODE_ENV: "production", ...environment },

        log: "collected",
        onWritten,
        isReady: async ({ url }) => (await fetch(`${url}/health/live`)).ok,
      });
      running.set(roles, daemon);
    },

    stop: end("stop"),
    kill: end("kill"),
    running: found,
    runVerb: (changes, ...args) => runCli(deploymentWith(changes), ...args),
  };
  return {
    ...processes,
    withApi(): DaemonProcess {
      const api = [...running].find(([roles]) => roles.includes("api"));
      if (api === undefined) throw new Error("One process has the API.");
      return api[1];
    },
    killAll: () => Promise.all([...running.values()].map((one) => one.kill())),
  };
}

function settingsOf(ground: Ground, port: number): DaemonSettings {
  const { databaseUrl, redisUrl, rpcUrl, otherRpcUrls, tokens } = ground;
  const chain = { name: "anvil", rpcUrl, otherRpcUrls, tokens, confirmations: 1, pollMs: 200 };
  return { databaseUrl, redisUrl, receiverPorts: [port], chains: [chain] };
}
