import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ether, shownWallet } from "../../support/chain/cast.ts";
import { hasBrowser, openPage } from "../../support/console/browser.ts";
import { eachConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";

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
    // Whoever goes on is asked to sign in; the page may have noticed before, and then there is no
    // link.
    await page.getByRole("link", { name: "Wallets", exact: true }).evaluateAll((links) => {
      for (const link of links) link.click();
    });
    // The page below may say too that its first question was refused.
    await page.getByRole("dialog", { name: "Sign in" }).getByRole("alert").waitFor();
  });

  it("keeps what a dialog has while a session ends and another begins", async () => {
    const { page } = await console.asBusiness();
    const { customer, world } = console;
    const url = `${world.receiver.url}/kept`;
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("button", { name: "Add another" }).click();
    const dialog = page.getByRole("dialog", { name: "Add another" });
    await dialog.getByLabel("URL").fill(url);
    await runSql(console.databaseUrl, "UPDATE console_session SET ended_at = now()");
    await dialog.getByLabel("URL").press("Enter");
    const gate = page.getByRole("dialog", { name: "Sign in" });
    await gate.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await gate.getByLabel("API key or operator's token").fill(customer.key);
    await gate.getByRole("button", { name: "Sign in" }).click();
    await gate.waitFor({ state: "detached" });
    expect(await dialog.getByLabel("URL").inputValue()).toBe(url);
    await dialog.getByLabel("URL").press("Enter");
    await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .waitFor();
  });

  it("asks nothing under the sign-in, and goes on where another page of the browser signs in", async () => {
    const { page, complaints } = await console.asBusiness();
    const { daemon, customer, world, databaseUrl } = console;
    await page.clock.install();
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await runSql(databaseUrl, "UPDATE console_session SET ended_at = now()");
    const gate = page.getByRole("dialog", { name: "Sign in" });
    await gate.getByRole("alert").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await console.pay(ether);
    await world.receiver.waitForCount(1);
    // Pages read again at least once a minute.
    await page.clock.runFor(180_000);
    expect(asked).toEqual([]);

    const enter = async (businessId: string) => {
      const { path } = await daemon.admin.post(`/admin/businesses/${businessId}/console-link`);
      const other = await page.context().newPage();
      await other.goto(daemon.url + path);
      await other.getByRole("link", { name: "Skip to the content" }).waitFor();
    };
    await enter(customer.businessId);
    await gate.waitFor({ state: "detached" });
    await page.getByText("Live", { exact: true }).waitFor();
    const elsewhere = await daemon.admin.post("/admin/businesses", {
      name: "Elsewhere",
      verified: true,
    });
    await enter(elsewhere.id);
    await page.getByText("Elsewhere", { exact: true }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
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

  it("leads an operator from a hash to its transaction, wallet, business and its lists", async () => {
    const { page, complaints } = await console.asOperator();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const { customer } = console;
    const [transaction] = await customer.api.get("/transactions");
    await page.keyboard.press("/");
    await page.keyboard.type(transaction.tx_hash);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/console/transactions/${transaction.id}`);
    const panel = page.getByRole("complementary");
    await panel.getByText("Delivered").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await panel.getByRole("link", { name: "Show the wallet" }).click();
    await page.waitForURL(`**/console/wallets/${transaction.wallet_id}`);
    await panel.getByRole("table").getByText("ETH").first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await panel.getByRole("link", { name: "Business", exact: true }).click();
    await page.waitForURL(`**/console/businesses/${customer.businessId}`);
    await panel.getByRole("link", { name: "Transactions", exact: true }).click();
    await page.waitForURL(`**/console/transactions?business_id=${customer.businessId}`);
    await page.getByRole("table").getByText("Deposit").first().waitFor();
    expect(await page.getByRole("combobox", { name: "Business" }).inputValue()).toBe(
      customer.businessId,
    );
    expect(complaints).toEqual([]);
  });

  it("opens nothing with a cookie that was made up, copied and then ended, or that has expired", async () => {
    const { page } = await console.asBusiness();
    const [own] = await page.context().cookies();
    if (own === undefined) throw new Error("There is no cookie.");
    const elsewhere = async (cookie: typeof own) => {
      const other = await openPage(console.browser);
      await other.page.context().addCookies([cookie]);
      await other.page.goto(`${console.daemon.url}/console/transactions`);
      return other;
    };
    const signIn = (of: typeof page) => of.getByRole("button", { name: "Sign in" }).waitFor();
    const invented = await elsewhere({ ...own, value: "A".repeat(own.value.length) });
    await signIn(invented.page);
    const thief = await elsewhere(own);
    await thief.page.getByRole("heading", { level: 1, name: "Transactions" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page);
    // Without being touched: the page hears of it.
    await signIn(thief.page);

    const again = await console.asBusiness();
    await runSql(console.databaseUrl, "UPDATE console_session SET expires_at = now()");
    await signIn(again.page);
    await again.page.getByRole("dialog", { name: "Sign in" }).getByRole("alert").waitFor();
    expect([...invented.complaints, ...thief.complaints]).toEqual([]);
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
