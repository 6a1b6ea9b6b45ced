import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";

const made = {
  tx_hash: `0x${"00".repeat(32)}`,
  address: `0x${"ab".repeat(20)}`,
  asset: "ETH",
  amount: "9",
  credited_at: "2026-01-31T00:00:00Z",
};

const csvOf = (reference: string) =>
  [
    Object.keys({ ...made, reference }).join(","),
    Object.values({ ...made, reference }).join(","),
  ].join("\n");

describe.skipIf(!hasBrowser)("own credits in the console, in a browser", () => {
  const console = oneConsole();

  beforeAll(async () => {
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
  });

  const open = async (page: Page) => {
    await page.getByRole("link", { name: "Own credits", exact: true }).click();
    return page.getByLabel("Your credits as CSV or JSON Lines");
  };
  const compared = async (page: Page, reference: string) => {
    await page.getByRole("button", { name: "Compare" }).click();
    const row = page.getByRole("row", { name: new RegExp(reference) });
    await row.getByText("Credited, not received").filter({ visible: true }).first().waitFor();
  };

  it("compares JSON Lines that are dropped on the page", async () => {
    const { page, complaints } = await console.asBusiness();
    const credits = await open(page);
    const lines = JSON.stringify({ ...made, reference: "dropped-1" });
    const dropped = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "credits.jsonl"));
      return transfer;
    }, lines);
    const place = page.getByText("Or drop it here");
    await place.dispatchEvent("dragover", { dataTransfer: dropped });
    await place.dispatchEvent("drop", { dataTransfer: dropped });
    await page.waitForFunction(
      (text) =>
        [...document.querySelectorAll("textarea")].some(({ value }) => value.trim() === text),
      lines,
    );
    expect(await credits.inputValue()).toBe(lines);
    await compared(page, "dropped-1");
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("finds what nobody credited in a period that is named, and adds up by asset", async () => {
    const { page, complaints } = await console.asBusiness();
    const credits = await open(page);
    await credits.fill(csvOf("named-1"));
    await page.getByLabel("From (UTC)").fill("2020-01-01");
    await page.getByLabel("Before (UTC)").fill("2100-01-01");
    await compared(page, "named-1");
    const rows = page.getByRole("row");
    await rows.getByText("Received, not credited").filter({ visible: true }).first().waitFor();
    const sums = page.getByRole("table", { name: "Sums by asset" });
    await sums.getByRole("row", { name: /^ETH 9 1 8$/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("comes back to a comparison from a line of it, and lists those that were made", async () => {
    const { page, complaints } = await console.asBusiness();
    const credits = await open(page);
    await credits.fill(csvOf("back-1"));
    await page.getByLabel("From (UTC)").fill("2020-01-01");
    await page.getByLabel("Before (UTC)").fill("2100-01-01");
    await compared(page, "back-1");
    await page.getByRole("link", { name: "Show the transaction" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Transactions" }).waitFor();
    await page.goBack();
    await page.getByRole("row", { name: /back-1/ }).waitFor();
    await open(page);
    const made = page.getByRole("table", { name: "Comparisons that were made" });
    await made.locator(".row-link").first().click();
    await page.getByRole("row", { name: /back-1/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("compares a file that was mended and is chosen again", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page);
    const choose = async (reference: string) => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByLabel("File").click(),
      ]);
      await chooser.setFiles({
        name: "credits.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(csvOf(reference)),
      });
      await compared(page, reference);
    };
    await choose("first-1");
    await choose("mended-1");
    expect(complaints).toEqual([]);
  });
});
