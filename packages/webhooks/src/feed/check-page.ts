import { createHash } from "node:crypto";
import type { Notification } from "../notification.ts";
import { FeedFault } from "./feed-fault.ts";

/** A place in the stream of one blockchain. `digest` null: not known. */
type Place = { sequence: number; digest: string | null };

const start: Place = { sequence: 0, digest: "" };

/** A page of the feed, as Chainbell answered it. */
export type AnsweredPage = {
  /** The cursor of the request. Null: there was none. */
  after: string | null;
  cursor: string;
  notifications: readonly Notification[];
  /** False if a filter leaves out notifications of a stream. */
  isWhole: boolean;
};

/**
 * Checks that a page begins after its cursor, and is complete up to the next one. Without a filter,
 * the sequence must have no hole, and the ids must give the digest in the next cursor. So a page
 * that was cut off, or is from another database, is refused before it is handled.
 * @throws FeedFault `broken_page`
 */
export function checkPage({ after, cursor, notifications, isWhole }: AnsweredPage): void {
  const reached = after === null ? new Map<string, Place>() : placesIn(after);
  for (const notification of notifications) {
    const { blockchain } = notification.data;
    const sequence = sequenceOf(notification);
    // Without a cursor, the oldest notification need not be number 1.
    const unknown = { sequence: sequence - 1, digest: null };
    const isFirst = after === null && sequence > 1;
    const before = reached.get(blockchain) ?? (isFirst ? unknown : start);
    const isNext = isWhole ? sequence === before.sequence + 1 : sequence > before.sequence;
    if (!isNext)
      throw broken(`The sequence of ${blockchain} goes from ${before.sequence} to ${sequence}.`);
    const digest = isWhole ? digestAfter(before, notification.id) : null;
    reached.set(blockchain, { sequence, digest });
  }
  const end = placesIn(cursor);
  for (const blockchain of new Set([...reached.keys(), ...end.keys()])) {
    const [is, says] = [reached.get(blockchain), end.get(blockchain)];
    // The first cursor may name streams whose notifications retention has deleted.
    if (is === undefined && (after === null || !isWhole)) continue;
    if (is === undefined || says === undefined || !isUpTo(is, { says, isWhole }))
      throw broken(`The notifications of ${blockchain} do not come to the cursor of the answer.`);
  }
}

function isUpTo(is: Place, { says, isWhole }: { says: Place; isWhole: boolean }): boolean {
  if (!isWhole) return is.sequence <= says.sequence;
  return is.sequence === says.sequence && (is.digest === null || is.digest === says.digest);
}

function sequenceOf({ id, sequence }: Notification): number {
  if (sequence !== undefined && Number.isSafeInteger(sequence) && sequence > 0) return sequence;
  throw broken(`The notification ${id} has no sequence.`);
}

/** docs/contract.md#the-feed. */
function digestAfter({ digest }: Place, id: string): string | null {
  if (digest === null) return null;
  return createHash("sha256")
    .update(digest + id)
    .digest("hex")
    .slice(0, 32);
}

function placesIn(cursor: string): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [blockchain, place] of Object.entries(parsed(cursor))) {
    const [sequence, digest]: unknown[] = Array.isArray(place) ? place : [];
    if (typeof sequence !== "number" || typeof digest !== "string")
      throw broken("The cursor is none of the feed.");
    places.set(blockchain, { sequence, digest });
  }
  return places;
}

function parsed(cursor: string): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Refused below.
  }
  throw broken("The cursor is none of the feed.");
}

function broken(what: string): FeedFault {
  return new FeedFault("broken_page", `${what} The page is asked for again.`);
}
