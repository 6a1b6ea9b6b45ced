/**
 * Thins out a line that would be logged again and again. `count` answers how often this has
 * happened in a row, on the 1st, 2nd, 4th, 8th … time. Null on all other times: no line is needed.
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
