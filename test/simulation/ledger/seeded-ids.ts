import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import type { Random } from "../random.ts";

/**
 * Lets this process draw ids from the seed, and so that they sort as they are made: what the
 * database orders by an id is then the same in each run. Of times only their order is left to the
 * real clock.
 */
export function seedIds(random: Random): void {
  const { randomBytes } = original;
  let count = 0;
  const nextBytes = (size: number) => {
    if (size !== 4) return randomBytes(size);
    count += 1;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(count * 2);
    return bytes;
  };
  const nextId = () => {
    const hex = random.hash().slice(2);
    const parts = [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
    ];
    return [...parts, hex.slice(20, 32)].join("-");
  };
  Object.assign(crypto, { randomUUID: nextId, randomBytes: nextBytes });
  syncBuiltinESMExports();
}

const original = { randomBytes: crypto.randomBytes };
