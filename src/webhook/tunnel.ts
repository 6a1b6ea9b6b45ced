import { isIP, Socket } from "node:net";
import { Pool } from "undici";
import { ConnectError } from "./connect-error.ts";

/** Connections through a proxy. */
export type Tunnel = {
  /**
   * Opens a connection to an address, through the proxy. Rejects with the signal's reason if it is
   * aborted.
   * @throws ConnectError `connection` if the proxy is out of reach or refuses
   */
  open: (to: { address: string; port: number }, signal: AbortSignal) => Promise<Socket>;
  /** Ends the tunnels that are not open yet. */
  close: () => Promise<void>;
};

/**
 * Opens tunnels through any proxy that supports CONNECT (RFC 9110, 9.3.6), such as Smokescreen or
 * Squid. Asks the proxy for a checked address, never for a name. So the proxy cannot resolve the
 * name to another address.
 * @param proxyUrl http or https; its user and password go into Proxy-Authorization
 */
export function createTunnel(proxyUrl: string): Tunnel {
  const { origin, username, password } = new URL(proxyUrl);
  const pool = new Pool(origin);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const credentials: Record<string, string> =
    username === ""
      ? {}
      : { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` };
  return {
    async open({ address, port }, signal) {
      const host = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
      const answer = await pool
        .connect({ path: host, headers: { host, ...credentials }, signal })
        .catch((cause: unknown) => {
          signal.throwIfAborted();
          throw new ConnectError("connection", "the proxy is out of reach", { cause });
        });
      const { statusCode, socket } = answer;
      if (statusCode === 200 && socket instanceof Socket) return socket;
      socket.on("error", () => {}).destroy();
      throw new ConnectError("connection", `the proxy refused with ${statusCode}`);
    },
    close: () => pool.destroy(),
  };
}
