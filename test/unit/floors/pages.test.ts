import { expect, test } from "vitest";
import { pages } from "../../../scripts/floors/pages.mjs";

test("src/README.md and docs/floors.md show the table and the imports as they are; else `npm run floors`", async () => {
  for (const { path, current, wanted } of await pages()) expect(current, path).toBe(wanted);
});
