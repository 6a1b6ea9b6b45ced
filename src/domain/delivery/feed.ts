import type { WebhookFilter } from "../webhook/filter.ts";
import type { StreamPlace } from "./stream.ts";

/** A place in each stream of a business, by chain. A stream that is left out: before its first. */
export type FeedPlaces = ReadonlyMap<string, StreamPlace>;

export type FeedAsked = {
  businessId: string;
  /**
   * Null: from the oldest that is kept. A notification: from after it, in the stream of its chain
   * alone.
   */
  after: FeedPlaces | { notificationId: string } | null;
  /** These chains alone; undefined: all. */
  chainNames?: readonly string[];
  /** The notifications that are wanted. Null: all. A price is the one at confirmation. */
  filter: WebhookFilter | null;
  /** Notifications that are looked at, at most. */
  limit: number;
};

/** A notification of the feed, and its place in the stream of its chain. */
export type FeedEntry = { chainName: string; place: StreamPlace; body: string };

/**
 * - `page`: the notifications that were asked for, oldest first, in the order of each stream.
 *   `from`: the places that it begins after. `places`: behind all that was looked at. `isEnd`: no
 *   more is there.
 * - `unknown`: a place is none of this database's. `places`: where to go on, from the oldest kept
 *   notification of such a stream.
 * - `expired`: retention has removed what comes after a place. `places`: where to go on.
 */
export type FeedPage =
  | {
      kind: "page";
      from: FeedPlaces;
      entries: readonly FeedEntry[];
      places: FeedPlaces;
      isEnd: boolean;
    }
  | { kind: "unknown" | "expired"; places: FeedPlaces };

/** A cursor is opaque to the caller, who only sends back what an answer had. */
export function encodeFeedCursor(places: FeedPlaces): string {
  const entries = [...places].map(([name, { sequence, digest }]) => [name, [sequence, digest]]);
  return Buffer.from(JSON.stringify(Object.fromEntries(entries))).toString("base64url");
}

export const feedCursorRule = "expected the chainbell-cursor of an answer";

/** The places in a cursor, or null if the text is not a cursor. */
export function decodeFeedCursor(text: string): FeedPlaces | null {
  const parsed = parsedOrNull(Buffer.from(text, "base64url").toString());
  if (typeof parsed !== "object" || parsed === null) return null;
  const places = new Map<string, StreamPlace>();
  for (const [name, place] of Object.entries(parsed)) {
    if (!Array.isArray(place)) return null;
    const [sequence, digest]: unknown[] = place;
    if (typeof sequence !== "number" || !Number.isSafeInteger(sequence)) return null;
    if (sequence < 1 || typeof digest !== "string" || !/^[0-9a-f]{32}$/.test(digest)) return null;
    places.set(name, { sequence, digest });
  }
  return encodeFeedCursor(places) === text ? places : null;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
