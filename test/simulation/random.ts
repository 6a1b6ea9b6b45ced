import { createHash } from "node:crypto";

/**
 * A stream of choices. Streams of one seed are independent: what one draws never changes what
 * another draws.
 */
export type Random = ReturnType<typeof createRandom>;

/** The same choices for the same seed and name, always (mulberry32, seeded by SHA-256 of both). */
export function createRandom(seed: number, name: string) {
  let state = createHash("sha256").update(`${seed}/${name}`).digest().readUInt32BE(0);

  /** In [0, 1). */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  function int(least: number, most: number): number {
    return least + Math.floor(next() * (most - least + 1));
  }

  function pick<T>(items: readonly T[]): T {
    const item = items[int(0, items.length - 1)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }

  return {
    next,
    int,
    pick,
    chance: (probability: number): boolean => next() < probability,

    /** A key, as often as its weight says. */
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const entries = Object.entries(weights) as [K, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key;
      }
      return pick(entries.filter(([, weight]) => weight > 0))[0];
    },

    shuffle<T>(items: readonly T[]): T[] {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = int(0, last);
        const moved = shuffled[last] as T;
        shuffled[last] = shuffled[other] as T;
        shuffled[other] = moved;
      }
      return shuffled;
    },

    hash: (): `0x${string}` =>
      `0x${createHash("sha256").update(`${seed}/${name}/${next()}/${next()}`).digest("hex")}`,
  };
}
