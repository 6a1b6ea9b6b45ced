import { webSocket } from "viem";
import type { RpcCall } from "./rpc-call.ts";

/** An open socket. */
export type SocketClient = {
  close: () => void;
  socket: { readyState: number; OPEN: number };
};

/** A socket to a URL that nobody else uses. It opens when it is first used, and after a close. */
export type OwnSocket = {
  request: (call: RpcCall) => Promise<unknown>;
  /** The open socket. Opens it if need be, for which viem may wait for ever. */
  client: () => Promise<SocketClient>;
  /** Subscribes, as viem does. `onError` is also called when the socket closes. */
  subscribe: (to: {
    params: ["newHeads"];
    onData: (data: unknown) => void;
    onError: () => void;
  }) => Promise<unknown>;
};

let made = 0;

/**
 * A socket without viem's own reconnecting and pings, which keep a silent one. viem shares one
 * socket for equal options. Different delays, which are never used without attempts, keep sockets
 * apart.
 */
export function createOwnSocket(url: string, timeoutMs: number): OwnSocket {
  made += 1;
  const reconnect = { attempts: 0, delay: made };
  const options = { timeout: timeoutMs, retryCount: 0, keepAlive: false, reconnect };
  const { request, value } = webSocket(url, options)({});
  if (value === undefined) throw new TypeError("viem gives no socket.");
  return {
    request: request as OwnSocket["request"],
    client: value.getRpcClient,
    subscribe: value.subscribe,
  };
}
