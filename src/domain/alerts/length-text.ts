const minuteMs = 60_000;

/** A duration for people, in its two largest units: `45 s`, `12 min`, `3 h 20 min` or `2 d 4 h`. */
export function lengthText(ms: number): string {
  const minutes = Math.floor(ms / minuteMs);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joined(`${hours} h`, minutes % 60, "min");
  return joined(`${Math.floor(hours / 24)} d`, hours % 24, "h");
}

function joined(larger: string, smaller: number, unit: string): string {
  return smaller === 0 ? larger : `${larger} ${smaller} ${unit}`;
}
