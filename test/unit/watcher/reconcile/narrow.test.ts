import { expect, it } from "vitest";
import { explainsAll } from "../../../../src/watcher/reconcile/narrow.ts";

it.each([
  ["nothing was found above the height that was believed", [], false],
  ["one block explains it", [{ ledgerAtomic: 3n, chainAtomic: 10n }], true],
  [
    "two blocks explain it",
    [
      { ledgerAtomic: 3n, chainAtomic: 5n },
      { ledgerAtomic: 5n, chainAtomic: 10n },
    ],
    true,
  ],
  ["a part of it is older", [{ ledgerAtomic: 3n, chainAtomic: 8n }], false],
])("a difference counts as explained only where corrections make it up: %s", (_, found, is) => {
  expect(explainsAll({ ledgerAtomic: 3n, chainAtomic: 10n }, found)).toBe(is);
});
