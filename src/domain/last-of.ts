/** The last item of a list that has at least one. */
export function lastOf<Item extends object>(items: readonly [Item, ...Item[]]): Item {
  return items.at(-1) ?? items[0];
}
