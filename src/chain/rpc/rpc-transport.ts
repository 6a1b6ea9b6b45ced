import { HttpRequestError, http, SocketClosedError, TimeoutError, webSocket } from "viem";
import { socketClientCache } from "viem/utils";
import type { Clock } from "../../runtime/clock.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import type { RpcCall } from "./rpc-call.ts";
import { type RpcObject, readObject } from "./rpc-value.ts";
import { createSpareSockets } from "./spare-sockets.ts";
import { isThrottlingStatus } from "./throttling.ts";

/** The connection to one URL. viem does the talking, and its errors are passed on as they are. */
export type RpcTransport = {
  request: (call: RpcCall) => Promise<unknown>;
  /** The same, sent together with others of the same moment where the protocol can. */
  requestBatched: (call: RpcCall) => Promise<unknown>;
  /**
   * Of a websocket: calls `onHead` with each announced head; rejects or calls `onError` when it
   * cannot, or `onHead` throws.
   */
  subscribeHeads:
    | ((on: { onHead: (head: RpcObject) => void; onError: () => void }) => Promise<void>)
    | null;
  /** Lets go of a connection that is not trusted any more; the next request makes a new one. */
  drop: () => void;
  /** Lets go for good. */
  close: () => void;
};

/** JSON-RPC calls sent as one batch: what common providers accept. */
const batchSize = 100;

/** A block of 50,000 logs is about 150 MB of JSON; viem's own limit is 10. */
const maxAnswerBytes = 512 * 1024 * 1024;

type Requester = { request: (call: RpcCall) => Promise<unknown> };

export function createTransport(url: string, timeoutMs: number, clock: Clock): RpcTransport {
  return /^wss?:/i.test(url) ? createSocket(url, timeoutMs, clock) : createHttp(url, timeoutMs);
}

function createHttp(url: string, timeoutMs: number): RpcTransport {
  const options = {
    timeout: timeoutMs,
    retryCount: 0,
    maxResponseBodySize: maxAnswerBytes,
    fetchFn: fetchUnlessThrottled,
  };
  const alone = http(url, options)({}) as Requester;
  const batched = http(url, { ...options, batch: { batchSize, wait: 0 } })({}) as Requester;
  return {
    request: (call) => alone.request(call),
    requestBatched: (call) => batched.request(call),
    subscribeHeads: null,
    drop() {},
    close() {},
  };
}

/** Characters of an answer that asks for fewer requests. The rest is not read. */
const maxRefusalChars = 65_536;

/**
 * Fetches, and throws for a status that asks for fewer requests. viem would make a JSON-RPC error
 * of such an answer where its body is one, and lose the status and `Retry-After`.
 * @throws HttpRequestError with the body as its details
 */
async function fetchUnlessThrottled(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  const { status, statusText, headers } = response;
  if (!isThrottlingStatus(status, headers)) return response;
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxRefusalChars) break;
  }
  throw new HttpRequestError({ details: text || statusText, headers, status, url: response.url });
}

function createSocket(url: string, timeoutMs: number, clock: Clock): RpcTransport {
  // Without viem's reconnecting and pings: viem goes on with a socket that is silent. The caller
  // that finds a silent socket drops it.
  const options = { timeout: timeoutMs, retryCount: 0, reconnect: false, keepAlive: false };
  const transport = webSocket(url, options)({});
  const { getRpcClient, subscribe } = transport.value ?? {};
  const { request: send } = transport as Requester;
  let isClosed = false;
  const drop = () => {
    for (const client of socketClientCache.values()) if (client.url === url) client.close();
  };
  const connected = async () => {
    await getRpcClient?.();
    if (!isClosed) return;
    // It has opened after all was over.
    drop();
    throw new SocketClosedError({ url });
  };
  const spares = createSpareSockets(url, timeoutMs);
  let underWay = 0;
  const ask = async (call: RpcCall) => {
    underWay += 1;
    try {
      await connected();
      return await send(call);
    } finally {
      underWay -= 1;
    }
  };
  /** viem waits for ever for a socket to open. */
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const answer = await withTimeout(work, { timeoutMs, clock });
    if (answer.kind === "done") return answer.value;
    throw new TimeoutError({ body: {}, url });
  };
  const request = (call: RpcCall) => inTime(underWay > 0 ? spares.ask(call, ask) : ask(call));
  return {
    request,
    requestBatched: request,
    async subscribeHeads({ onHead, onError }) {
      const onData = (data: unknown) => {
        try {
          onHead(readObject(readObject(data, "announcement")["result"], "announcement"));
        } catch {
          onError();
        }
      };
      const work = async () => {
        await connected();
        await subscribe?.({ params: ["newHeads"], onData, onError });
      };
      await inTime(work());
    },
    drop() {
      drop();
      spares.drop();
    },
    close() {
      isClosed = true;
      spares.close();
      drop();
    },
  };
}
