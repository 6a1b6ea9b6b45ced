import type { Position } from "../../domain/chain/block.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type AnnouncedHead, parseHead } from "../rpc/rpc-block.ts";
import { type RpcObject, readQuantity } from "../rpc/rpc-value.ts";
import type { Endpoint } from "./endpoint.ts";

/** The time between two heartbeats of a websocket, in ms. Proxies close an idle one much later. */
const heartbeatMs = 10_000;

/** The pause between two attempts to subscribe, in ms. */
const retryMs = 1_000;

/**
 * Calls `wake` when a websocket endpoint announces a block. That is only a hint, since the head is
 * polled too. A socket that does not answer is replaced. So is a subscription that announces
 * nothing although the head has moved.
 * @returns a function that stops it and closes the socket
 */
export function watchHeads(endpoint: Endpoint, clock: Clock, wake: () => void): () => void {
  const stopping = new AbortController();
  void follow(endpoint, clock, { wake, signal: stopping.signal });
  return () => {
    stopping.abort();
    endpoint.isAnnouncing = false;
    endpoint.transport.drop();
  };
}

/** If a websocket announces nothing during the time of this many blocks, the head is asked for. */
const missedBlocks = 2;

/**
 * The head that the endpoint's websocket announced last. Null: it does not announce, or its next
 * announcement is overdue.
 */
export function announcedBy(
  { isAnnouncing, announced, lastHead }: Endpoint,
  clock: Clock,
  { blockTimeMs }: { blockTimeMs: number },
): Position | null {
  if (!isAnnouncing) return null;
  const silentMs = clock.now() - (lastHead?.seenMs ?? 0);
  return silentMs <= missedBlocks * blockTimeMs ? announced : null;
}

type Listener = { wake: () => void; signal: AbortSignal };

async function follow(endpoint: Endpoint, clock: Clock, listener: Listener): Promise<void> {
  const { wake, signal } = listener;
  while (!signal.aborted) {
    try {
      await listen(endpoint, clock, listener);
    } catch {
      // An endpoint out of reach is reported when it is asked for blocks.
    }
    endpoint.isAnnouncing = false;
    // Drops the socket even after an abort, since it may have opened since then.
    endpoint.transport.drop();
    if (signal.aborted) return;
    wake();
    await clock.sleep(retryMs, signal);
  }
}

/** Returns when the subscription has to be replaced. */
async function listen(endpoint: Endpoint, clock: Clock, listener: Listener): Promise<void> {
  const { wake, signal } = listener;
  const broken = new AbortController();
  const either = AbortSignal.any([signal, broken.signal]);
  const first = await headOf(endpoint);
  let announced = first;
  await endpoint.transport.subscribeHeads?.({
    onHead(head) {
      endpoint.noteAnnounced(head);
      const height = readQuantity(head["number"], "announced height");
      if (height > announced) announced = height;
      const hint = hintIn(head);
      endpoint.announced = hint;
      endpoint.isAnnouncing = hint !== null;
      if (hint !== null) endpoint.noteHead(hint);
      wake();
    },
    onError: () => broken.abort(),
  });
  let headBefore = first;
  while (!either.aborted) {
    await clock.sleep(heartbeatMs, either);
    if (either.aborted) return;
    const head = await headOf(endpoint);
    // The head of one heartbeat ago should have been announced by now.
    if (announced < headBefore) return;
    headBefore = head;
  }
}

/** Accepts an announcement with fewer fields than a block has. */
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
