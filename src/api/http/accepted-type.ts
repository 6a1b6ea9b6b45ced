/**
 * Chooses the media type that Accept prefers among those that a route offers (RFC 9110 section
 * 12.5.1). If two are equally wanted, a type that is named comes before one that a wildcard allows.
 * If Accept allows none, the answer is the first.
 */
export function acceptedType<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  const ranges = (accept ?? "").split(",").map(rangeOf);
  const placed = offered.map((type) => ({ type, ...weightOf(type, ranges) }));
  const best = placed.reduce((one, other) =>
    other.weight > one.weight || (other.weight === one.weight && other.precision > one.precision)
      ? other
      : one,
  );
  return best.type;
}

type Range = { range: string; weight: number };

function rangeOf(part: string): Range {
  const [range = "", ...parameters] = part.toLowerCase().replaceAll(/\s/g, "").split(";");
  const weight = parameters.find((one) => one.startsWith("q="))?.slice(2);
  return { range, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** Finds the weight of a type. The most precise matching range decides it. */
function weightOf(type: string, ranges: readonly Range[]): { weight: number; precision: number } {
  const [group = ""] = type.split("/");
  for (const [index, name] of [type, `${group}/*`, "*/*"].entries()) {
    const found = ranges.find(({ range }) => range === name);
    if (found !== undefined)
      return { weight: found.weight, precision: found.weight === 0 ? 0 : 3 - index };
  }
  return { weight: 0, precision: 0 };
}
