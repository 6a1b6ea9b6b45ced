import { zeroAddress } from "../../../domain/chain/address.ts";
import type { Hash } from "../../../domain/chain/block.ts";
import type { HeaderEncoding } from "../../../domain/chain/header-encoding.ts";
import type { RpcObject } from "../../rpc/rpc-value.ts";
import { encodeHeader } from "../encoding/header.ts";
import type { Keccak } from "./keccak.ts";

/**
 * True if the header, in that encoding, has that hash.
 * @throws Fault `rpc_inconsistent` if a required field is missing or malformed
 */
export function headerHashes(
  keccak: Keccak,
  encoding: HeaderEncoding,
  { raw, hash }: { raw: RpcObject; hash: Hash },
): boolean {
  const isHash = (header: RpcObject) => {
    const bytes = encodeHeader(encoding, header);
    return bytes !== null && `0x${Buffer.from(keccak(bytes)).toString("hex")}` === hash;
  };
  return isHash(raw) || (encoding === "bor" && isHash({ ...raw, miner: zeroAddress }));
}
