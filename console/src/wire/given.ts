/** The values without those that are undefined: a request has no parameter that is not meant. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return JSON.parse(JSON.stringify(values));
}

/** The value if it is one of the words, else undefined: an address may contain anything. */
export function wordIn<Word extends string>(
  words: Readonly<Record<Word, string>>,
  value: string | undefined,
): Word | undefined {
  return value !== undefined && isWordOf(words, value) ? value : undefined;
}

/** A day of a filter as the moment at which it begins, in UTC. */
export function dayBegins(day: string | undefined): string | undefined {
  return day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T00:00:00.000Z` : undefined;
}

function isWordOf<Word extends string>(
  words: Readonly<Record<Word, string>>,
  value: string,
): value is Word {
  return Object.hasOwn(words, value);
}
