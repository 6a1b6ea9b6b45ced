import { setTimeout as sleep } from "node:timers/promises";
import { createTestClient, http, publicActions } from "viem";
import type { DevelopmentLog } from "../process/shared-process.ts";

export type Settling = {
  /** How many empty blocks follow the last one that somebody else made. */
  blocks: number;
  /** How long after one another. */
  everyMs: number;
};

/**
 * Mines empty blocks on top of every block that it did not make itself, a few and then no more: a chain that mined
 * on and on would grow by the hour for nothing. A chain out of reach is tried again; `stop` ends it.
 */
export function settle(
  rpcUrl: string,
  settling: Settling,
  log: DevelopmentLog,
): { stop: () => Promise<void> } {
  const client = createTestClient({ mode: "anvil", transport: http(rpcUrl, { retryCount: 0 }) });
  const chain = client.extend(publicActions);
  const stopping = new AbortController();
  const state = { seen: -1n, left: 0, reachable: true };

  const step = async () => {
    const head = await chain.getBlockNumber({ cacheTime: 0 });
    if (head !== state.seen) {
      state.seen = head;
      state.left = settling.blocks;
    }
    if (state.left === 0) return;
    await chain.mine({ blocks: 1 });
    state.seen += 1n;
    state.left -= 1;
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      const pause = sleep(settling.everyMs, undefined, { signal: stopping.signal });
      await pause.catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        await step();
        state.reachable = true;
      } catch (error) {
        if (state.reachable) log.warn({ rpcUrl, error }, "chain.settling_failed");
        state.reachable = false;
      }
    }
  };

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
