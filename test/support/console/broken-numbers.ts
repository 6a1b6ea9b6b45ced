import type { Page } from "playwright-core";

/** The groups of digits of exact amounts that a line ends within. */
export async function brokenNumbersOf(page: Page): Promise<string[]> {
  const broken = await page.locator(".amount").evaluateAll((amounts) =>
    amounts.flatMap((amount) => {
      const ofText = [...amount.childNodes].flatMap((child) => [child, ...child.childNodes]);
      return ofText.flatMap((node) => {
        if (node.nodeType !== 3 || !/^[\d.,]+$/.test(node.textContent ?? "")) return [];
        const range = amount.ownerDocument.createRange();
        range.selectNodeContents(node);
        return range.getClientRects().length > 1 ? [node.textContent] : [];
      });
    }),
  );
  return broken.map((digits) => `breaks ${digits} within its digits`);
}

/** The exact amounts that stand on more than one line. */
export async function splitNumbersOf(page: Page): Promise<string[]> {
  return page.locator(".amount:visible").evaluateAll((amounts) =>
    amounts.flatMap((amount) => {
      const lines = new Set([...amount.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.size > 1 ? [amount.textContent ?? ""] : [];
    }),
  );
}
