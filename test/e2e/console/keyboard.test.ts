import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachBusiness } from "../../support/console/each-console.ts";

describe.skipIf(!hasBrowser)("Escape and the focus in the console, in a browser", () => {
  const console = eachBusiness();

  it("closes what is on top with Escape, and gives the focus back to the row", async () => {
    const { page, complaints } = await console.asBusiness();
    for (const amount of [1n, 2n]) await console.pay(amount * ether);
    await page.getByRole("link", { name: "Transactions", exact: true }).click();
    await page.getByText("2 on this page").waitFor();
    const rows = page.locator(".row-link");
    await rows.nth(1).click();
    const panel = page.getByRole("complementary");
    await panel.getByText("Block hash").waitFor();
    const address = page.url();
    // The search alone goes away.
    await page.keyboard.press("Control+K");
    await page.keyboard.type("keys");
    await page.getByRole("option", { name: /API keys/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    expect(page.url()).toBe(address);
    await panel.and(page.locator(":focus")).waitFor();

    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await rows.nth(1).and(page.locator(":focus")).waitFor();
    await rows.nth(1).click();
    // Here the panel stands in the place of the list.
    await page.setViewportSize({ width: 360, height: 900 });
    await panel.getByRole("button", { name: "Close" }).click();
    await panel.waitFor({ state: "detached" });
    await rows.nth(1).and(page.locator(":focus")).waitFor();
    expect(complaints).toEqual([]);
  });

  it("keeps what is written in a panel at Escape", async () => {
    const { page } = await console.asBusiness();
    await console.pay(ether);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.locator(".row-link").first().click();
    const secret = page.getByLabel("Your signing secret");
    await secret.fill("whsec_half");
    await secret.press("Escape");
    expect(await secret.inputValue()).toBe("whsec_half");
    expect(await page.getByRole("complementary").count()).toBe(1);
  });

  it("begins another page at its top, and a panel in the place of a list", async () => {
    const { page } = await console.asBusiness();
    for (const amount of [1n, 2n, 3n]) await console.pay(amount * ether);
    await page.setViewportSize({ width: 1360, height: 300 });
    const scrolled = () => page.evaluate(() => Math.round(window.scrollY));
    // Both were open before, so that each is shown whole at once.
    await page.getByRole("link", { name: "Webhooks", exact: true }).first().click();
    await page.getByRole("link", { name: "webhook.test" }).waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    const all = page.getByRole("link", { name: "All transactions" });
    await all.waitFor();
    await page.getByRole("link", { name: "Webhooks", exact: true }).first().click();
    const event = page.getByRole("link", { name: "transaction.withdrawal" });
    await event.scrollIntoViewIfNeeded();
    expect(await scrolled()).toBeGreaterThan(300);
    await page.getByRole("link", { name: "Overview", exact: true }).evaluate((link) => {
      if (link instanceof HTMLElement) link.click();
    });
    await all.waitFor();
    expect(await scrolled()).toBe(0);

    await all.click();
    await page.setViewportSize({ width: 360, height: 300 });
    await page.locator(".row-link").last().click();
    const panel = page.getByRole("complementary");
    await panel.getByText("Block hash").waitFor();
    const top = await panel.evaluate((one) => one.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(0);
  });

  it("gives the focus back to the button of the menu on a phone", async () => {
    const { page } = await console.asBusiness({ width: 360, theme: "light" });
    const menu = page.getByRole("button", { name: "Menu" });
    await menu.click();
    await page
      .getByRole("link", { name: "Overview", exact: true })
      .and(page.locator(":focus"))
      .waitFor();
    await page.keyboard.press("Escape");
    await menu.and(page.locator(":focus")).waitFor();
  });
});
