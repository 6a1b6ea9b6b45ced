import { addressOf, go, placeNow, usePlace } from "./place.ts";

/** The filters of a list in its address: those of `names` that are set. */
export type Filters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * The filters in the address, and `change` to set one. A change goes to the first page again, and
 * keeps the row that is chosen in the list. `search` is the query of an address of the same list,
 * with its question mark.
 */
export function useFilters<Name extends string>(
  names: readonly Name[],
): {
  filters: Filters<Name>;
  change: (name: Name, value: string) => void;
  search: string;
  isFiltered: boolean;
} {
  const { query } = usePlace();
  const filters: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = query.get(name);
    if (value !== null && value !== "") filters[name] = value;
  }
  const change = (name: Name, value: string) => {
    // Another filter may have been set since this was shown.
    const { path, query: next } = placeNow();
    next.delete("cursor");
    next.delete("trail");
    if (value === "") next.delete(name);
    else next.set(name, value);
    go(addressOf(path, Object.fromEntries(next)), { replace: true });
  };
  const text = query.toString();
  const isFiltered = Object.keys(filters).some((name) => name !== "cursor");
  return { filters, change, search: text === "" ? "" : `?${text}`, isFiltered };
}
