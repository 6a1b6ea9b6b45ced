import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { postJson, postText } from "./post-json.ts";
import { type Announce, serveSockets } from "./rpc-proxy-sockets.ts";

export type ProxiedCall = {
  method: string;
  params: unknown[];
  /** How many calls came in the same message. */
  together: number;
};

/** What the proxy does instead of, or with, the node's answer. */
export type Misbehaviour =
  /** Answers this in the place of the node's result. */
  | { result: unknown }
  | { error: { code: number; message: string } }
  /** Answers this alone in the place of the whole message, however many calls were in it. */
  | { whole: unknown }
  /** An HTTP status, and what comes with it: nothing where nothing is said. */
  | { status: number; headers?: Record<string, string>; text?: string }
  /** Closes the connection. */
  | "drop"
  /** Sends half of the answer. */
  | "cut"
  /** Never answers. */
  | "hang"
  /** As the node says. */
  | null;

type Forward = (to?: string, call?: Pick<ProxiedCall, "method" | "params">) => Promise<unknown>;

export type Misbehave = (
  call: ProxiedCall,
  forward: Forward,
) => Misbehaviour | Promise<Misbehaviour>;

export type RpcProxy = Awaited<ReturnType<typeof startRpcProxy>>;

type RpcBody = { id: number; method: string; params?: unknown[] };

/** How a message is answered: with this text, or with a failure of the connection. */
type Reply =
  | { kind: "text"; text: string }
  | { kind: "status"; status: number; headers: Record<string, string>; text: string }
  | { kind: "drop" }
  | { kind: "hang" };

/**
 * A JSON-RPC endpoint in front of a node, over HTTP and websockets on one port, that lies, loses
 * and delays as `misbehave` says. Give it null and it is as good as the node. What it announces to
 * subscribers goes through `announce`.
 */
export async function startRpcProxy(target: string) {
  let misbehave: Misbehave | null = null;
  let announce: Announce | null = null;
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
  serveSockets(server, {
    replyTo: async (text) => {
      const reply = await replyTo(text);
      return reply.kind === "text" ? reply.text : reply.kind === "hang" ? "hang" : "drop";
    },
    nodeUrl: () => node.replace(/^http/, "ws"),
    announce: (head) => (announce === null ? head : announce(head)),
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await replyTo(await textOf(request));
    switch (reply.kind) {
      case "hang":
        return;
      case "drop":
        response.destroy();
        return;
      case "status":
        response.writeHead(reply.status, reply.headers).end(reply.text);
        return;
      case "text":
        response.setHeader("content-type", "application/json");
        response.end(reply.text);
    }
  }

  async function replyTo(text: string): Promise<Reply> {
    const body = JSON.parse(text) as RpcBody | RpcBody[];
    const list = Array.isArray(body) ? body : [body];
    if (misbehave === null) {
      for (const { method } of list) calls.push(method);
      return { kind: "text", text: await postText(node, text) };
    }
    const answers: object[] = [];
    for (const { id, method, params } of list) {
      calls.push(method);
      const call = { method, params: params ?? [], together: list.length };
      const forward: Forward = (to = node, other = call) => send(to, other);
      const chosen = await chooseFor(call, forward);
      if (chosen === "drop" || chosen === "hang") return { kind: chosen };
      if (chosen === "cut") {
        const whole = JSON.stringify({ jsonrpc: "2.0", id, result: await forward() });
        return { kind: "text", text: whole.slice(0, whole.length / 2) };
      }
      if ("status" in chosen) return { kind: "status", headers: {}, text: "", ...chosen };
      if ("whole" in chosen) return { kind: "text", text: JSON.stringify(chosen.whole) };
      answers.push({ jsonrpc: "2.0", id, ...chosen });
    }
    return { kind: "text", text: JSON.stringify(Array.isArray(body) ? answers : answers[0]) };
  }

  /** The node's own refusals pass through. */
  async function chooseFor(call: ProxiedCall, forward: Forward) {
    try {
      const chosen = await misbehave?.(call, forward);
      return chosen ?? { result: await forward() };
    } catch (error) {
      if (error instanceof NodeRefusal) return { error: error.error };
      throw error;
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    /** Connections that are open now. */
    connections: () => sockets.size,
    /** Methods asked for, in order. */
    calls,
    misbehave(next: Misbehave | null) {
      misbehave = next;
    },
    /** What it says of a head that the node announces; null: nothing. */
    announce(next: Announce | null) {
      announce = next;
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

/** What the node refused, in its own words. */
export class NodeRefusal extends Error {
  readonly error: object;
  constructor(error: object) {
    super(JSON.stringify(error));
    this.error = error;
  }
}

async function send(
  url: string,
  { method, params }: Pick<ProxiedCall, "method" | "params">,
): Promise<unknown> {
  const body = (await postJson(url, { jsonrpc: "2.0", id: 1, method, params })) as {
    result?: unknown;
    error?: object;
  };
  if (body.error !== undefined) throw new NodeRefusal(body.error);
  return body.result;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
