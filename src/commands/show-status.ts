import type { LedgerStatus } from "../domain/chain/chain-status.ts";
import { presentStatus, type ShownStatus } from "./present.ts";

type Ledger = { readStatus: (nowMs: number) => Promise<LedgerStatus> };

/** How far each chain is and how it is read, and what is still to be told. */
export async function showStatus(ledger: Ledger, nowMs: number): Promise<ShownStatus> {
  return presentStatus(await ledger.readStatus(nowMs));
}
