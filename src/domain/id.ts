import { randomBytes } from "node:crypto";
import { v7 } from "uuid";

/**
 * A UUID v7 (RFC 9562) for a moment: ids sort by time, and within one millisecond by ordinal.
 * Time in ms since the epoch; ordinal from 0 to 2^32 - 1. The rest is random, so two calls never agree.
 */
export function idAt(
  timeMs: number,
  ordinal = Math.floor(randomBytes(4).readUInt32BE() / 2),
): string {
  return v7({ msecs: timeMs, seq: ordinal });
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
