import type { IncomingMessage, ServerResponse } from "node:http";
import { defaultLimits, readBody } from "../read-body.ts";
import { createReceive, type ReceiverOptions } from "../receive.ts";

/** A request of node:http or Express. Express: before any body parser, or with `express.raw({ type: "*\/*" })`. */
export type NodeRequest = IncomingMessage & { body?: unknown };

export type NodeHandler = (request: NodeRequest, response: ServerResponse) => Promise<void>;

/** A handler for `http.createServer` and for a route of Express. Survives aborted, endless and slow bodies. */
export function nodeHandler(options: ReceiverOptions): NodeHandler {
  const receive = createReceive(options);
  const { maxBodyBytes = defaultLimits.maxBodyBytes, bodyTimeoutMs = defaultLimits.bodyTimeoutMs } =
    options;
  return async (request, response) => {
    // What becomes of a connection that breaks is the server's business, not a reason to end the process.
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

/** For Express: `app.post("/webhook", expressHandler({ ... }))`, before any body parser. */
export function expressHandler(options: ReceiverOptions): NodeHandler {
  return nodeHandler(options);
}

function answer(response: ServerResponse, status: number, headers: Record<string, string>): void {
  response.writeHead(status, { ...headers, "content-length": "0" }).end();
}
