/**
 * Yields the same values, and asks for each while the one before it is processed. So one more value
 * is in memory. An error is thrown in the place of its value. If the reader stops, the source is
 * closed.
 */
export async function* oneAhead<T>(values: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  const source = values[Symbol.asyncIterator]();
  let next = ask(source);
  try {
    for (let given = await next; given.done !== true; given = await next) {
      next = ask(source);
      yield given.value;
    }
  } finally {
    await source.return?.();
  }
}

function ask<T>(source: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = source.next();
  // The reader gets the error when it asks for this value. A reader that has stopped never asks.
  next.catch(() => undefined);
  return next;
}
