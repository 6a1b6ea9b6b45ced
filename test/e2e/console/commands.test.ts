import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";

describe.skipIf(!hasBrowser)("pages and actions by the keyboard alone, in a browser", () => {
  const console = oneConsole();

  it("leads a business to a page, opens its dialog, and gives the focus back", async () => {
    const { page, complaints } = await console.asBusiness();
    await choose(page, "key api");
    await heading(page, "API keys").waitFor();
    await choose(page, "create");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Create key");

    await page.keyboard.press("Control+k");
    const options = page.getByRole("option");
    await options.filter({ hasText: "API keys" }).waitFor();
    // The last place comes first, and once.
    expect(await options.first().textContent()).toContain("API keys");
    expect(await options.filter({ hasText: "API keys" }).count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Create key");
    expect(complaints).toEqual([]);
  });

  it("hears the first key after it is shown", async () => {
    const { page } = await console.asBusiness();
    await page.addInitScript(() => {
      const shown = new MutationObserver(() => {
        if (document.querySelector("search input") === null) return;
        shown.disconnect();
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
      });
      shown.observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.getByRole("listbox").waitFor();
  });

  it("opens above what a person writes, and stays away from a dialog", async () => {
    const { page } = await console.asBusiness();
    await choose(page, "wallets");
    await heading(page, "Wallets").waitFor();
    const filter = page.getByRole("main").getByRole("textbox").first();
    await filter.focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("listbox").waitFor();
    await page.keyboard.press("Escape");
    expect(await filter.evaluate((one) => one.matches(":focus"))).toBe(true);
    await choose(page, "API keys");
    await choose(page, "create");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("listbox").count()).toBe(0);
  });

  it("offers an operator no page of a business, and changes theme and language", async () => {
    const { page, complaints } = await console.asOperator();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("credits");
    await page.getByText("Nothing found.").waitFor();
    await page.keyboard.press("Escape");
    await choose(page, "theme dark");
    await page.locator("html[data-theme=dark]").waitFor();
    await choose(page, "deutsch");
    await page.locator("html[lang=de]").waitFor();
    await choose(page, "protok");
    await heading(page, "Protokoll").waitFor();
    await choose(page, "abm");
    await page.getByRole("button", { name: "Anmelden" }).waitFor();
    expect(complaints).toEqual([]);
  });
});

/** By the keyboard: the first that the words name. */
async function choose(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(words);
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
}

function heading(page: Page, name: string) {
  return page.getByRole("heading", { level: 1, name });
}

function focused(page: Page): Promise<string | null> {
  return page.locator(":focus").textContent();
}
