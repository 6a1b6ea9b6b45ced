import { invalidField } from "./text.ts";

/** The lengths of buckets for counts, in ms. A bucket begins with the hour or the day in UTC. */
export const buckets = { hour: 3_600_000, day: 86_400_000 } as const;

export type Bucket = keyof typeof buckets;

/** The most buckets of one answer. */
export const maxBuckets = 400;

/** The number of buckets if `from` is left out. */
const usualBuckets = 30;

/** Whole buckets, oldest first. `to` is the end of the last one. */
export type BucketRange = { starts: Date[]; from: Date; to: Date };

/**
 * The buckets that a range overlaps. Without `to` the range ends now, and without `from` it has 30
 * buckets.
 * @throws Fault `invalid_request` if there are none, or more than 400
 */
export function bucketsOf(
  asked: { bucket: Bucket; from?: Date | undefined; to?: Date | undefined },
  nowMs: number,
): BucketRange {
  const eachMs = buckets[asked.bucket];
  const endMs = Math.ceil((asked.to?.getTime() ?? nowMs + 1) / eachMs) * eachMs;
  const beginMs = asked.from?.getTime() ?? endMs - usualBuckets * eachMs;
  const startMs = Math.floor(Math.max(0, beginMs) / eachMs) * eachMs;
  const count = (endMs - startMs) / eachMs;
  if (count < 1 || count > maxBuckets) {
    throw invalidField("from", `expected 1 to ${maxBuckets} buckets before 'to'`);
  }
  const starts = Array.from({ length: count }, (_, index) => new Date(startMs + index * eachMs));
  return { starts, from: new Date(startMs), to: new Date(endMs) };
}
