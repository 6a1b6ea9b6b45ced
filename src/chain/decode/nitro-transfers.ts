import type { Address } from "../../domain/chain/address.ts";
import { isPrepaid } from "../../domain/chain/tx-types.ts";
import type { RpcTransaction } from "../rpc/rpc-block.ts";
import {
  type RpcObject,
  readList,
  readObject,
  readOptionalAddress,
  readQuantity,
} from "../rpc/rpc-value.ts";
import type { CoinMove } from "./income/movement-makers.ts";
import type { TracedTransaction } from "./trace-moves.ts";

/** A transfer that Nitro itself makes. A null `from` makes coin, and a null `to` destroys it. */
type NitroTransfer = {
  from: Address | null;
  to: Address | null;
  amountAtomic: bigint;
  tracePath: string;
};

/**
 * The coin that Nitro moved before and after the calls of a transaction (OffchainLabs/nitro,
 * arbos/util/transfer.go). It is escrow, refunds of retryables, coin from the parent chain, or gas.
 * Other kinds of trace do not have it. An ordinary transaction's receipt shows its gas. For
 * transactions that the parent chain or the node orders, only this trace shows it.
 */
export function readNitroTransfers(root: RpcObject, { type }: RpcTransaction): TracedTransaction {
  const transfers = [...listOf(root, "beforeEVMTransfers"), ...listOf(root, "afterEVMTransfers")];
  const moves: CoinMove[] = [];
  const made: TracedTransaction["made"] = [];
  const paid = new Map<Address, bigint>();
  for (const { from, to, amountAtomic, tracePath } of transfers) {
    if (amountAtomic === 0n) continue;
    if (from !== null && to !== null)
      moves.push({ from, to, amountAtomic, tracePath, logIndex: null });
    else if (from !== null) paid.set(from, (paid.get(from) ?? 0n) + amountAtomic);
    else if (to === null || !isPrepaid(type)) continue;
    else if (paid.has(to)) paid.set(to, (paid.get(to) ?? 0n) - amountAtomic);
    else made.push({ to, amountAtomic, tracePath });
  }
  if (!isPrepaid(type)) return { moves, made: [], fees: null };
  const fees = [...paid]
    .map(([from, amountAtomic]) => ({ from, amountAtomic, tracePath: "before" }))
    .filter(({ amountAtomic }) => amountAtomic > 0n);
  return { moves, made, fees: transfers.length === 0 ? null : fees };
}

function listOf(root: RpcObject, key: "beforeEVMTransfers" | "afterEVMTransfers"): NitroTransfer[] {
  const place = key === "beforeEVMTransfers" ? "before" : "after";
  return readList(root[key] ?? [], key).map((item, index) => {
    const transfer = readObject(item, key);
    return {
      from: readOptionalAddress(transfer["from"] || null, `${key} from`),
      to: readOptionalAddress(transfer["to"] || null, `${key} to`),
      amountAtomic: readQuantity(transfer["value"], `${key} value`),
      tracePath: `${place}.${index}`,
    };
  });
}
