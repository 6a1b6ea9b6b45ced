/**
 * Works on so many items at a time, until all are done. Once one fails no other begins. It throws
 * when those under way have ended too: else they would meet a database that closes, and a
 * transaction that begins then is never answered.
 */
export async function someAtATime<T>(
  items: readonly T[],
  { atOnce, work }: { atOnce: number; work: (item: T) => Promise<void> },
): Promise<void> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(item).catch((error: unknown) => {
        failures.push(error);
        waiting.length = 0;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
