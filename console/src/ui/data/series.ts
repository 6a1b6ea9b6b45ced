/** One of the colours of charts. */
export type Ink = "accent" | "good" | "warn" | "bad" | "plain";

/**
 * Values of one kind, one for each time of the chart. Null: nothing is known of that time. `texts`:
 * the exact values, where a number would lose digits.
 */
export type Series = {
  name: string;
  ink: Ink;
  values: readonly (number | null)[];
  texts?: readonly string[];
};
