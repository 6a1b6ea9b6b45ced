import type { Position } from "../../domain/chain/block.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type AnnouncedHead, parseHead } from "../rpc/rpc-block.ts";
import { type RpcObject, readQuantity } from "../rpc/rpc-value.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * The time between two heartbeats of a websocket: cheap, and well before proxies close an idle one.
 */
const heartbeatMs = 10_000;

/** Between two attempts to subscribe. */
const retryMs = 1_000;

/**
 * Calls `wake` when a websocket endpoint announces a block. It is only a hint: the head is polled
 * all the same. A socket that does not answer is replaced, and so is a subscription that announces
 * nothing although the head has moved.
 * @returns how to stop it: then the socket is let go of too
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

/**
 * A websocket that has announced nothing for as long as so many blocks take is not relied on: the
 * head is asked for.
 */
const missedBlocks = 2;

/**
 * The head that a websocket of the endpoint has announced last, where it announces and is relied on
 * for that. Null where the next one is overdue.
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
      // An endpoint out of reach is reported where it is asked for blocks.
    }
    endpoint.isAnnouncing = false;
    // Also where nobody listens any more: it may have opened meanwhile.
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
    // A block that was there one heartbeat ago should have been announced by now.
    if (announced < headBefore) return;
    headBefore = head;
  }
}

/** An announcement with fewer fields than a block is accepted too. */
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
