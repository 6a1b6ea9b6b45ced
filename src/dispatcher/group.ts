/**
 * Collects items during a run, for the next run. So the load decides the size of a run. Only one
 * run at a time.
 * @param work takes at least one of the collected items; never rejects
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
    /** Resolves when nothing is collected or worked on. */
    async settled(): Promise<void> {
      await working;
    },
  };
}

/** An item in a group, and how to report its result. */
export type Grouped<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};
