import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachBusiness } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";

describe.skipIf(!hasBrowser)("ways through the console, in a browser", () => {
  const console = eachBusiness();

  it("finds by hash and by address, with the keyboard alone", async () => {
    const { page } = await console.asBusiness();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const [transaction] = await console.customer.api.get("/transactions");
    const ways = [
      [transaction.tx_hash, `/console/transactions/${transaction.id}`],
      [console.customer.wallets[0].address, `/console/wallets/${transaction.wallet_id}`],
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

  it("leads an operator from a hash to its transaction, wallet, business and its lists", async () => {
    const { page, complaints } = await console.asOperator();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const { customer } = console;
    const [transaction] = await customer.api.get("/transactions");
    await page.keyboard.press("/");
    await page.keyboard.type(transaction.tx_hash);
    await page.keyboard.press("Enter");
    const ofOwner = `?business_id=${customer.businessId}`;
    await page.waitForURL(`**/console/transactions/${transaction.id}${ofOwner}`);
    const panel = page.getByRole("complementary");
    await panel.getByText("Delivered").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await panel.getByRole("link", { name: "Show the wallet" }).click();
    await page.waitForURL(`**/console/wallets/${transaction.wallet_id}${ofOwner}`);
    // Beside it is what the same business has.
    await page.getByText("1 on this page").waitFor();
    await panel.getByRole("table").getByText("ETH").first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await panel.getByRole("link", { name: "Business", exact: true }).click();
    await page.waitForURL(`**/console/businesses/${customer.businessId}`);
    await panel.getByRole("tab", { name: "Transactions", exact: true }).click();
    await panel.getByRole("link", { name: "Show all" }).click();
    await page.waitForURL(`**/console/transactions?business_id=${customer.businessId}`);
    await page.getByRole("table").getByText("Deposit").first().waitFor();
    expect(await page.getByRole("combobox", { name: "Business" }).inputValue()).toBe(
      customer.businessId,
    );
    expect(complaints).toEqual([]);
  });

  it("leads an operator from an id to its notification, and from a key to its business", async () => {
    const { page, complaints } = await console.asOperator();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const { api, businessId } = console.customer;
    const [notification] = await api.get("/notifications");
    const search = page.getByRole("combobox", { name: "Search" });
    await search.fill(notification.id);
    await search.press("Enter");
    await page.waitForURL(`**/console/deliveries/${notification.id}`);
    await page.getByRole("complementary").getByText("Attempt 1").waitFor();
    const [key] = await api.get("/api-keys");
    await search.fill(key.id);
    await search.press("Enter");
    await page.waitForURL(`**/console/businesses/${businessId}?tab=keys`);
    await page.getByRole("complementary").getByText(key.prefix).waitFor();
    // Whoever revokes it wants to know.
    await page.getByRole("complementary").getByText("Last used: ").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("finds a business's wallets for an operator, who sets the thresholds of one", async () => {
    const { page, complaints } = await console.asOperator();
    const { customer, daemon } = console;
    await daemon.admin.post(`/admin/businesses/${customer.businessId}/wallets`, {
      blockchain: "anvil",
      address: `0x${"ab".repeat(20)}`,
      reference: "customer-17",
    });
    await page.goto(`${daemon.url}/console/wallets?business_id=${customer.businessId}`);
    await page.getByText("2 on this page").waitFor();
    await page.getByLabel("Address, reference or label").fill("TOMER-1");
    await page.getByText("1 on this page").waitFor();
    await page.getByRole("table", { name: "Wallets" }).locator(".row-link").click();
    const panel = page.getByRole("complementary");
    await panel.getByText("There is none.", { exact: false }).waitFor();
    await panel.getByRole("button", { name: "Set thresholds" }).click();
    const field = page.getByRole("dialog").getByLabel("Thresholds");
    await field.fill("ETH 2 3");
    await field.press("Enter");
    const table = panel.getByRole("table", { name: "Thresholds" });
    await table.getByRole("row", { name: /2 ETH.*3 ETH/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows a page at once that was open before, while it reads anew", async () => {
    const { page } = await console.asBusiness();
    await console.pay(ether);
    await page.getByRole("link", { name: "Transactions", exact: true }).click();
    const row = page.getByRole("row", { name: /1 ETH/ });
    await row.waitFor();
    await page.getByRole("link", { name: "Wallets", exact: true }).click();
    await page.getByRole("table", { name: "Wallets" }).waitFor();
    // The list is asked for, and is not answered.
    const asked = page.waitForRequest(/\/console\/api\/transactions\?/);
    await page.route(/\/console\/api\/transactions\?/, () => undefined);
    await page.getByRole("link", { name: "Transactions", exact: true }).click();
    await asked;
    await row.waitFor();
    expect(await page.locator(".stale").count()).toBe(1);
  });

  it("adds wallets from CSV once each line is right, and saves the list as CSV", async () => {
    const { page, complaints } = await console.asOperator();
    await page.goto(`${console.daemon.url}/console/businesses/${console.customer.businessId}`);
    await page.getByRole("button", { name: "Add wallets" }).click();
    const dialog = page.getByRole("dialog");
    const address = `0x${"cd".repeat(20)}`;
    const write = (...lines: string[]) =>
      dialog.locator("textarea").fill(["blockchain,address,reference", ...lines].join("\n"));
    await write("anvil,0x12,first");
    await dialog.getByText("Line 2:").waitFor();
    await write(`anvil,${address},"=HYPERLINK(""x"")"`);
    await dialog.getByRole("button", { name: "Add 1 wallet" }).click();
    await dialog.waitFor({ state: "detached" });
    const added = await console.customer.api.get(`/wallets?address=${address}`);
    expect(added[0].reference).toBe('=HYPERLINK("x")');

    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const [transaction] = await console.customer.api.get("/transactions");
    const business = await console.asBusiness();
    await business.page.getByRole("link", { name: "Transactions", exact: true }).click();
    const saving = business.page.waitForEvent("download");
    await business.page.getByRole("button", { name: "Export" }).click();
    const saved = await readFile(await (await saving).path(), "utf8");
    expect(saved).toContain(transaction.id);
    expect([...complaints, ...business.complaints]).toEqual([]);
  });
});
