import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ether, payer } from "../../support/chain/cast.ts";
import { splitNumbersOf } from "../../support/console/broken-numbers.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { visit } from "../../support/console/walk.ts";

const arabic = "محفظة العميل";
const hebrew = "הפניה של לקוח";
const named = `0x${"ab".repeat(20)}`;

describe.skipIf(!hasBrowser)("what the console shows can be read, in a browser", () => {
  const console = oneConsole();

  beforeAll(async () => {
    const { customer, daemon, world } = console;
    await daemon.admin.post(`/admin/businesses/${customer.businessId}/wallets`, {
      blockchain: "anvil",
      address: named,
      label: arabic,
      reference: hebrew,
    });
    for (const amount of [987n * ether + 123_456_789_012_345_678n, 1n, 2n])
      await console.pay(amount);
    await world.receiver.waitForCount(3);
  });

  const open = async (page: Page, path: string) => {
    await page.goto(`${console.daemon.url}/console${path}`);
    await page.getByRole("table").first().waitFor();
  };

  it("keeps each number on one line at 1024 px and on paper", async () => {
    const { page } = await console.asBusiness({ width: 1024, theme: "light" });
    for (const path of ["/", "/transactions", "/deliveries"]) {
      await open(page, path);
      expect(await splitNumbersOf(page)).toEqual([]);
      const wider = await page
        .locator(".scroller:visible")
        .evaluateAll((places) => places.filter((one) => one.scrollWidth > one.clientWidth).length);
      expect(wider).toBe(0);
    }
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 702, height: 900 });
    await open(page, "/");
    expect(await splitNumbersOf(page)).toEqual([]);
  });

  it("prints dark letters, also where the dark theme is chosen", async () => {
    const { page } = await console.asBusiness();
    await page.getByRole("button", { name: "Dark", exact: true }).click();
    const letters = () => page.locator("h1").evaluate((title) => getComputedStyle(title).color);
    expect(await letters()).toBe("rgb(236, 238, 242)");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await letters()).toBe("rgb(21, 23, 28)");
  });

  it("begins a name at its column's edge, whichever way its letters run", async () => {
    const { page } = await console.asBusiness();
    await open(page, "/wallets");
    const row = page.getByRole("row", { name: arabic });
    for (const name of [arabic, hebrew]) {
      const distance = await row.getByText(name).evaluate((text) => {
        const words = text.ownerDocument.createRange();
        words.selectNodeContents(text);
        return words.getBoundingClientRect().left - text.getBoundingClientRect().left;
      });
      expect(distance).toBeLessThan(1);
    }
  });

  it("says below the amount of a delivery whose money it is", async () => {
    const { anvil, receiver } = console.world;
    await anvil.sendNative({ from: payer, to: named, amountAtomic: ether });
    await receiver.waitForCount(4);
    const { page } = await console.asBusiness();
    await visit(page, console.daemon.url, "/deliveries/ID");
    const fact = page.getByRole("complementary").locator("dd", { hasText: hebrew });
    const amount = await fact.locator(".amount").boundingBox();
    const customer = await fact.getByText(hebrew).boundingBox();
    expect(customer?.y).toBeGreaterThanOrEqual((amount?.y ?? 0) + (amount?.height ?? Infinity));
  });

  it("has the parts of a business on one line of a phone, and the chosen one in sight", async () => {
    const { page } = await console.asOperator({ width: 360, theme: "light" });
    const { businessId } = console.customer;
    await visit(page, console.daemon.url, `/businesses/${businessId}?tab=audit`);
    const tabs = page.getByRole("tablist");
    const tops = await tabs
      .getByRole("tab")
      .evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    const [line, chosen] = [await tabs.boundingBox(), await tabs.getByText("Audit").boundingBox()];
    const end = (line?.x ?? 0) + (line?.width ?? 0);
    expect((chosen?.x ?? Infinity) + (chosen?.width ?? 0)).toBeLessThanOrEqual(end + 1);
  });

  it("says on which chain a wallet is, however narrow the window: an address may be on several", async () => {
    const { page } = await console.asBusiness({ width: 360, theme: "light" });
    await open(page, "/wallets");
    await page.getByRole("row", { name: arabic }).getByText("anvil", { exact: true }).waitFor();
  });

  it("says what each part of the installation is for", async () => {
    const { page } = await console.asOperator();
    await open(page, "/health");
    const parts = page.getByRole("table", { name: "Parts" }).locator("tbody tr");
    expect(await parts.count()).toBeGreaterThan(10);
    const meanings = await parts.locator("td:first-child .second").allTextContents();
    expect(meanings.filter((meaning) => meaning !== "")).toHaveLength(await parts.count());
  });

  it("goes on from the chosen row with j and k, while its panel has the focus", async () => {
    const { page } = await console.asBusiness();
    await open(page, "/transactions");
    const rows = page.locator(".row-link");
    await rows.nth(1).click();
    await page
      .getByRole("complementary")
      .locator(":focus")
      .or(page.locator(".panel:focus"))
      .waitFor();
    const focused = () =>
      rows.evaluateAll((links) => links.findIndex((link) => link.matches(":focus")));
    await page.keyboard.press("j");
    expect(await focused()).toBe(2);
    await page.keyboard.press("k");
    expect(await focused()).toBe(1);
  });

  it("shows its own page at an address that stands for no text", async () => {
    const { page } = await console.asBusiness();
    await page.goto(`${console.daemon.url}/console/wallets/%E0%A4%A`);
    await page.getByText("There is no such page").waitFor();
  });
});
