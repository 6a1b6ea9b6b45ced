import type { RpcLog } from "../../rpc/rpc-block.ts";
import { toBytes } from "../encoding/fields.ts";
import type { Keccak } from "./keccak.ts";

const bloomBytes = 256;

/**
 * An address or a topic sets three of the 2,048 bits in a bloom filter of logs (yellow paper,
 * 4.3.1).
 */
export type BloomBits = readonly [number, number, number];

export function bloomBits(keccak: Keccak, entry: `0x${string}`): BloomBits {
  const hash = keccak(toBytes(entry));
  const bitAt = (at: number) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 0x7ff;
  return [bitAt(0), bitAt(2), bitAt(4)];
}

/** The bloom filter of logs. */
export function bloomOf(
  keccak: Keccak,
  logs: readonly Pick<RpcLog, "address" | "topics">[],
): Uint8Array {
  const bloom = new Uint8Array(bloomBytes);
  for (const log of logs) {
    for (const entry of [log.address, ...log.topics]) {
      for (const bit of bloomBits(keccak, entry)) {
        const at = byteOf(bit);
        bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return bloom;
}

/** True if a bloom has all three bits. If not, no log has that address or topic. */
export function bloomHasBits(bloom: Uint8Array, [first, second, third]: BloomBits): boolean {
  return isSet(bloom, first) && isSet(bloom, second) && isSet(bloom, third);
}

/** True if a bloom has every bit of `part`. If not, the block does not have those logs. */
export function bloomHolds(bloom: Uint8Array, part: Uint8Array): boolean {
  return part.every((byte, index) => (byte & ~(bloom[index] ?? 0)) === 0);
}

function isSet(bloom: Uint8Array, bit: number): boolean {
  return ((bloom[byteOf(bit)] ?? 0) & (1 << (bit & 7))) !== 0;
}

function byteOf(bit: number): number {
  return bloomBytes - 1 - (bit >> 3);
}
