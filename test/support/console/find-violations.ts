import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The rules of those tags that look at colours. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** Resolves once the page is drawn, and no colour is on its way to another one. */
const atRest = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished)))
  .then(() => null)`;

let program: Promise<string> | null = null;

/** What axe finds against a page as it is shown now (WCAG 2.2 AA), one line each. */
export function findViolations(page: Page): Promise<string[]> {
  return findBy(page, { type: "tag", values: tags });
}

/** The same, of its colours alone: for a page that was looked at in another theme. */
export function findViolationsOfColour(page: Page): Promise<string[]> {
  return findBy(page, { type: "rule", values: colourRules });
}

async function findBy(page: Page, runOnly: { type: string; values: string[] }): Promise<string[]> {
  // Rows that are asked for anew are shown paler until the answer comes.
  await page.locator(".stale").first().waitFor({ state: "detached" });
  const session = await page.context().newCDPSession(page);
  // As the debugger does it: the page's own policy allows no script that is not its own.
  const evaluate = async (expression: string) => {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    return (await session.send("Runtime.evaluate", asked)).result.value as unknown;
  };
  if ((await evaluate("typeof axe")) === "undefined") await evaluate(await axeProgram());
  await evaluate(atRest);
  const found = await evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.target.join(" ")).join(", ")))`,
  );
  await session.detach();
  if (!Array.isArray(found)) throw new Error("axe has answered nothing");
  return found.map(String);
}

function axeProgram(): Promise<string> {
  const file = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  program ??= readFile(file, "utf8").then((text) => `${text}; null`);
  return program;
}
