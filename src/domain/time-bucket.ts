import { invalidField } from "./text.ts";

/** What counts are made of: how long each lasts, in ms. They begin as UTC's do. */
export const buckets = { hour: 3_600_000, day: 86_400_000 } as const;

export type Bucket = keyof typeof buckets;

/** Buckets of one answer, at most. */
export const maxBuckets = 400;

/** Where nothing else is asked for. */
const usualBuckets = 30;

/** Whole buckets, the oldest first. `to` is the end of the last one. */
export type BucketRange = { starts: Date[]; from: Date; to: Date };

/**
 * The buckets that a range touches; without `to` up to now, without `from` thirty of them.
 * @throws Fault `invalid_request` where there are more than 400, or none
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
