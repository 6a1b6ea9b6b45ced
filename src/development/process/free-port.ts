import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * The first port of a range that Linux, macOS and Windows do not use for "any free port". So no
 * other program gets one of these ports by chance before its user listens.
 */
const lowest = 12_000;
/** A prime number, so that any step comes by every port. */
const count = 19_997;

/**
 * Random, so that concurrent processes begin at different ports, and part again where they meet.
 * With one step for all, those that met tried the same port again and again. None tries a port
 * twice in a row.
 */
let turn = randomInt(count);
const step = randomInt(2, count);

/**
 * Finds a port of 127.0.0.1 that nobody listens on now: the preferred one if it is free. Another
 * program may take it in between.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < count; tries += 1) {
    turn = (turn + step) % count;
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
