import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

type ProxiedCall = { method: string; params: unknown[] };

/** What the proxy does instead of, or with, the node's answer. */
type Misbehaviour =
  /** Answers this in the place of the node's result. */
  | { result: unknown }
  | { error: { code: number; message: string } }
  /** An HTTP status without a body. */
  | { status: number; headers?: Record<string, string> }
  /** Closes the connection. */
  | "drop"
  /** Sends half of the answer. */
  | "cut"
  /** Never answers. */
  | "hang"
  /** As the node says. */
  | null;

export type Misbehave = (
  call: ProxiedCall,
  forward: (to?: string) => Promise<unknown>,
) => Misbehaviour | Promise<Misbehaviour>;

export type RpcProxy = Awaited<ReturnType<typeof startRpcProxy>>;

/**
 * A JSON-RPC endpoint in front of a node, that lies, loses and delays as `misbehave` says. Give it null and it
 * is as good as the node.
 */
export async function startRpcProxy(target: string) {
  let misbehave: Misbehave | null = null;
  let node = target;
  const calls: string[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as RpcBody | RpcBody[];
    const list = Array.isArray(body) ? body : [body];
    const answers: object[] = [];
    for (const { id, method, params } of list) {
      calls.push(method);
      const call = { method, params: params ?? [] };
      const forward = (to: string = node) => send(to, call);
      const chosen = misbehave === null ? null : await misbehave(call, forward);
      if (chosen === "drop") return void response.destroy();
      if (chosen === "hang") return;
      if (chosen === "cut") {
        const whole = JSON.stringify({ jsonrpc: "2.0", id, result: await forward() });
        response.setHeader("content-type", "application/json");
        return void response.end(whole.slice(0, whole.length / 2));
      }
      if (chosen !== null && "status" in chosen) {
        response.writeHead(chosen.status, chosen.headers);
        return void response.end();
      }
      answers.push({ jsonrpc: "2.0", id, ...(chosen ?? (await plain(forward))) });
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Methods asked for, in order. */
    calls,
    misbehave(next: Misbehave | null) {
      misbehave = next;
    },
    /** Stands before another node from now on. */
    retarget(next: string) {
      node = next;
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

type RpcBody = { id: number; method: string; params?: unknown[] };

/** The node's own refusals pass through. */
async function plain(forward: () => Promise<unknown>): Promise<object> {
  try {
    return { result: await forward() };
  } catch (error) {
    if (error instanceof NodeRefusal) return { error: error.error };
    throw error;
  }
}

class NodeRefusal extends Error {
  readonly error: object;
  constructor(error: object) {
    super(JSON.stringify(error));
    this.error = error;
  }
}

async function send(url: string, call: ProxiedCall): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
  });
  const body = (await response.json()) as { result?: unknown; error?: object };
  if (body.error !== undefined) throw new NodeRefusal(body.error);
  return body.result;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
