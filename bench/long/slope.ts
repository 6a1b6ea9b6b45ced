/** A daemon's memory in MiB, so many seconds after the beginning. */
export type Sample = { seconds: number; rss: number; heap: number };

/** Least squares over the samples, in MiB per hour. */
export function slopePerHour(samples: readonly Sample[], of: "rss" | "heap"): number {
  const mean = (key: keyof Sample) =>
    samples.reduce((sum, sample) => sum + sample[key], 0) / samples.length;
  const [x, y] = [mean("seconds"), mean(of)];
  const over = samples.reduce((sum, one) => sum + (one.seconds - x) * (one[of] - y), 0);
  const under = samples.reduce((sum, one) => sum + (one.seconds - x) ** 2, 0);
  return (3_600 * over) / under;
}
