import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Ports below those that Linux, macOS and Windows give to whoever asks for any port. So no
 * connection and no listener takes one of them by chance, before its user has begun to listen.
 */
const lowest = 12_000;
const count = 20_000;

/** Processes that run side by side begin far apart, and none asks for one port twice in a row. */
let turn = randomInt(count);

/**
 * A port of 127.0.0.1 that nobody listens on now: the preferred one where it is free. Another may
 * take it meanwhile.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < count; tries += 1) {
    turn = (turn + 1) % count;
    const port = lowest + turn;
    if (await isFree(port)) return port;
  }
  throw new Error("127.0.0.1 has no free port left.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      probe.close(() => resolve(true));
    });
  });
}
