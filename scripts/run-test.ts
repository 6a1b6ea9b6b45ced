import { spawnSync } from "node:child_process";
import { inCheckout } from "../test/support/checkout.ts";

/** Runs tests as `npm test` does, with more in their environment. Answers the exit status. */
export function runTest(args: string[], environment: Record<string, string>): number {
  const { status } = spawnSync(process.execPath, [inCheckout("scripts", "test.mjs"), ...args], {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  return status ?? 1;
}
