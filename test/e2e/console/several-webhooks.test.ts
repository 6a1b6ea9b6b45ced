import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachBusiness } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";

describe.skipIf(!hasBrowser)("several webhooks in the console, in a browser", () => {
  const console = eachBusiness();

  /** Adds a webhook, which hears of a payment as the first one does. */
  async function addSecond() {
    const { receiver } = console.world;
    const url = receiver.url.replace("/hook", "/second");
    const { id } = await console.customer.api.post("/webhooks", { url, additional: true });
    await console.pay(ether);
    await receiver.waitForCount(2);
    receiver.forget();
    return { id: String(id), url };
  }

  /** Sends the only notification of the list again, and says to which path it came. */
  async function sendFirstAgain(page: Page) {
    await page.getByText("1 on this page").waitFor();
    await page.locator(".row-link").first().click();
    const panel = page.getByRole("complementary");
    await panel.getByText("Attempt 1", { exact: true }).waitFor();
    const attempts = await panel.getByText(/^Attempt \d+$/).count();
    await panel.getByRole("button", { name: "Send again" }).click();
    const [request] = await console.world.receiver.waitForCount(1);
    return { path: request?.path, attempts };
  }

  it("shows a business the deliveries of each, and sends one again to the same", async () => {
    const { url } = await addSecond();
    const { page, complaints } = await console.asBusiness();
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.locator(".row-link").first().click();
    // Both have an attempt 1: each says where it went.
    await page.getByRole("complementary").getByText(url, { exact: true }).waitFor();
    await page.locator(".filters").getByLabel("Webhook").selectOption({ label: url });
    await page.keyboard.press("Escape");
    expect(await sendFirstAgain(page)).toEqual({ path: "/second", attempts: 1 });
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("leads an operator from a webhook to its deliveries, and sends one again to the same", async () => {
    const { url } = await addSecond();
    const { page, complaints } = await console.asOperator();
    await page.goto(
      `${console.daemon.url}/console/businesses/${console.customer.businessId}?tab=webhooks`,
    );
    const row = page.getByRole("row", { name: new RegExp(url) });
    await row.getByRole("link", { name: "Show its deliveries" }).click();
    await page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    const chosen = page.locator(".filters").getByLabel("Webhook").locator("option:checked");
    await chosen.filter({ hasText: url }).waitFor({ state: "attached" });
    expect(await sendFirstAgain(page)).toEqual({ path: "/second", attempts: 1 });
    // The webhook goes with its business.
    await page.locator(".filters").getByLabel("Business").selectOption("");
    await page.waitForURL((address) => address.search === "");
    expect(complaints).toEqual([]);
  });

  it("says on the first page that one of them is paused, and how programs read the feed", async () => {
    const { id, url } = await addSecond();
    await console.daemon.admin.must("POST", `/admin/webhooks/${id}/disable`);
    const { page, complaints } = await console.asBusiness();
    await page.getByText("notifications in 24 hours, at the first webhook").waitFor();
    await page.getByText("waiting, held or given up in 24 hours, at any webhook").waitFor();
    await page
      .getByRole("heading", { name: "Notifications a day, at the first webhook" })
      .waitFor();
    await page.getByText(`The webhook ${url} is paused`, { exact: false }).waitFor();
    await page.getByRole("link", { name: "Webhooks", exact: true }).first().click();
    await page.getByRole("heading", { name: "Programs that read the feed" }).waitFor();
    await page.getByText("the server knows no reader", { exact: false }).waitFor();
    await page.locator(".stale").first().waitFor({ state: "detached" });
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
