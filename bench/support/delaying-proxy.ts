import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Makes a server of this machine as far away as one with such a round trip, in ms: each way takes
 * half of it.
 */
export async function startDelayingProxy(targetPort: number, roundTripMs: number) {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: targetPort, host: "127.0.0.1", noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      // Timers of one length end in the order in which they began.
      const later = (work: () => void) => setTimeout(work, roundTripMs / 2);
      from.on("data", (bytes) => later(() => to.write(bytes)));
      from.on("close", () => later(() => to.destroy()));
      from.on("error", () => undefined);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
