/** One of the colours of charts. */
export type Ink = "accent" | "good" | "warn" | "bad" | "plain";

/** Values of one kind, one for each time of the chart. */
export type Series = { name: string; ink: Ink; values: readonly number[] };
