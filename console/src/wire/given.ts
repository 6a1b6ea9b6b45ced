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

/**
 * The moment that a filter names, in UTC: a minute as `2026-01-31T12:00`, or a day, which stands
 * for its beginning. Any other text is no filter.
 */
export function momentOf(written: string | undefined): string | undefined {
  const [, day, time = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d))?$/.exec(written ?? "") ?? [];
  const moment = `${day}T${time}:00.000Z`;
  return Number.isNaN(Date.parse(moment)) ? undefined : moment;
}

function isWordOf<Word extends string>(
  words: Readonly<Record<Word, string>>,
  value: string,
): value is Word {
  return Object.hasOwn(words, value);
}
