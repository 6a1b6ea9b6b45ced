import { describe, expect, it } from "vitest";
import { newestAtOrBefore } from "../../../../src/domain/chain/newest-at-or-before.ts";

/** The times of the blocks of a chain, from block 0 on. Some blocks share a time. */
const times = Array.from({ length: 200 }, (_, number) => 100 + 10 * Math.floor(number / 3));

const search = async (timeMs: number, below: number) => {
  const read: bigint[] = [];
  const found = await newestAtOrBefore(
    async (number) => {
      read.push(number);
      const time = times[Number(number)];
      if (time === undefined) throw new Error(`there is no block ${number}`);
      return { number, timeMs: time };
    },
    { timeMs, below: BigInt(below) },
  );
  return { number: found === null ? null : Number(found.number), read };
};

describe("the newest block at or before a moment", () => {
  it("is found below each block, for each moment", async () => {
    for (const below of [0, 1, 2, 3, 64, 65, 199]) {
      for (const timeMs of new Set(times.slice(0, below).flatMap((time) => [time - 1, time]))) {
        const newest = times.slice(0, below).findLastIndex((time) => time <= timeMs);
        const { number } = await search(timeMs, below);
        expect(number, `at ${timeMs}, below ${below}`).toBe(newest === -1 ? null : newest);
      }
    }
  });

  it("is found without a look at a block that is more than twice as far below", async () => {
    const { number, read } = await search(times[190] ?? 0, 199);
    expect(number).toBe(191);
    expect(read.every((height) => height >= 199n - 16n)).toBe(true);
  });
});
