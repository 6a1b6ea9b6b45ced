import { useRef, useState } from "preact/hooks";

/** The rows that a person has selected, by their ids: of several pages, if they were on them. */
export type Selection<Row> = {
  rows: ReadonlyMap<string, Row>;
  /** Selects a row or no longer. `isRange`: and all between it and the one before. */
  toggle: (id: string, isRange: boolean, shown: readonly Row[]) => void;
  /** Selects all rows that are shown, or none of them. */
  toggleAll: (shown: readonly Row[]) => void;
  clear: () => void;
};

/** The most rows that are acted on at once. */
export const mostSelected = 200;

/** Keeps the rows that are selected in a list. Another `key`, the list's question, selects none. */
export function useSelection<Row extends { id: string }>(key: string): Selection<Row> {
  const [kept, setKept] = useState<{ key: string; rows: ReadonlyMap<string, Row> }>(() => ({
    key,
    rows: new Map(),
  }));
  const last = useRef<string | null>(null);
  const rows = kept.key === key ? kept.rows : new Map<string, Row>();
  const keep = (next: ReadonlyMap<string, Row>) =>
    setKept({ key, rows: new Map([...next].slice(0, mostSelected)) });
  const set = (those: readonly Row[], isSelected: boolean) => {
    const next = new Map(rows);
    for (const row of those) {
      if (isSelected) next.set(row.id, row);
      else next.delete(row.id);
    }
    keep(next);
  };
  return {
    rows,
    toggle: (id, isRange, shown) => {
      const place = shown.findIndex((row) => row.id === id);
      const before = shown.findIndex((row) => row.id === last.current);
      const begin = isRange && before >= 0 ? before : place;
      last.current = id;
      const those = shown.slice(Math.min(begin, place), Math.max(begin, place) + 1);
      set(those, !rows.has(id));
    },
    toggleAll: (shown) => set(shown, !shown.every(({ id }) => rows.has(id))),
    clear: () => keep(new Map()),
  };
}

/** The question of a list, whichever of its pages is shown. */
export function selectionKey({ cursor: _, ...filters }: Readonly<{ cursor?: string }>): string {
  return JSON.stringify(filters);
}
