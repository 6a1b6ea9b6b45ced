import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe finds against a page as it is shown now (WCAG 2.2 AA), one line each. */
export async function findViolations(page: Page): Promise<string[]> {
  const file = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  const session = await page.context().newCDPSession(page);
  // As the debugger does it: the page's own policy allows no script that is not its own.
  await session.send("Runtime.evaluate", { expression: await readFile(file, "utf8") });
  const { result } = await session.send("Runtime.evaluate", {
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target.join(" ")).join(", ")))`,
  });
  await session.detach();
  if (!Array.isArray(result.value)) throw new Error("axe has answered nothing");
  return result.value.map(String);
}
