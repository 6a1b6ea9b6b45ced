import { sumsOf } from "../../domain/money/balance-change.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { Difference } from "../../domain/money/reconciliation.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import { watchlistOf } from "../../domain/watch/watchlist.ts";
import { type RereadPorts, reread } from "../reread.ts";
import { type NarrowPorts, narrow } from "./narrow.ts";
import { watchedAs } from "./rescan.ts";

export type HiddenPorts = RereadPorts &
  NarrowPorts & {
    chain: NarrowPorts["chain"] & RereadPorts["chain"];
    ledger: NarrowPorts["ledger"] & Pick<ReconcileLedger, "replaceRead" | "readWritten">;
  };

/**
 * Explains a difference of the coin that remains after all blocks were read again. The leading
 * endpoint hides a contract's payment. The balances show in which blocks the difference arose. Each
 * of these is read again, from other hosts too. Safe to repeat.
 * @returns whether any movement was replaced
 */
export async function findHidden(
  ports: HiddenPorts,
  chainName: string,
  difference: Difference & { since: bigint },
): Promise<boolean> {
  const { balance } = difference;
  if (balance.assetAddress !== nativeAddress) return false;
  const list = watchlistOf([watchedAs(balance)]);
  let isReplaced = false;
  for (const { at, since } of await narrow(ports, difference)) {
    if (at.number - since > 1n) continue;
    const range = { chainName, since, to: at.number, balances: [balance] };
    const rows = await ports.ledger.readWritten(range);
    const areUnproven = rows.some(({ isUnproven }) => isUnproven);
    const written = { ...sumsOf(rows), areUnproven };
    const asked = { chainName, block: at, balance, written, list };
    isReplaced = (await reread(ports, asked)) || isReplaced;
  }
  return isReplaced;
}
