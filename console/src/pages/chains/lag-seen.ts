import type { ChainStatus } from "./status.ts";

type Seen = { at: number; lag: number };

const most = 720;
const seen = new Map<string, Seen[]>();

/** Keeps how far each chain was behind, for the chart: what this page has seen since it was opened. */
export function remember(chains: readonly ChainStatus[]): void {
  const at = Math.round(Date.now() / 1000);
  for (const { name, lag_seconds: lag } of chains) {
    if (lag === null) continue;
    const before = seen.get(name) ?? [];
    if (before.at(-1)?.at !== at) seen.set(name, [...before.slice(1 - most), { at, lag }]);
  }
}

/** What was seen of a chain, the oldest first. */
export function lagSeen(name: string): readonly Seen[] {
  return seen.get(name) ?? [];
}
