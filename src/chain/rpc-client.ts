import {
  createPublicClient,
  fallback,
  http,
  type PublicClient,
  type WebSocketTransport,
  webSocket,
} from "viem";
import { socketClientCache } from "viem/utils";

export type RpcClient = PublicClient;

export type RpcEndpoints = {
  /** http(s) or ws(s) URLs, tried in order. */
  urls: string[];
  /** ms for one request. */
  timeoutMs: number;
};

/** JSON-RPC calls made in the same tick are sent as one batch of at most this many: what common providers accept. */
const batchSize = 100;

/** A viem client over all endpoints of one chain: a request that fails on one is tried on the next. */
export function createRpcClient(endpoints: RpcEndpoints): RpcClient {
  const { urls, timeoutMs } = endpoints;
  const transports = urls.map((url) =>
    isWebsocket(url)
      ? toWebsocket(url, timeoutMs)
      : http(url, { timeout: timeoutMs, retryCount: 1, batch: { batchSize, wait: 0 } }),
  );
  return createPublicClient({
    transport: fallback(transports, { retryCount: 1, retryDelay: 100 }),
  });
}

/**
 * Calls `wake` when the websocket endpoint announces a block. Only a hint: subscriptions are lost silently and repeat
 * themselves, so whoever is woken polls all the same.
 * @returns how to stop it
 */
export function watchHeads(url: string, timeoutMs: number, wake: () => void): () => void {
  const client = createPublicClient({ transport: toWebsocket(url, timeoutMs) });
  return client.watchBlockNumber({ onBlockNumber: wake, onError: wake });
}

/** Closes the sockets of these endpoints, which viem keeps open for the life of the process. */
export function closeSockets(endpoints: RpcEndpoints): void {
  for (const [key, client] of socketClientCache) {
    if (!endpoints.urls.some((url) => key.includes(url))) continue;
    client.close();
    socketClientCache.delete(key);
  }
}

export function isWebsocket(url: string): boolean {
  return /^wss?:/i.test(url);
}

function toWebsocket(url: string, timeoutMs: number): WebSocketTransport {
  return webSocket(url, {
    timeout: timeoutMs,
    retryCount: 1,
    reconnect: { attempts: 1000, delay: 1_000 },
  });
}
