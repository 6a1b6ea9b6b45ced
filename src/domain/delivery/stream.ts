import { hash } from "node:crypto";

/**
 * A place in the stream of a business and chain: the notifications of it in the order in which they
 * were written.
 */
export type StreamPlace = {
  /** From 1, without a gap. 0: before the first. */
  sequence: number;
  /** Of the ids of all notifications up to this one, hexadecimal. Empty: before the first. */
  digest: string;
};

/** Before the first notification of a stream. */
export const streamStart: StreamPlace = { sequence: 0, digest: "" };

/**
 * The place of the notification that follows. The digest covers what was before it: a database that
 * was restored may give a number again, and even to the same notification after others
 * (docs/decisions/0103-gapless-streams.md).
 */
export function placeAfter({ sequence, digest }: StreamPlace, id: string): StreamPlace {
  return { sequence: sequence + 1, digest: hash("sha256", digest + id).slice(0, digestDigits) };
}

const digestDigits = 32;
