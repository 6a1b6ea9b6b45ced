/**
 * Reduces how often a repeated line is logged. `count` returns how often the same has happened in a
 * row, on the 1st, 2nd, 4th, 8th … time. Null on all other times: do not log.
 */
export function createExponentialSampler() {
  let last: string | null = null;
  let times = 0;
  return {
    count(what: string): number | null {
      times = what === last ? times + 1 : 1;
      last = what;
      const isPowerOfTwo = (times & (times - 1)) === 0;
      return isPowerOfTwo ? times : null;
    },
  };
}
