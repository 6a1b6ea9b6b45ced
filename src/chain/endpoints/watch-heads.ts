import type { Clock } from "../../runtime/clock.ts";
import { type AnnouncedHead, parseHead } from "../rpc/rpc-block.ts";
import { type RpcObject, readQuantity } from "../rpc/rpc-value.ts";
import type { Endpoint } from "./endpoint.ts";

/** How often a websocket must show that it lives: well within what proxies let an idle one live, and cheap. */
const heartbeatMs = 10_000;

/** Between two attempts to have a subscription. */
const retryMs = 1_000;

/**
 * Calls `wake` when a websocket endpoint announces a block. Only a hint: whoever is woken polls all the same. A socket
 * that does not answer, and a subscription that says nothing although the head has moved, are replaced.
 * @returns how to stop it
 */
export function watchHeads(endpoint: Endpoint, clock: Clock, wake: () => void): () => void {
  const stopping = new AbortController();
  void follow(endpoint, clock, { wake, signal: stopping.signal });
  return () => stopping.abort();
}

type Listener = { wake: () => void; signal: AbortSignal };

async function follow(endpoint: Endpoint, clock: Clock, listener: Listener): Promise<void> {
  const { wake, signal } = listener;
  while (!signal.aborted) {
    try {
      await listen(endpoint, clock, listener);
    } catch {
      // That it cannot be reached is told where it is asked for blocks.
    }
    if (signal.aborted) return;
    endpoint.transport.drop();
    wake();
    await clock.sleep(retryMs, signal);
  }
}

/** Returns when the subscription is not to be relied on any more. */
async function listen(endpoint: Endpoint, clock: Clock, listener: Listener): Promise<void> {
  const { wake, signal } = listener;
  const broken = new AbortController();
  const either = AbortSignal.any([signal, broken.signal]);
  const first = await headOf(endpoint);
  let announced = first;
  await endpoint.transport.subscribeHeads?.({
    onHead(head) {
      const height = readQuantity(head["number"], "announced height");
      if (height > announced) announced = height;
      endpoint.announced = hintIn(head);
      wake();
    },
    onError: () => broken.abort(),
  });
  let headBefore = first;
  while (!either.aborted) {
    await clock.sleep(heartbeatMs, either);
    if (either.aborted) return;
    const head = await headOf(endpoint);
    // What was there a heartbeat ago has had its time to be announced.
    if (announced < headBefore) return;
    headBefore = head;
  }
}

/** An announcement that says less than a block does is still one. */
function hintIn(head: RpcObject): AnnouncedHead | null {
  try {
    return parseHead(head);
  } catch {
    return null;
  }
}

async function headOf(endpoint: Endpoint): Promise<bigint> {
  const call = { method: "eth_blockNumber", params: [] };
  return readQuantity(await endpoint.ask("heartbeat", call), "eth_blockNumber");
}
