import type { RpcBlock } from "../rpc/rpc-block.ts";
import { type RpcObject, readHash, readList, readObject } from "../rpc/rpc-value.ts";
import { data, isThere, quantity } from "./encoding/fields.ts";
import { encodeRlp } from "./encoding/rlp.ts";
import type { Keccak } from "./hashing/keccak.ts";
import { indexedTrieRoot } from "./hashing/trie-root.ts";
import { refusedBlock } from "./refuse-block.ts";

/**
 * Checks a block's withdrawals by the withdrawalsRoot of its header (EIP-4895). A block from before
 * withdrawals has neither.
 * @throws Fault `rpc_inconsistent` if a withdrawal was invented, changed or left out
 */
export function proveWithdrawals(keccak: Keccak, block: RpcBlock): void {
  const { raw } = block;
  const withdrawals = readList(raw["withdrawals"] ?? [], "withdrawals");
  if (!isThere(raw, "withdrawalsRoot")) {
    if (withdrawals.length === 0) return;
    throw refusedBlock(block, "it has withdrawals, but its header has no root of them");
  }
  const encoded = withdrawals.map((one) => encodeWithdrawal(readObject(one, "withdrawal")));
  const root = Buffer.from(indexedTrieRoot(keccak, encoded)).toString("hex");
  if (`0x${root}` !== readHash(raw["withdrawalsRoot"], "withdrawalsRoot"))
    throw refusedBlock(block, "its withdrawals do not make up its withdrawalsRoot");
}

function encodeWithdrawal(raw: RpcObject): Uint8Array {
  return encodeRlp([
    quantity(raw, "index"),
    quantity(raw, "validatorIndex"),
    data(raw, "address"),
    quantity(raw, "amount"),
  ]);
}
