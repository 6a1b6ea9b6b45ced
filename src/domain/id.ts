import { randomBytes } from "node:crypto";
import { v7 } from "uuid";

/**
 * Makes a UUID v7 (RFC 9562) for a moment. Ids sort by time, and within one millisecond by ordinal.
 * `timeMs` is in ms since the epoch, and `ordinal` from 0 to 2^32 - 1. The rest is random, so two
 * calls never give the same id.
 */
export function idAt(timeMs: number, ordinal = takeRandom(4).readUInt32BE() >>> 1): string {
  return v7({ msecs: timeMs, seq: ordinal, random: takeRandom(16) });
}

/**
 * Random bytes, fetched in large pieces. Asking the system for 16 bytes takes longer than making
 * the id.
 */
let random = Buffer.alloc(0);
const fetchedBytes = 4_096;

function takeRandom(count: number): Buffer {
  if (random.length < count) random = randomBytes(fetchedBytes);
  const taken = random.subarray(0, count);
  random = random.subarray(count);
  return taken;
}

/** The nil UUID (RFC 9562). It sorts before every other id, and names nothing. */
export const nilId = "00000000-0000-0000-0000-000000000000";

/** The lowest id of a moment. Ids of that millisecond or later are not lower. */
export function leastIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
