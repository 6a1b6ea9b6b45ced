import type { Server } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

/** A head as the node announces it, changed, or null where nothing is said of it. */
export type Announce = (head: Record<string, unknown>) => Record<string, unknown> | null;

type Ports = {
  /** The answer to a message, or what happens to the connection instead. */
  replyTo: (text: string) => Promise<string | "drop" | "hang">;
  nodeUrl: () => string;
  announce: Announce;
};

/**
 * Lets a proxy's HTTP server speak by websocket too. Subscriptions are the node's own, one
 * connection for each.
 */
export function serveSockets(server: Server, ports: Ports): void {
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (client) => {
    const upstreams = new Set<WebSocket>();
    client.on("message", (data) => {
      const text = String(data);
      if (/"eth_subscribe"/.test(text)) upstreams.add(subscribe(client, text, ports));
      else void reply(client, text, ports);
    });
    client.on("close", () => {
      for (const upstream of upstreams) upstream.close();
    });
  });
}

async function reply(client: WebSocket, text: string, { replyTo }: Ports): Promise<void> {
  const answer = await replyTo(text).catch(() => "drop");
  if (answer === "drop") client.terminate();
  else if (answer !== "hang") client.send(answer);
}

function subscribe(client: WebSocket, request: string, ports: Ports): WebSocket {
  const upstream = new WebSocket(ports.nodeUrl());
  upstream.on("open", () => upstream.send(request));
  upstream.on("error", () => client.terminate());
  upstream.on("message", (data) => {
    const message = JSON.parse(String(data)) as {
      method?: string;
      params?: { subscription: string; result: Record<string, unknown> };
    };
    if (message.params === undefined) return client.send(JSON.stringify(message));
    const result = ports.announce(message.params.result);
    if (result === null) return;
    client.send(JSON.stringify({ ...message, params: { ...message.params, result } }));
  });
  return upstream;
}
