import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../domain/fault.ts";
import type { Service } from "../runtime/service.ts";
import { type ApiDeps, createApi } from "./api.ts";
import { everything, type Serves } from "./serves.ts";

export type ApiServer = Service & {
  /** The address where the server listens, after `start`. `trouble` says whether it listens. */
  address: () => { host: string; port: number; url: string };
};

/**
 * The API as a part of the daemon, or the other parts that `serves` names. `start` throws Fault
 * `port_in_use`. `stop` takes no more requests and finishes those under way. Port 0 takes any free
 * port.
 */
export function createApiServer(
  deps: ApiDeps,
  listen: { host: string; port: number },
  serves: Serves = everything,
): ApiServer {
  const web = createApi(deps, serves);
  const closeUnused = followConnections(web.server);
  return {
    name: nameOf(serves),
    async start() {
      try {
        await web.listen(listen);
      } catch (cause) {
        throw listenFault(cause, listen);
      }
    },
    async stop() {
      // New connections may come until the server listens no longer. A connection whose request
      // came before the stop is idle only after its answer.
      const sweep = setInterval(() => {
        closeUnused();
        web.server.closeIdleConnections();
      }, 50);
      try {
        await web.close();
      } finally {
        clearInterval(sweep);
      }
    },
    trouble: () => (web.server.listening ? null : "not listening"),
    address() {
      const bound = web.server.address();
      if (bound === null || typeof bound === "string") {
        throw new Fault("invariant_broken", "The API was asked for its address before its start.");
      }
      const { port } = bound;
      const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
      return { host: listen.host, port, url: `http://${host}:${port}` };
    },
  };
}

/**
 * Gives a function that closes the connections over which nothing was sent yet. Browsers and load
 * balancers open some in advance. Node waits for them as for a request under way, so the process
 * would not end before they do.
 */
function followConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}

/** The name of the server, as readiness shows it. */
function nameOf(serves: Serves): string {
  if (serves.has("business")) return "api";
  if (serves.has("console")) return "console";
  return serves.has("admin") ? "operator" : "health";
}

function listenFault(cause: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") return cause;
  return new Fault(
    "port_in_use",
    `Cannot listen on ${host}:${port} (${code}): set another port or host for it.`,
    {
      cause,
      facts: { host, port },
    },
  );
}
