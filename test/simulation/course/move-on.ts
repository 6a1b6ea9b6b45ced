import type { World } from "../world.ts";

/**
 * Lets `count` of those that wait go on; where nobody waits, time passes up to the next who does.
 */
export async function moveOn({ scheduler }: World, count: number): Promise<void> {
  if (scheduler.isWaiting()) await scheduler.turn(count);
  else await scheduler.passToNext();
}
