import type { Ink } from "../../ui/data/series.ts";

/** The colours of a chart with a series for each chain or endpoint: as many as it shows at most. */
export const chartInks: readonly Ink[] = ["accent", "bad", "warn", "good", "plain"];
