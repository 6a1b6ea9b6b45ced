import { hash } from "node:crypto";

/**
 * A place in a stream. A stream is the notifications of a business and chain, in the order of their
 * writing.
 */
export type StreamPlace = {
  /** From 1, without gaps. 0: before the first. */
  sequence: number;
  /**
   * A hash of the ids of all notifications up to this one, hexadecimal. Empty: before the first.
   */
  digest: string;
};

/** The place before a stream's first notification. */
export const streamStart: StreamPlace = { sequence: 0, digest: "" };

/**
 * The place of the next notification. Its digest covers all earlier ones. A restored database may
 * give a number twice, even to the same notification after other ones
 * (docs/decisions/0103-gapless-streams.md).
 */
export function placeAfter({ sequence, digest }: StreamPlace, id: string): StreamPlace {
  return { sequence: sequence + 1, digest: hash("sha256", digest + id).slice(0, digestDigits) };
}

const digestDigits = 32;
