import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../domain/fault.ts";
import type { Service } from "../runtime/service.ts";
import { troubleOf } from "../runtime/trouble.ts";
import { type ApiDeps, createApi } from "./api.ts";
import { networkOf } from "./auth/failed-credentials.ts";
import { isWithin } from "./auth/key-limits.ts";
import { everything, type Serves } from "./serves.ts";

export type ApiServer = Service & {
  /** The address where the server listens. Valid only after `start`, while `trouble` is null. */
  address: () => { host: string; port: number; url: string };
};

/** Where a server listens, and the variables of the environment that set it. */
export type Listen = {
  host: string;
  port: number;
  /** Left out: HOST and PORT. */
  setBy?: { host: string; port: string };
};

/**
 * Makes a part of the daemon that serves the API, or the parts that `serves` names. `start` throws
 * Fault `port_in_use`. `stop` refuses new requests and finishes those under way. Port 0 takes any
 * free port.
 */
export function createApiServer(
  deps: ApiDeps,
  listen: Listen,
  serves: Serves = everything,
): ApiServer {
  const web = createApi(deps, serves);
  const closeUnused = followConnections(web.server);
  boundIdle(web.server, deps.trustedProxies);
  return {
    name: nameOf(serves),
    async start() {
      try {
        await web.listen({ host: listen.host, port: listen.port });
      } catch (cause) {
        throw listenFault(cause, listen);
      }
    },
    async stop() {
      // New connections may come until the server stops listening. Connections with a request under
      // way become idle only after its answer. So this closes unused ones again and again.
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
    trouble: () => (web.server.listening ? null : troubleOf("not_listening", "not listening")),
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
 * Returns a function that closes connections on which nothing was sent yet. Browsers and load
 * balancers open some in advance. Node would wait for them as for requests under way, and the
 * process would not end.
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

/**
 * The most idle connections of one address. It is not known whose they are. A whole network may
 * share one address, so the limit is high. Trusted proxies have no limit.
 */
const mostIdle = 1_000;

/** Closes the connection that was idle for longest if an address has too many. */
function boundIdle(server: Server, trustedProxies: readonly string[]): void {
  const idleOf = new Map<string, Set<Socket>>();
  const underWay = new WeakMap<Socket, { network: string; requests: number }>();

  function rest(socket: Socket, network: string): void {
    const idle = idleOf.get(network) ?? new Set();
    idleOf.set(network, idle.add(socket));
    const [oldest] = idle;
    if (idle.size > mostIdle) oldest?.destroy();
  }

  function wake(socket: Socket, network: string): void {
    const idle = idleOf.get(network);
    idle?.delete(socket);
    if (idle?.size === 0) idleOf.delete(network);
  }

  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address } = socket;
    if (address === undefined || isWithin(address, trustedProxies)) return;
    const network = networkOf(address);
    underWay.set(socket, { network, requests: 0 });
    rest(socket, network);
    socket.once("close", () => wake(socket, network));
  });
  server.on("request", ({ socket }, response) => {
    const known = underWay.get(socket);
    if (known === undefined) return;
    known.requests += 1;
    wake(socket, known.network);
    response.once("close", () => {
      known.requests -= 1;
      if (known.requests === 0 && !socket.destroyed) rest(socket, known.network);
    });
  });
}

/** The name of the server in readiness. */
function nameOf(serves: Serves): string {
  if (serves.has("business")) return "api";
  if (serves.has("console")) return "console";
  return serves.has("admin") ? "operator" : "health";
}

/** The reasons for which a listener does not start, each with what the operator does. */
const reasons = new Map<unknown, (setBy: { host: string; port: string }) => string>([
  [
    "EADDRINUSE",
    ({ port }) =>
      `another process uses the port. Stop that process, or set ${port} to another port.`,
  ],
  ["EACCES", ({ port }) => `this user may not. Set ${port} to a port from 1024.`],
  [
    "EADDRNOTAVAIL",
    ({ host }) => `it is no address of this machine. Set ${host} to one, such as 127.0.0.1.`,
  ],
]);

function listenFault(cause: unknown, { host, port, setBy }: Listen): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  const reason = reasons.get(code);
  if (reason === undefined) return cause;
  const why = reason(setBy ?? { host: "HOST", port: "PORT" });
  const facts = { host, port };
  return new Fault("port_in_use", `Cannot listen on ${host}:${port}: ${why}`, { cause, facts });
}
