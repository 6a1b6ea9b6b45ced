/**
 * Group commit: items that are added during a run gather for the next run. So a run is as large as
 * the load makes it. One run at a time.
 * @param work takes at least one item out of those that have gathered; never rejects
 */
export function createGroup<Item>(work: (gathered: Item[]) => Promise<void>) {
  const gathered: Item[] = [];
  let working: Promise<void> | null = null;

  async function workAll(): Promise<void> {
    while (gathered.length > 0) await work(gathered);
    working = null;
  }

  return {
    add(item: Item): void {
      gathered.push(item);
      working ??= workAll();
    },
    /** Resolves when nothing is gathered or worked on. */
    async settled(): Promise<void> {
      await working;
    },
  };
}

/** Something that waits in a group for what comes of it. */
export type Grouped<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};
