import { HttpRequestError, SocketClosedError, TimeoutError } from "viem";
import { getHttpRpcClient } from "viem/utils";
import type { Clock } from "../../runtime/clock.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { createBatches, type NumberedCall, resultOf } from "./batches.ts";
import { createOwnSocket, type SocketClient } from "./own-socket.ts";
import type { RpcCall } from "./rpc-call.ts";
import { type RpcObject, readObject } from "./rpc-value.ts";
import { createSpareSockets } from "./spare-sockets.ts";
import { isThrottlingStatus } from "./throttling.ts";

/** The connection to one URL, by viem. It throws viem's own errors. */
export type RpcTransport = {
  request: (call: RpcCall) => Promise<unknown>;
  /** As `request`, together with other calls of the same moment if the protocol allows it. */
  requestBatched: (call: RpcCall) => Promise<unknown>;
  /**
   * For a websocket: calls `onHead` with each announced head. Rejects, or calls `onError`, if it
   * cannot subscribe, or if `onHead` throws.
   */
  subscribeHeads:
    | ((on: { onHead: (head: RpcObject) => void; onError: () => void }) => Promise<void>)
    | null;
  /** Closes a connection that is not trusted any more. The next request opens a new one. */
  drop: () => void;
  /** Closes the connection for good. */
  close: () => void;
};

/**
 * The largest answer, in bytes. A block of 50,000 logs is about 150 MB of JSON, and viem's own
 * limit is 10 MB.
 */
const maxAnswerBytes = 512 * 1024 * 1024;

export function createTransport(url: string, timeoutMs: number, clock: Clock): RpcTransport {
  return /^wss?:/i.test(url) ? createSocket(url, timeoutMs, clock) : createHttp(url, timeoutMs);
}

function createHttp(url: string, timeoutMs: number): RpcTransport {
  const client = getHttpRpcClient(url, {
    // viem's own limit ends with the headers. An endpoint may then send its answer for ever.
    timeout: 0,
    maxResponseBodySize: maxAnswerBytes,
    fetchFn: fetchUnlessThrottled,
  });
  const send = async (body: RpcCall | NumberedCall[]): Promise<unknown> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return await client.request({ body, fetchOptions: { signal: late.signal } });
    } catch (error) {
      throw late.signal.aborted ? new TimeoutError({ body: {}, url }) : error;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    request: async (call) => resultOf(await send(call), { call, url }),
    requestBatched: createBatches(url, send),
    subscribeHeads: null,
    drop() {},
    close() {},
  };
}

/** At most this many characters of an answer that asks for fewer requests are read. */
const maxRefusalChars = 65_536;

/**
 * Fetches, and throws if the status asks for fewer requests. viem would turn a JSON-RPC body into a
 * JSON-RPC error, and lose the status and `Retry-After`.
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
  const own = createOwnSocket(url, timeoutMs);
  /** Usually one. A socket that was given up may open late, beside the next one. */
  const opened = new Set<SocketClient>();
  let isClosed = false;
  const drop = () => {
    for (const client of opened) client.close();
    opened.clear();
  };
  const connected = async () => {
    opened.add(await own.client());
    if (!isClosed) return;
    // The socket opened after the transport was closed.
    drop();
    throw new SocketClosedError({ url });
  };
  const spares = createSpareSockets(url, timeoutMs);
  let underWay = 0;
  const ask = async (call: RpcCall) => {
    underWay += 1;
    try {
      await connected();
      return await own.request(call);
    } finally {
      underWay -= 1;
    }
  };
  /** Adds a time limit: viem waits for ever for a socket to open. */
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
        await own.subscribe({ params: ["newHeads"], onData, onError });
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
