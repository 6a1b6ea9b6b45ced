import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser, openPage } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";

const german = { width: 1360, theme: "light", locale: "de-AT" } as const;

describe.skipIf(!hasBrowser)("the console in German, in a browser", () => {
  const console = oneConsole();

  it("shows a reader of German why a payment is credited, and words a refusal", async () => {
    const { page, complaints } = await openPage(console.browser, german);
    await page.goto(`${console.daemon.url}/console/`);
    const secret = page.getByLabel("API-Schlüssel oder Token des Betreibers");
    await secret.fill("cb_made-up");
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.getByRole("alert").getByText("Diesen API-Schlüssel gibt es nicht.").waitFor();
    await secret.fill(console.customer.key);
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.getByRole("heading", { level: 1, name: "Übersicht" }).waitFor();

    await console.pay(1_234n * ether + 5n);
    await page.getByRole("link", { name: "Transaktionen", exact: true }).click();
    await page.getByRole("link", { name: /1\s234,000000000000000005 ETH/ }).click();
    const panel = page.getByRole("complementary");
    await panel.locator(".step-done", { hasText: "1 von 1 Bestätigung" }).waitFor();
    await panel.locator(".step-done", { hasText: "1 Versuch" }).waitFor();
    await panel.getByText(/\(vor \d+ (Sek|Min)\.\)|\(jetzt\)/).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("asks before a change of language takes what was written", async () => {
    const { page } = await openPage(console.browser, german);
    await page.goto(`${console.daemon.url}/console/`);
    const secret = page.getByLabel("API-Schlüssel oder Token des Betreibers");
    await secret.fill(console.customer.key);
    await secret.press("Enter");
    await page.getByRole("link", { name: "Eigene Gutschriften", exact: true }).click();
    const credits = page.getByLabel("Ihre Gutschriften als CSV");
    await credits.fill("transaction_id,asset");
    const asked: string[] = [];
    page.once("dialog", (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole("button", { name: "English" }).click();
    expect(asked).toEqual([expect.stringContaining("nicht gespeichert")]);
    expect(await credits.inputValue()).toBe("transaction_id,asset");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Own credits" }).waitFor();
  });

  it("marks the words that the API has in English alone", async () => {
    const { page } = await openPage(console.browser, german);
    await page.goto(`${console.daemon.url}/console/`);
    const secret = page.getByLabel("API-Schlüssel oder Token des Betreibers");
    await secret.fill(console.customer.key);
    await secret.press("Enter");
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.locator("[lang=en]", { hasText: "every event" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  it("is loaded for those alone who ask for it, and stays chosen", async () => {
    const { page, complaints } = await console.asBusiness();
    const isLoaded = () =>
      page.evaluate(() =>
        performance.getEntries().some(({ name }) => /\/de-[^/]+\.js$/.test(name)),
      );
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(await isLoaded()).toBe(false);
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("heading", { level: 1, name: "Übersicht" }).waitFor();
    expect(await isLoaded()).toBe(true);
    await page.reload();
    await page.getByRole("link", { name: "Auszüge", exact: true }).click();
    await page.getByRole("heading", { name: /^Was den Abschluss von/ }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { level: 1, name: "Statements" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
