import type { components } from "../../wire/generated/api-paths.ts";

type Threshold = Pick<components["schemas"]["Threshold"], "asset" | "below" | "restored_from">;
type Asked = components["schemas"]["ThresholdAsked"];

/** Thresholds as a person writes them: `USDC 100 150, ETH 0.5`. */
export function thresholdsText(of: readonly Threshold[]): string {
  return of
    .map(({ asset, below, restored_from: from }) =>
      [asset, below, ...(from === below ? [] : [from])].join(" "),
    )
    .join(", ");
}

/** The same read: none for an empty text. Null: a part is no asset with one or two amounts. */
export function thresholdsIn(written: string): Asked[] | null {
  const parts = written
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const read = parts.map((part): Asked | null => {
    const [asset = "", below = "", from, ...more] = part.split(/\s+/);
    if (asset === "" || below === "" || more.length > 0) return null;
    return { asset, below, ...(from === undefined ? {} : { restored_from: from }) };
  });
  const whole = read.filter((one) => one !== null);
  return whole.length === read.length ? whole : null;
}
