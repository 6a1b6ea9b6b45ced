/** The middle of the values; of an even number of them the mean of the two in the middle. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs the contenders in turn, `rounds` times, so that a machine that grows slower does so for all of them, and resolves
 * with the median of each by its name. A contender is an async function that resolves with its figure.
 */
export async function alternate(rounds, contenders, say) {
  const names = Object.keys(contenders);
  const figures = new Map(names.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      const figure = await contenders[name]();
      figures.get(name).push(figure);
      say(`round ${round} of ${rounds}: ${name} ${figure.toPrecision(4)}`);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(figures.get(name))]));
}
