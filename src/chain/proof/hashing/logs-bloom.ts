import type { RpcLog } from "../../rpc/rpc-block.ts";
import { toBytes } from "../encoding/fields.ts";
import type { Keccak } from "./keccak.ts";

const bloomBytes = 256;

/** The bloom filter of logs (yellow paper, 4.3.1): three bits for each address and topic. */
export function bloomOf(
  keccak: Keccak,
  logs: readonly Pick<RpcLog, "address" | "topics">[],
): Uint8Array {
  const bloom = new Uint8Array(bloomBytes);
  for (const log of logs) {
    for (const entry of [log.address, ...log.topics]) {
      const hash = keccak(toBytes(entry));
      for (let pair = 0; pair < 3; pair += 1) {
        const bit = (((hash[pair * 2] ?? 0) << 8) | (hash[pair * 2 + 1] ?? 0)) & 0x7ff;
        const at = bloomBytes - 1 - (bit >> 3);
        bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return bloom;
}

/** Whether a bloom holds every bit of another: one that does not cannot be of a block with those logs. */
export function bloomHolds(bloom: Uint8Array, part: Uint8Array): boolean {
  return part.every((byte, index) => (byte & ~(bloom[index] ?? 0)) === 0);
}
