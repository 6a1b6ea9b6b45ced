import { webSocket } from "viem";
import type { RpcCall } from "./rpc-call.ts";

type Spare = { client: Client; send: (call: RpcCall) => Promise<unknown>; isBusy: boolean };
type Client = { close: () => void; socket: { readyState: number; OPEN: number } };

export type SpareSockets = {
  /**
   * Sends the call over a spare socket that is idle. Calls `otherwise` if there is none yet, or if
   * it closes before the answer.
   */
  ask: (call: RpcCall, otherwise: (call: RpcCall) => Promise<unknown>) => Promise<unknown>;
  /** Forgets which sockets could not be opened, so that they are tried again. */
  drop: () => void;
  /** Closes all spare sockets for good. */
  close: () => void;
};

/**
 * A block, its receipts and its traces are asked for at once. The first call uses the endpoint's
 * own socket, and the others use these.
 */
const spareCount = 2;

/**
 * Further sockets to the same node, for calls of the same moment. Over one socket many nodes answer
 * calls one after another. A node with Nagle's algorithm delays each answer until the one before is
 * acknowledged, which takes 40 ms.
 *
 * A socket is opened when it would first have helped, and nobody waits for it. If the node refuses
 * it, or it closes, the endpoint's own socket does all the work.
 */
export function createSpareSockets(url: string, timeoutMs: number): SpareSockets {
  const spares = new Map<number, Spare | "opening" | "refused">();
  let isClosed = false;

  async function open(index: number): Promise<void> {
    // viem shares one socket for equal options. Different delays, which are never used without
    // attempts, keep the sockets apart.
    const reconnect = { attempts: 0, delay: index };
    const options = { timeout: timeoutMs, retryCount: 0, keepAlive: false, reconnect };
    const { request, value } = webSocket(url, options)({});
    spares.set(index, "opening");
    try {
      const client: Client | undefined = await value?.getRpcClient();
      if (client === undefined) return;
      if (isClosed) return client.close();
      const send = (call: RpcCall) => (request as (call: RpcCall) => Promise<unknown>)(call);
      spares.set(index, { client, send, isBusy: false });
    } catch {
      spares.set(index, "refused");
    }
  }

  function free(): Spare | null {
    for (let index = 1; index <= spareCount; index += 1) {
      const spare = spares.get(index);
      if (spare === "opening" || spare === "refused") continue;
      if (spare !== undefined && isOpen(spare)) {
        if (!spare.isBusy) return spare;
        continue;
      }
      spare?.client.close();
      void open(index);
      return null;
    }
    return null;
  }

  return {
    async ask(call, otherwise) {
      const spare = isClosed ? null : free();
      if (spare === null) return otherwise(call);
      spare.isBusy = true;
      try {
        return await spare.send(call);
      } catch (error) {
        if (isOpen(spare)) throw error;
      } finally {
        spare.isBusy = false;
      }
      return otherwise(call);
    },
    drop() {
      for (const [index, spare] of spares) if (spare === "refused") spares.delete(index);
    },
    close() {
      isClosed = true;
    },
  };
}

function isOpen({ client }: Spare): boolean {
  return client.socket.readyState === client.socket.OPEN;
}
