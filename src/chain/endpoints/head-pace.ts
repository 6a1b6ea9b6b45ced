import type { BlockHeader } from "../../domain/chain/block.ts";
import type { Clock } from "../../runtime/clock.ts";

/** With fewer blocks the pace is not known, because block times are whole seconds. */
const fewestBlocks = 4n;

/** The pace is measured over this many of the newest blocks, or up to twice as many. */
const mostBlocks = 64n;

/**
 * The next block is asked for this early, as a share of the time between two blocks. Otherwise one
 * late block would make all later ones late.
 */
const early = 1 / 16;

/**
 * The head is asked for at least this often, in ms. A head may have a false time, which no proof
 * shows.
 */
const longestMs = 60_000;

type Seen = Pick<BlockHeader, "number" | "timeMs"> & { seenMs: number };

/** Measures the time between a chain's heads, from the heads that were asked for. */
export function createHeadPace(clock: Clock) {
  let from: Seen | null = null;
  let later: Seen | null = null;
  let last: Seen | null = null;

  function everyMs(): number | null {
    if (from === null || last === null || last.number - from.number < fewestBlocks) return null;
    return (last.timeMs - from.timeMs) / Number(last.number - from.number);
  }

  return {
    note({ number, timeMs }: BlockHeader): void {
      if (last !== null && number === last.number) return;
      const seen = { number, timeMs, seenMs: clock.elapsed() };
      const isBack = last !== null && number < last.number;
      if (from === null || isBack) from = seen;
      if (later === null || isBack) later = seen;
      if (number - later.number >= mostBlocks) {
        from = later;
        later = seen;
      }
      last = seen;
    },

    /** The time until the next head is due, in ms. 0: it is due, or the pace is not known. */
    dueInMs(): number {
      const every = everyMs();
      if (last === null || every === null) return 0;
      const waitMs = Math.min(longestMs, every * (1 - early));
      return Math.max(0, Math.floor(last.seenMs + waitMs - clock.elapsed()));
    },
  };
}
