import { createServer } from "node:net";

/**
 * A port of 127.0.0.1 that nobody listens on now: the preferred one where it is free. Another may
 * take it meanwhile.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined) {
    const port = await tryPort(preferred);
    if (port !== undefined) return port;
  }
  const port = await tryPort(0);
  if (port === undefined) throw new Error("127.0.0.1 has no free port left.");
  return port;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}
