import { expect, it } from "vitest";
import { inCheckout } from "../support/checkout.ts";
import { startDaemonProcess } from "../support/process/daemon-process.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

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
