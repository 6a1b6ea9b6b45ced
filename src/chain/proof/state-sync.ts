import type { Hash } from "../../domain/chain/block.ts";
import type { RpcBlock } from "../rpc/rpc-block.ts";
import { toBytes } from "./encoding/fields.ts";
import type { Keccak } from "./hashing/keccak.ts";

const prefix = Buffer.from("matic-bor-receipt-", "utf8");

/**
 * The hash under which Polygon's node shows the data that Heimdall brought in a block. The block's
 * roots do not cover such a transaction. The hash is keccak-256 of a prefix, the block's number in
 * eight bytes, and the block's hash (maticnetwork/bor, GetDerivedBorTxHash).
 */
export function stateSyncHash(
  keccak: Keccak,
  { number, hash }: Pick<RpcBlock, "number" | "hash">,
): Hash {
  const height = Buffer.alloc(8);
  height.writeBigUInt64BE(number);
  const digest = keccak(Buffer.concat([prefix, height, toBytes(hash)]));
  return `0x${Buffer.from(digest).toString("hex")}`;
}
