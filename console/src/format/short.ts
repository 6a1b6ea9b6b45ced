import { fixedText } from "./amount.ts";

/** A hash or an address, its middle left out: `0x825d…4c7f`. Shorter text stays as it is. */
export function shorten(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}

/** The last part of an id, which differs between ids of one moment. */
export function shortId(id: string): string {
  return id.slice(-12);
}

/** A size in bytes, in its largest unit of 1024, which stays on the line of its number. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;
  let value = bytes;
  let place = 0;
  while (value >= 1024 && place < units.length - 1) {
    value /= 1024;
    place += 1;
  }
  return `${place === 0 || value >= 100 ? Math.round(value) : fixedText(value, 1)}\u00a0${units[place] ?? ""}`;
}
