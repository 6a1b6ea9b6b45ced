import { text } from "../../../text/text.ts";
import { ChosenFilter, type Filtering } from "./filter-bar.tsx";

/** The choice of an order: by time, or by the amounts of the asset that is chosen. */
export function SortFilter({ of }: { of: Filtering<"asset" | "sort"> }) {
  const { sort, newestFirst, sorts } = text.transactions;
  if (of.filters.asset === undefined) return null;
  return <ChosenFilter of={of} name="sort" label={sort} any={newestFirst} options={sorts} />;
}
