import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { claimLeaseMs } from "../../../src/domain/delivery/claim.ts";
import { waitFor } from "../wait-for.ts";

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
  receivedAtMs: number;
};

/** How the receiver answers one request. */
export type Answer =
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: string | Buffer }
  /** Answers nothing, and keeps the connection. */
  | { kind: "hang" }
  | { kind: "delay"; delayMs: number; status: number }
  /** Sends the head at once and then a byte of the body at a time, without end. */
  | { kind: "drip"; everyMs: number }
  /** Ends the connection without an answer. */
  | { kind: "reset" }
  | {
      kind: "handler";
      handle: (received: ReceivedRequest, response: ServerResponse) => void | Promise<void>;
    };

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const OK: Answer = { kind: "status", status: 200 };
/**
 * Where PostgreSQL fails for a moment, a claim may be lost, and its deliveries are sent once its
 * lease is over.
 */
const WAIT_TIMEOUT_MS = 2 * claimLeaseMs;

/**
 * A real HTTP server on 127.0.0.1 that records each request and answers 200 unless configured
 * otherwise.
 */
export async function startReceiver(options: { port?: number } = {}) {
  const requests: ReceivedRequest[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let script: Answer[] = [];
  let otherwise: Answer = OK;

  const server = createServer((request, response) => {
    void receive(request).then(async (received) => {
      if (received === undefined) return;
      requests.push(received);
      const answer = script.shift() ?? otherwise;
      await answerWith(answer, { received, response, timers });
    });
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    /** Every request so far, in the order in which their bodies were complete. */
    requests,
    /** Answers the next requests in this order; then as `answerAlways` said. */
    answerNext: (...answers: Answer[]) => {
      script = [...script, ...answers];
    },
    answerStatuses: (...statuses: number[]) => {
      script = [...script, ...statuses.map((status): Answer => ({ kind: "status", status }))];
    },
    answerAlways: (answer: Answer) => {
      otherwise = answer;
    },
    waitForCount: (count: number, timeoutMs = WAIT_TIMEOUT_MS) =>
      waitFor(
        () => {
          if (requests.length >= count) return requests;
          throw new Error(`it has ${requests.length}`);
        },
        { what: `${count} requests at the receiver`, timeoutMs },
      ),
    /** The first request, present or to come, that the predicate accepts. */
    waitFor: (accepts: (request: ReceivedRequest) => boolean, timeoutMs = WAIT_TIMEOUT_MS) =>
      waitFor(() => requests.find(accepts), { what: "a matching request", timeoutMs }),
    forget: () => {
      requests.length = 0;
    },
    /** Ends every connection and the server. Safe to repeat. */
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Receivers of a daemon that several tests share: each takes one that nobody had. */
export async function startReceivers(count: number) {
  const all = await Promise.all(Array.from({ length: count }, () => startReceiver()));
  const free = [...all];
  return {
    ports: all.map(({ port }) => port),
    take(): Receiver {
      const receiver = free.pop();
      if (receiver === undefined) throw new Error(`There are ${count} receivers.`);
      return receiver;
    },
    async stop(): Promise<void> {
      await Promise.all(all.map((one) => one.stop()));
    },
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The sender went away in the middle of its request.
    return undefined;
  }
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    rawBody: Buffer.concat(chunks),
    receivedAtMs: Date.now(),
  };
}

type Exchange = {
  received: ReceivedRequest;
  response: ServerResponse;
  timers: Set<NodeJS.Timeout>;
};

async function answerWith(answer: Answer, exchange: Exchange): Promise<void> {
  const { response, timers } = exchange;
  switch (answer.kind) {
    case "status":
      response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? "");
      return;
    case "hang":
      return;
    case "delay":
      timers.add(setTimeout(() => response.writeHead(answer.status).end(), answer.delayMs));
      return;
    case "drip": {
      response.writeHead(200);
      response.flushHeaders();
      const drip = setInterval(() => response.write("."), answer.everyMs);
      timers.add(drip);
      response.once("close", () => clearInterval(drip));
      return;
    }
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "handler":
      await answer.handle(exchange.received, response);
      return;
    default:
      answer satisfies never;
  }
}
