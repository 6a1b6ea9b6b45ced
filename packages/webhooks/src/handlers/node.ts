import type { IncomingMessage, ServerResponse } from "node:http";
import { defaultLimits, readBody } from "../read-body.ts";
import { createReceive, type ReceiverOptions } from "../receive.ts";

/**
 * A request of node:http or Express. With Express, mount the handler before any body parser, or
 * behind `express.raw({ type: "*\/*" })`.
 */
export type NodeRequest = IncomingMessage & { body?: unknown };

export type NodeHandler = (request: NodeRequest, response: ServerResponse) => Promise<void>;

/**
 * A handler for `http.createServer` and for a route of Express. It survives aborted, endless and
 * slow bodies.
 * @throws RefusedWebhook `weak_secret` as `createReceive` does
 */
export function nodeHandler(options: ReceiverOptions): NodeHandler {
  const receive = createReceive(options);
  const { maxBodyBytes = defaultLimits.maxBodyBytes, bodyTimeoutMs = defaultLimits.bodyTimeoutMs } =
    options;
  return async (request, response) => {
    // The server handles a broken connection. It must not end the process.
    response.on("error", () => undefined);
    if (request.method !== "POST") return answer(response, 405, { allow: "POST" });
    const body = Buffer.isBuffer(request.body)
      ? request.body
      : await readBody(request, { maxBodyBytes, bodyTimeoutMs });
    if (Buffer.isBuffer(body)) return answer(response, await receive(body, request.headers), {});
    if (body.status === null) return void response.destroy();
    return answer(response, body.status, { connection: "close" });
  };
}

/**
 * A handler for Express: `app.post("/webhook", expressHandler({ ... }))`. Mount it before any body
 * parser.
 * @throws RefusedWebhook `weak_secret` as `createReceive` does
 */
export function expressHandler(options: ReceiverOptions): NodeHandler {
  return nodeHandler(options);
}

function answer(response: ServerResponse, status: number, headers: Record<string, string>): void {
  response.writeHead(status, { ...headers, "content-length": "0" }).end();
}
