/**
 * The same values, each asked for while the one before it is worked on. One more is held in memory
 * than without it. An error comes in the place of its value, and a reader that leaves ends what the
 * values come from.
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
  // An error is told to the reader that waits. A reader that has left waits for none.
  next.catch(() => undefined);
  return next;
}
