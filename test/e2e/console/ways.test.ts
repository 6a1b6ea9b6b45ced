import { describe, expect, it } from "vitest";
import { ether, shownWallet } from "../../support/chain/cast.ts";
import { hasBrowser, openPage } from "../../support/console/browser.ts";
import { eachConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";

describe.skipIf(!hasBrowser)("ways through the console, in a browser", () => {
  const console = eachConsole();

  it("lets a viewer in by a link, once, who changes nothing", async () => {
    const { daemon, customer } = console;
    const { path } = await daemon.admin.post(
      `/admin/businesses/${customer.businessId}/console-link`,
      { role: "viewer" },
    );
    const { page, complaints } = await openPage(console.browser);
    await page.goto(daemon.url + path);
    await page.getByText("Viewer").waitFor();
    expect(page.url()).toBe(`${daemon.url}/console/`);
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    expect(await page.getByRole("button", { name: "Rotate secret" }).isDisabled()).toBe(true);

    const other = await openPage(console.browser);
    await other.page.goto(daemon.url + path);
    await other.page.getByRole("alert").waitFor();
    await other.page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await findViolations(other.page)).toEqual([]);
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  it("ends with its key, and says so", async () => {
    const { page } = await console.asBusiness();
    const [key] = await console.customer.api.get("/api-keys");
    await console.daemon.admin.must("DELETE", `/admin/api-keys/${key.id}`);
    await page.getByRole("link", { name: "Wallets", exact: true }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.getByRole("alert").waitFor();
  });

  it("finds by hash and by address, with the keyboard alone", async () => {
    const { page } = await console.asBusiness();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const [transaction] = await console.customer.api.get("/transactions");
    const ways = [
      [transaction.tx_hash, `/console/transactions/${transaction.id}`],
      [shownWallet, `/console/wallets/${transaction.wallet_id}`],
    ];
    for (const [sought, address] of ways) {
      await page.keyboard.press("/");
      await page.keyboard.type(sought);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**${address}`);
      await page.getByRole("complementary").waitFor();
    }
    await page.keyboard.press("Escape");
    await page.waitForURL("**/console/wallets");
  });
});
