import { setTimeout as sleep } from "node:timers/promises";
import { createTestClient, http, publicActions } from "viem";
import type { DevelopmentLog } from "../process/shared-process.ts";

export type Settling = {
  /** The number of empty blocks to mine after a block that somebody else made. */
  blocks: number;
  /** The pause between two of these blocks, in ms. */
  everyMs: number;
  /** The shortest time between two blocks while somebody waits for blocks, in ms. */
  awaitedEveryMs: number;
};

export type SettlingChain = {
  /** Also makes blocks while `isAwaited` resolves with true. */
  mineWhile: (isAwaited: () => Promise<boolean>) => void;
  /** Stops, and waits for the block that is being made. */
  stop: () => Promise<void>;
};

const nobodyWaits = async () => false;

/**
 * Mines empty blocks on a development chain. It mines a few after every block that it did not make
 * itself, and more while somebody waits for them. Otherwise it mines none, because the chain would
 * grow without end. If the chain does not answer, tries again.
 */
export function settle(rpcUrl: string, settling: Settling, log: DevelopmentLog): SettlingChain {
  const client = createTestClient({ mode: "anvil", transport: http(rpcUrl, { retryCount: 0 }) });
  const chain = client.extend(publicActions);
  const stopping = new AbortController();
  const state = { seen: -1n, left: 0, minedAtMs: 0, isReachable: true };
  let isAwaited = nobodyWaits;

  const mine = async () => {
    await chain.mine({ blocks: 1 });
    state.seen += 1n;
    state.minedAtMs = performance.now();
  };

  const step = async () => {
    const head = await chain.getBlockNumber({ cacheTime: 0 });
    if (head !== state.seen) {
      state.seen = head;
      state.left = settling.blocks;
    }
    if (state.left > 0) {
      state.left -= 1;
      await mine();
      return;
    }
    const isTime = performance.now() - state.minedAtMs >= settling.awaitedEveryMs;
    if (isTime && (await isAwaited())) await mine();
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      const pause = sleep(settling.everyMs, undefined, { signal: stopping.signal });
      await pause.catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        await step();
        state.isReachable = true;
      } catch (error) {
        if (state.isReachable) log.warn({ rpcUrl, error }, "chain.settling_failed");
        state.isReachable = false;
      }
    }
  };

  const running = run();
  return {
    mineWhile(awaited) {
      isAwaited = awaited;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
