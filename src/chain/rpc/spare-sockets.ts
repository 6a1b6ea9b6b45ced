import { createOwnSocket, type SocketClient } from "./own-socket.ts";
import type { RpcCall } from "./rpc-call.ts";

type Spare = {
  client: SocketClient;
  send: (call: RpcCall) => Promise<unknown>;
  isBusy: boolean;
};

export type SpareSockets = {
  /**
   * Sends the call over a spare socket that is idle. Calls `otherwise` if there is none yet, or if
   * it closes before the answer.
   */
  ask: (call: RpcCall, otherwise: (call: RpcCall) => Promise<unknown>) => Promise<unknown>;
  /** Closes all spare sockets, and forgets which could not be opened. They are tried again. */
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
    const { client: opening, request: send } = createOwnSocket(url, timeoutMs);
    spares.set(index, "opening");
    try {
      const client = await opening();
      if (isClosed) return client.close();
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

  function drop(): void {
    for (const [index, spare] of spares) {
      if (spare === "opening") continue;
      spares.delete(index);
      if (spare !== "refused") spare.client.close();
    }
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
    drop,
    close() {
      isClosed = true;
      drop();
    },
  };
}

function isOpen({ client }: Spare): boolean {
  return client.socket.readyState === client.socket.OPEN;
}
