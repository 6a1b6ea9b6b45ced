import { NodeRefusal, type RpcProxy, startRpcProxy } from "../rpc-proxy.ts";
import type { Announce } from "../rpc-proxy-sockets.ts";
import { Misbehaving, type Teller } from "./lie.ts";

/**
 * An endpoint in front of an honest node, by HTTP and by websocket, that is honest until it is
 * given something to tell.
 */
export async function startLiar(nodeUrl: string) {
  const proxy: RpcProxy = await startRpcProxy(nodeUrl);
  const defects: unknown[] = [];
  return {
    /** What failed in the liar itself: then nothing has been shown. */
    defects,
    url: proxy.url,
    wsUrl: proxy.wsUrl,
    calls: proxy.calls,
    /** What it tells from now on; null: the truth. */
    tell(teller: Teller | null, announce: Announce | null = null): void {
      proxy.announce(announce);
      proxy.misbehave(
        teller &&
          (async (call, forward) => {
            try {
              return { result: await teller(call, (other = call) => forward(undefined, other)) };
            } catch (error) {
              if (error instanceof Misbehaving) return error.how;
              if (!(error instanceof NodeRefusal)) defects.push(error);
              throw error;
            }
          }),
      );
    },
    stop: proxy.stop,
  };
}
