import { faultIn } from "../../src/domain/fault.ts";
import { type Clock, systemClock } from "../../src/runtime/clock.ts";
import type { WatchedChain } from "./chain/watched-chain.ts";

/**
 * Steps on through whatever endpoints do, as the daemon's loop would; answers the messages of what
 * went wrong.
 */
export async function struggle(watched: WatchedChain, rounds: number): Promise<string[]> {
  const troubles: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    try {
      await watched.catchUp();
    } catch (error) {
      const fault = faultIn(error);
      if (fault?.code !== "rpc_unavailable" && fault?.code !== "rpc_inconsistent") throw error;
      troubles.push(fault.message);
    }
  }
  return troubles;
}

/** A log that keeps its lines, so that a test can read them. */
export function keepingLog() {
  const lines: { message: string; fields: Record<string, unknown> }[] = [];
  const keep = (fields: object, message: string) => {
    lines.push({ message, fields: fields as Record<string, unknown> });
  };
  return { lines, log: { debug: keep, info: keep, warn: keep, error: keep } };
}

/** A clock that runs so many times as fast: pauses of seconds pass in moments. */
export function fastClock(times: number): Clock {
  const startMs = Date.now();
  return {
    now: () => startMs + (Date.now() - startMs) * times,
    elapsed: () => systemClock.elapsed() * times,
    sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
  };
}
