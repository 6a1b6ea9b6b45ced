import type { ChainReading, LedgerStatus } from "../domain/chain-status.ts";
import { presentStatus, type ShownStatus } from "./present.ts";

type Deps = {
  ledger: { readStatus: (nowMs: number) => Promise<LedgerStatus> };
  /** How this process reads a chain; null where it does not. */
  readingOf: (chainName: string) => ChainReading | null;
};

/** How far each chain is and how it is read, and what is still to be told. */
export async function showStatus(deps: Deps, nowMs: number): Promise<ShownStatus> {
  return presentStatus(await deps.ledger.readStatus(nowMs), deps.readingOf);
}
