import { addressOf, go, placeNow, usePlace } from "./place.ts";

/** The filters of a list in its address: those of `names` that are set. */
export type Filters<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/**
 * The filters in the address, `change` to set one, and `changeAll` to set several. A change goes to
 * the first page again, and keeps the row that is chosen in the list. `search` is the query of an
 * address of the same list, with its question mark.
 */
export function useFilters<Name extends string>(
  names: readonly Name[],
): {
  filters: Filters<Name>;
  change: (name: Name, value: string) => void;
  changeAll: (values: Filters<Name>) => void;
  search: string;
  isFiltered: boolean;
} {
  const { query } = usePlace();
  const filters: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = query.get(name);
    if (value !== null && value !== "") filters[name] = value;
  }
  const write = (values: readonly (readonly [string, string | undefined])[]) => {
    // Another filter may have been set since this was shown.
    const { path, query: next } = placeNow();
    next.delete("cursor");
    next.delete("trail");
    for (const [name, value] of values) {
      if (value === undefined || value === "") next.delete(name);
      else next.set(name, value);
    }
    go(addressOf(path, Object.fromEntries(next)), { replace: true });
  };
  const change = (name: Name, value: string) => write([[name, value]]);
  const changeAll = (values: Filters<Name>) => write(Object.entries<string | undefined>(values));
  const text = query.toString();
  const isFiltered = Object.keys(filters).some((name) => name !== "cursor");
  return { filters, change, changeAll, search: text === "" ? "" : `?${text}`, isFiltered };
}
