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
