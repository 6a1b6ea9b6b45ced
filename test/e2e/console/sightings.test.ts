import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { brokenNumbersOf } from "../../support/console/broken-numbers.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { plantedContract, plantSighting } from "../../support/console/plant-sighting.ts";

const txHash = `0x${"5e".repeat(32)}`;

describe.skipIf(!hasBrowser)("unlisted tokens in the console, in a browser", () => {
  const console = oneConsole();

  beforeAll(() => plantSighting(console.databaseUrl, { txHash, symbol: "USDC" }));

  /** The row of the planted token, after it was searched for by its shortened hash. */
  const foundRow = async (page: Page) => {
    await page.getByRole("combobox").fill("0x5e5e5e…5e5e");
    await page.getByRole("option", { name: /^Unlisted token/ }).click();
    await page.getByRole("heading", { level: 1, name: "Unlisted tokens" }).waitFor();
    return page.getByRole("row", { name: /Calls itself USDC.*anvil.*Confirmed/ });
  };

  it("finds one by the hash of its transaction, and leads to its wallet and back", async () => {
    const { page, complaints } = await console.asBusiness();
    const row = await foundRow(page);
    // 2^255 atomic units: every digit.
    await row.getByText((2n ** 255n).toLocaleString("en")).waitFor();
    await row.getByTitle(plantedContract).waitFor();
    await row.getByRole("link", { name: "Show the wallet" }).click();
    await page
      .getByRole("complementary")
      .getByRole("link", { name: "Unlisted tokens", exact: true })
      .click();
    await row.waitFor();
    await page.getByRole("textbox", { name: "Token's contract" }).fill(`0x${"77".repeat(20)}`);
    await page.getByText("Nothing matches these filters").waitFor();
    await page.getByRole("textbox", { name: "Token's contract" }).fill(plantedContract);
    await row.waitFor();
    expect(complaints).toEqual([]);
  });

  it("keeps every column in sight, however large a token's amount is", async () => {
    const { page } = await console.asBusiness({ width: 1024, theme: "light" });
    await (await foundRow(page)).waitFor();
    const hidden = await page
      .locator(".scroller")
      .evaluate((place) => place.scrollWidth - place.clientWidth);
    expect(hidden).toBe(0);
    expect(await brokenNumbersOf(page)).toEqual([]);
  });

  it("finds it for an operator too, with the business that got it", async () => {
    const { page, complaints } = await console.asOperator();
    const row = await foundRow(page);
    await row.waitFor();
    expect(await page.getByLabel("Business").inputValue()).toBe(console.customer.businessId);
    expect(complaints).toEqual([]);
  });
});
