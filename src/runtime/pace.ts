import { setTimeout } from "node:timers/promises";

/** A timer waits for at least 1 ms, so rests are saved up to this many ms. */
const leastRestMs = 2;

/**
 * Halves the speed of long work, so that other tasks of the process run undisturbed for half of the
 * time. Turns of the event loop alone do not do that: every request waits at each of its steps.
 */
export class HalfPace {
  #owedMs = 0;

  /**
   * Rests for as long as the work took, now or together with later work. Time in which other tasks
   * delayed the work counts too, so a busy process gets longer rests.
   * @param workedMs since the last rest
   */
  async rest(workedMs: number): Promise<void> {
    this.#owedMs += workedMs;
    if (this.#owedMs < leastRestMs) return;
    const restedMs = this.#owedMs;
    this.#owedMs = 0;
    await setTimeout(restedMs);
  }
}
