const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

/** The lead of a zone's clock over UTC at a moment, in ms. `ms` is since the epoch. */
export function offsetAt(ms: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const shown = Date.UTC(
    of("year"),
    of("month") - 1,
    of("day"),
    of("hour"),
    of("minute"),
    of("second"),
  );
  return shown - Math.floor(ms / 1000) * 1000;
}

/** The reading of a zone's clock at a moment, as ISO 8601 without a zone: to the millisecond. */
export function readingAt(ms: number, zone: string): string {
  return new Date(ms + offsetAt(ms, zone)).toISOString().slice(0, -1);
}

/**
 * The moment at which a zone's clock shows a reading, such as `2026-01-31T12:00`, in ms since the
 * epoch. Of two such moments the earlier one. A reading that the clock leaves out stands for as
 * long after the gap. NaN: it is no reading.
 */
export function momentAt(reading: string, zone: string): number {
  const shown = Date.parse(`${reading}Z`);
  if (Number.isNaN(shown)) return Number.NaN;
  const dayMs = 86_400_000;
  const moments = [shown - dayMs, shown + dayMs].map((near) => shown - offsetAt(near, zone));
  const right = moments.filter((ms) => ms + offsetAt(ms, zone) === shown);
  return right.length > 0 ? Math.min(...right) : Math.max(...moments);
}
