import { freePort as anyFreePort } from "../../../src/development/process/free-port.ts";

/** More than there are workers at a time. */
const shares = 16;
const own = Number(process.env["VITEST_POOL_ID"] ?? 0) % shares;

/**
 * Finds a port of 127.0.0.1 that nobody listens on, for a program that a test starts. On a busy
 * machine that program listens seconds later. No other worker of the run chooses the port meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await anyFreePort();
    if (port % shares === own) return port;
  }
}
