import { createHmac, hash } from "node:crypto";

/** The place of an id in the order of ids. */
type Place = {
  /** In ms since the epoch. */
  timeMs: number;
  /** Within that time, from 0 to 2^32 - 1. */
  ordinal: number;
};

/**
 * Derives a UUID v8 (RFC 9562, 5.8) from what it names. The same place, key and parts always give
 * the same id, in every process. Its layout is that of a v7: ids of both versions sort by time, and
 * within one millisecond by ordinal. The last 42 bits are of HMAC-SHA-256. Without the key nobody
 * can compute an id, or make two equal ones.
 */
export function derivedId(
  place: Place,
  key: string,
  parts: readonly (string | number | null)[],
): string {
  const digest = createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  const time = hex(place.timeMs, 12);
  const upper = hex(Math.floor(place.ordinal / 2 ** 20), 3);
  // The variant 10, the lower 20 bits of the ordinal, and the first 10 bits of the digest.
  const lower = (place.ordinal % 2 ** 20) * 2 ** 10 + (digest.readUInt16BE(4) & 0x3ff);
  const middle = hex(2 ** 31 + lower, 8);
  const end = digest.toString("hex", 0, 4);
  return `${time.slice(0, 8)}-${time.slice(8)}-8${upper}-${middle.slice(0, 4)}-${middle.slice(4)}${end}`;
}

/** The fingerprint of a key: 16 hexadecimal digits. Operators compare installations by it. */
export function fingerprintOf(key: Uint8Array): string {
  return hash("sha256", key).slice(0, 16);
}

/** The time and ordinal in an id, v7 and v8 alike. */
export function placeOf(id: string): Place {
  const digits = id.replaceAll("-", "");
  const upper = Number.parseInt(digits.slice(13, 16), 16);
  const middle = Number.parseInt(digits.slice(16, 24), 16);
  const lower = Math.floor(middle / 2 ** 10) % 2 ** 20;
  return { timeMs: Number.parseInt(digits.slice(0, 12), 16), ordinal: upper * 2 ** 20 + lower };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
