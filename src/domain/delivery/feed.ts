import { isPlainText } from "../text.ts";
import type { WebhookFilter } from "../webhook/filter.ts";
import type { StreamPlace } from "./stream.ts";

/**
 * A place in each stream of a business, by chain. A missing stream: before its first notification.
 */
export type FeedPlaces = ReadonlyMap<string, StreamPlace>;

export type FeedAsked = {
  businessId: string;
  /**
   * Null: from the oldest stored notification. With a notification: after it, in the stream of its
   * chain only.
   */
  after: FeedPlaces | { notificationId: string } | null;
  /** Only these chains; undefined: all. */
  chainNames?: readonly string[];
  /** Selects notifications; null: all. Prices are those at confirmation. */
  filter: WebhookFilter | null;
  /** At most this many notifications are read. */
  limit: number;
};

/** A notification of the feed, and its place in the stream of its chain. */
export type FeedEntry = { chainName: string; place: StreamPlace; body: string };

/**
 * - `page`: the wanted notifications, oldest first, in the order of each stream. `from`: the places
 *   after which the page begins. `places`: the places after all that was read. `isEnd`: there are
 *   no more.
 * - `unknown`: this database does not know a place, or its chain. `places`: where to continue; in
 *   such a stream, at its oldest stored notification.
 * - `expired`: retention has deleted what follows a place. `places`: where to continue.
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

/** Makes a cursor, which is opaque to the caller. */
export function encodeFeedCursor(places: FeedPlaces): string {
  const entries = [...places].map(([name, { sequence, digest }]) => [name, [sequence, digest]]);
  return Buffer.from(JSON.stringify(Object.fromEntries(entries))).toString("base64url");
}

export const feedCursorRule = "expected the chainbell-cursor of an answer";

/** The places in a cursor; null: the text is no cursor. */
export function decodeFeedCursor(text: string): FeedPlaces | null {
  const parsed = parsedOrNull(Buffer.from(text, "base64url").toString());
  if (typeof parsed !== "object" || parsed === null) return null;
  const places = new Map<string, StreamPlace>();
  for (const [name, place] of Object.entries(parsed)) {
    if (!Array.isArray(place) || !isPlainText(name)) return null;
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
