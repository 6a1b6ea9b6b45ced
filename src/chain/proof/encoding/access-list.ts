import { type RpcObject, readList, readObject } from "../../rpc/rpc-value.ts";
import { data, quantity, quantityOf } from "./fields.ts";
import type { RlpItem } from "./rlp.ts";

/**
 * A block's access list as RLP, as its hash covers it (EIP-7928), from an answer of
 * eth_getBlockAccessList. Each account has its address, storage changes, storage reads, and changes
 * of balance, nonce and code. Storage keys and values are encoded as numbers, however many digits
 * the endpoint writes.
 * @throws Fault `rpc_inconsistent` if a field is missing or malformed
 */
export function accessListItem(list: readonly RpcObject[]): RlpItem {
  return list.map((account) => [
    data(account, "address"),
    listOf(account, "storageChanges").map((slot) => [
      quantity(slot, "key"),
      listOf(slot, "changes").map((change) => indexed(change, quantity(change, "value"))),
    ]),
    readList(account["storageReads"], "storageReads").map((key) => quantityOf(key, "storageReads")),
    listOf(account, "balanceChanges").map((change) => indexed(change, quantity(change, "value"))),
    listOf(account, "nonceChanges").map((change) => indexed(change, quantity(change, "value"))),
    listOf(account, "codeChanges").map((change) => indexed(change, data(change, "code"))),
  ]);
}

/**
 * A change with its index. Index 0 is before the first transaction, which is 1. After the last
 * transaction comes the next number.
 */
function indexed(change: RpcObject, value: Uint8Array): RlpItem {
  return [quantity(change, "index"), value];
}

function listOf(raw: RpcObject, key: string): RpcObject[] {
  return readList(raw[key], key).map((one) => readObject(one, key));
}
