import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { inCheckout } from "../support/checkout.ts";
import { spawnDaemon } from "../support/process/daemon.ts";
import { startDaemonProcess } from "../support/process/daemon-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

/** An endpoint that takes every connection, and never says anything. */
async function startSilent(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("a daemon whose endpoints are silent is ready, and ends in order within its time", async () => {
  const deployment = deploymentIn(world);
  const rpcUrl = await startSilent();
  for (const chainId of [901, 902, 903, 904])
    deployment.settings.chains.push({
      name: `silent-${chainId}`,
      chainId,
      rpcUrl,
      confirmations: 1,
    });
  const daemon = await spawnDaemon(deployment);
  expect(await daemon.stop()).toBe(0);
  expect(daemon.output()).toContain("daemon.stopped");
});

it("a signal ends a daemon that still waits for silent endpoints at its start", async () => {
  const deployment = deploymentIn(world);
  const rpcUrl = await startSilent();
  deployment.settings.chains.push({ name: "silent", chainId: 901, rpcUrl, confirmations: 1 });
  const daemon = await startDaemonProcess(deployment, {
    program: [inCheckout("scripts", "run.mjs"), "main"],
    environment: {},
    log: "collected",
    isReady: async ({ url }) => (await fetch(`${url}/health/live`)).ok,
  });
  expect(await daemon.stop()).toBe(0);
  expect(daemon.output()).not.toContain("daemon.ready");
});

it("a daemon whose log goes to a full disk works, and ends in order", async () => {
  const daemon = await startDaemonProcess(deploymentIn(world), {
    program: [inCheckout("scripts", "run.mjs"), "main"],
    under: ["sh", "-c", 'exec "$0" "$@" > /dev/full'],
    environment: {},
    log: "collected",
    isReady: async ({ url }) => (await fetch(`${url}/health/ready`)).ok,
  });
  expect(await daemon.stop()).toBe(0);
  expect(daemon.output()).toBe("");
});

it("a defect that nothing caught ends a daemon with another status than a wrong setup, without a secret", async () => {
  const deployment = deploymentIn(world);
  const throwing =
    'process.once("SIGWINCH", () => { throw new Error(process.env.CHAINBELL_ENCRYPTION_KEY); })';
  const daemon = await startDaemonProcess(deployment, {
    program: [
      ...["--import", `data:text/javascript,${encodeURIComponent(throwing)}`],
      ...[inCheckout("scripts", "run.mjs"), "main"],
    ],
    environment: {},
    log: "collected",
    isReady: async ({ output }) => output().includes("daemon.ready"),
  });
  onTestFinished(async () => void (await daemon.kill()));
  process.kill(daemon.pid, "SIGWINCH");
  expect(await daemon.ended).toBe(70);
  await waitFor(() => daemon.output().includes("daemon.failed"), {
    what: "the end of the log",
    timeoutMs: 5_000,
  });
  expect(daemon.output()).not.toContain(deployment.encryptionKey);
});
