import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";
import { waitToEqual } from "../../support/wait-to-equal.ts";

const walletCount = 600;

describe.skipIf(!hasBrowser)("long lists of the console, in a browser", () => {
  const console = oneConsole();

  beforeAll(async () => {
    const { customer, daemon, databaseUrl } = console;
    const wallets = Array.from({ length: walletCount }, (_, place) => ({
      blockchain: "anvil",
      address: `0x${"a7".repeat(4)}${(place + 1).toString(16).padStart(32, "0")}`,
      reference: `customer-${place}.`,
    }));
    await daemon.admin.post(`/admin/businesses/${customer.businessId}/wallets`, { wallets });
    // One a minute, from the last minute of the year on into the past.
    await runSql(
      databaseUrl,
      `WITH written AS (
        INSERT INTO notification (id, business_id, state, event, body, created_at)
        SELECT gen_random_uuid(), business_id, 'confirmed', 'transaction.deposit',
          json_build_object('sequence', 1000 - i)::text, timestamptz '2025-12-31 23:59:00Z' - i * interval '1 minute'
        FROM webhook, generate_series(0, 129) i RETURNING id, business_id)
      INSERT INTO delivery (id, notification_id, business_id, webhook_id, status)
      SELECT gen_random_uuid(), n.id, n.business_id, w.id, 'exhausted' FROM written n JOIN webhook w USING (business_id)`,
    );
  });

  const open = async (page: Page, name: string) => {
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  const numbered = (page: Page, number: number) =>
    page.locator("tbody tr:first-child").getByText(`No. ${number}`, { exact: true }).waitFor();

  it("goes to older pages and back to each newer one, also after being loaded again", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Deliveries");
    const way = (name: string) => page.getByRole("link", { name, exact: true });
    await numbered(page, 1000);
    expect(await way("Newer").count()).toBe(0);
    await way("Older").click();
    await numbered(page, 950);
    await way("Older").click();
    await numbered(page, 900);
    expect(await way("Older").count()).toBe(0);
    await page.reload();
    await way("Newer").click();
    await numbered(page, 950);
    await page.locator(".row-link").first().click();
    await page.getByRole("complementary").waitFor();
    await way("Newer").click();
    await numbered(page, 1000);
    expect(await way("Newest").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("jumps to a minute, and begins at the newest of what a filter leaves", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Deliveries");
    await page.getByRole("link", { name: "Older" }).click();
    await numbered(page, 950);
    await page.getByLabel("Before (UTC)").fill("2025-12-31T22:30");
    await numbered(page, 910);
    expect(await page.getByRole("link", { name: "Newer" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("offers times by name, which follow the clock that was chosen", async () => {
    const { page, complaints } = await console.asBusiness({
      width: 1360,
      theme: "light",
      zone: "Asia/Kolkata",
    });
    await open(page, "Deliveries");
    const from = page.getByLabel("From (UTC)");
    await page.getByLabel("Period").selectOption({ label: "Today" });
    await page.getByText("Nothing matches these filters").waitFor();
    expect(await from.inputValue()).toBe(`${new Date().toISOString().slice(0, 10)}T00:00`);
    expect(new URL(page.url()).search).toBe("?period=today");
    await page.getByRole("button", { name: "Local time" }).click();
    const local = page.getByLabel("From (local time)");
    expect(await local.inputValue()).toMatch(/T00:00$/);
    expect(await page.evaluate(() => localStorage.getItem("chainbell-zone"))).toBe("local");
    // A reader elsewhere is to see the same rows: an address has UTC.
    await local.fill("2026-01-01T05:28");
    await numbered(page, 1000);
    await page.getByText("2 on this page").waitFor();
    expect(new URL(page.url()).search).toBe("?from=2025-12-31T23%3A58");
    await page.getByText("2026-01-01 05:29:00 UTC+5:30").waitFor();
    await page.reload();
    await page.getByText("2026-01-01 05:29:00 UTC+5:30").waitFor();
    await page.getByRole("button", { name: "UTC", exact: true }).click();
    await page.getByText("2025-12-31 23:59:00 UTC").waitFor();
    expect(await from.inputValue()).toBe("2025-12-31T23:58");
    expect(complaints).toEqual([]);
  });

  it("lists the wallets that were added in a period", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Wallets");
    const cells = page.locator("tbody tr");
    await cells.first().waitFor();
    await page.getByLabel("From (UTC)").fill("2020-01-01T00:00");
    await page.getByLabel("Before (UTC)").fill("2021-01-01T00:00");
    await page.getByText("Nothing matches these filters").waitFor();
    expect(new URL(page.url()).search).toBe("?from=2020-01-01T00%3A00&to=2021-01-01T00%3A00");
    await page.getByLabel("Before (UTC)").fill("");
    await cells.first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("prints when things happened, by the chosen clock", async () => {
    const { page } = await console.asBusiness();
    await open(page, "Deliveries");
    await numbered(page, 1000);
    await page.emulateMedia({ media: "print" });
    const time = page.locator("tbody tr:first-child td:last-child time");
    const shown = await time.evaluate((at) => getComputedStyle(at, "::after").content);
    expect(shown).toBe('"2025-12-31 23:59:00 UTC"');
    expect(await time.evaluate((at) => getComputedStyle(at).fontSize)).toBe("0px");
  });

  it("selects rows with keys and shift, and sends them again", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Deliveries");
    await numbered(page, 1000);
    await page.locator(".row-link").first().focus();
    await page.keyboard.press("Space");
    await page.getByText("1 row selected").waitFor();
    await page
      .locator("tbody .select input")
      .nth(3)
      .click({ modifiers: ["Shift"] });
    await page.getByText("4 rows selected").waitFor();
    // Of the next page too. Another question selects none.
    await page.getByRole("link", { name: "Older" }).click();
    await numbered(page, 950);
    await page.getByLabel("Select all of this page").click();
    await page.getByText("54 rows selected").waitFor();
    await page.getByLabel("Select all of this page").click();
    await page.getByText("4 rows selected").waitFor();
    await page.getByRole("button", { name: "Send selected again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Given up: 4").waitFor();
    await dialog.getByRole("button", { name: "Send 4 again" }).click();
    await page.getByText("4 notifications are sent again now.").waitFor();
    await page.getByRole("button", { name: "Select none" }).click();
    expect(await page.getByText(/selected$/).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("names the notifications that are refused, and why", async () => {
    const { page, complaints } = await console.asBusiness();
    const { api, webhookId } = console.customer;
    await open(page, "Deliveries");
    await numbered(page, 1000);
    await page.locator("tbody .select input").nth(5).click();
    await api.must("PATCH", `/webhooks/${webhookId}`, { is_active: false });
    await page.getByRole("button", { name: "Send selected again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Send 1 again" }).click();
    await dialog.getByText("1 was refused and stays as it was:").waitFor();
    await dialog.getByText(/^No. 995: .*/).waitFor();
    await api.must("PATCH", `/webhooks/${webhookId}`, { is_active: true });
    expect(complaints).toEqual([]);
  });

  it("finds the wallet of a statement among more than a list holds", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Statements");
    const wallet = page.getByLabel("Wallet");
    await wallet.fill("customer-1");
    await page.locator("datalist option").nth(19).waitFor({ state: "attached" });
    await wallet.fill("nobody");
    await page.getByText("No wallet is named so.").waitFor();
    // The oldest of them.
    await wallet.fill("customer-0.");
    await wallet.press("Enter");
    await page.getByRole("table", { name: "Statements" }).waitFor();
    await page.getByText(`anvil · 0x${"a7".repeat(4)}${"1".padStart(32, "0")}`).waitFor();
    expect(await wallet.inputValue()).toMatch(/^0x.{8}…00000001 · anvil$/);
    expect(complaints).toEqual([]);
  });

  it("leaves the rows of the wallets that are named, while a name is written", async () => {
    const { customer, databaseUrl } = console;
    await runSql(
      databaseUrl,
      `UPDATE wallet SET label = 'Shop Łódź' WHERE id = '${customer.wallets[0].wallet_id}'`,
    );
    await console.pay(3n * ether);
    await console.world.receiver.waitForCount(1);
    const business = await console.asBusiness();
    const operator = await console.asOperator();
    for (const { page, complaints } of [business, operator]) {
      for (const name of ["Transactions", "Deliveries"]) {
        await open(page, name);
        if (page === operator.page)
          await page.locator(".filters").getByLabel("Business").selectOption(customer.businessId);
        const field = page.getByLabel("Address, reference or label");
        await page.locator(".row-link").first().waitFor();
        await field.pressSequentially("Customer-17.");
        await page.getByText("Nothing matches these filters").waitFor();
        await field.fill("łódź");
        await page.getByText("1 on this page").waitFor();
        await page
          .locator("tbody .amount:visible")
          .filter({ hasText: /^\+?3 ETH$/ })
          .waitFor();
      }
      expect(complaints).toEqual([]);
    }
  });

  it("saves the selected transactions as CSV and as JSON Lines", async () => {
    const { page, complaints } = await console.asBusiness();
    for (const amount of [1n, 2n]) await console.pay(amount * ether);
    await open(page, "Transactions");
    await page.getByText("3 on this page").waitFor();
    await page.locator("tbody .select input").first().click();
    const saved = async (name: string) => {
      const saving = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      const download = await saving;
      return readFile(await download.path(), "utf8");
    };
    const [line = "", ...others] = (await saved("JSON Lines")).trimEnd().split("\n");
    expect(others).toEqual([]);
    const { id, amount, fee } = JSON.parse(line);
    expect([amount, fee]).toEqual(["2", null]);
    const [head, row, ...more] = (await saved("CSV")).trimEnd().split("\r\n");
    expect(head).toMatch(/^id,date,type,.*,reference,label,usd_value,fee,fee_asset$/);
    expect(row?.startsWith(`${id},`)).toBe(true);
    expect(more).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("puts the largest amount of an asset first, and finds an amount with its asset", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Transactions");
    await page.getByText("3 on this page").waitFor();
    expect(await page.getByLabel("Order").count()).toBe(0);
    await page.getByLabel("Asset").selectOption("ETH");
    await page.getByLabel("Order").selectOption({ label: "Largest first" });
    const first = page.locator("tbody tr:first-child .amount:visible");
    await first.filter({ hasText: /^\+?3 ETH$/ }).waitFor();
    // The order goes with the asset that it needs.
    await page.getByLabel("Asset").selectOption("");
    await first.filter({ hasText: /^\+?2 ETH$/ }).waitFor();
    await page.keyboard.press("Control+K");
    await page.getByRole("combobox", { name: /^Search/ }).fill("3.0 eth");
    await page.getByRole("option", { name: /Deposit · Completed · anvil/ }).click();
    await page
      .getByRole("complementary")
      .getByText(/^\+?3 ETH$/)
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("puts the deliveries of the largest amount first, for an operator those of one business", async () => {
    const business = await console.asBusiness();
    const operator = await console.asOperator();
    for (const { page, complaints } of [business, operator]) {
      await open(page, "Deliveries");
      await page.getByLabel("Asset").selectOption("ETH");
      const first = page.locator("tbody tr:first-child .amount:visible");
      await first.filter({ hasText: /^\+?2 ETH$/ }).waitFor();
      if (page === operator.page) {
        expect(await page.getByLabel("Order").count()).toBe(0);
        await page
          .locator(".filters")
          .getByLabel("Business")
          .selectOption(console.customer.businessId);
      }
      await page.getByLabel("Order").selectOption({ label: "Largest first" });
      await first.filter({ hasText: /^\+?3 ETH$/ }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      // The order goes with what it needs.
      await page.getByLabel("Asset").selectOption("");
      await page.locator(".row-link").nth(40).waitFor();
      expect(await page.getByLabel("Order").count()).toBe(0);
      expect(complaints).toEqual([]);
    }
  });

  it("chooses a business among more than a list offers, with the keyboard", async () => {
    const { customer, databaseUrl } = console;
    // All newer than the business that has the wallets.
    await runSql(
      databaseUrl,
      `UPDATE business SET name = 'Łódź Ltd' WHERE id = '${customer.businessId}';
      INSERT INTO business (id, name)
      SELECT ('fffffff0-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Shop ' || i FROM generate_series(1, 600) i;
      INSERT INTO business (id, name)
      SELECT ('fffffff1-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Twin' FROM generate_series(1, 2) i`,
    );
    const { page, complaints } = await console.asOperator();
    await open(page, "Transactions");
    // Before it is known how many there are, the field is a list.
    const field = page.getByRole("combobox", { name: "Business" }).and(page.locator("input"));
    const shows = (name: string) =>
      waitToEqual(() => field.inputValue(), name, {
        what: `the choice of ${name}`,
        timeoutMs: 30_000,
      });
    await field.fill("shop 1");
    await page.locator("datalist option").nth(19).waitFor({ state: "attached" });
    await field.press("Enter");
    await page.getByText("Several are named so. Choose one of the list.").waitFor();
    await field.fill("nobody");
    await page.getByText("No business is named so.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    // Nothing was chosen: the field that is left shows so.
    await page.keyboard.press("Tab");
    expect(await field.inputValue()).toBe("");

    await field.fill("łÓDŹ");
    await field.press("Enter");
    await page.getByText("3 on this page").waitFor();
    await page.reload();
    await page.getByText("3 on this page").waitFor();
    await shows("Łódź Ltd");
    // Escape chooses nothing else.
    await field.press("Escape");
    await shows("Łódź Ltd");
    expect(new URL(page.url()).search).toBe(`?business_id=${customer.businessId}`);
    // Businesses of one name are told apart, and one that is taken from the list is chosen.
    await field.fill("twin");
    // Until the answer is there, the options are those of before, or none.
    await waitToEqual(() => page.locator("datalist option").count(), 2, {
      what: "the two of that name",
      timeoutMs: 30_000,
    });
    await field.fill("Twin · …000000000002");
    await page.waitForURL(/business_id=fffffff1-0000-7000-8000-000000000002$/);
    await shows("Twin");
    expect(await findViolations(page)).toEqual([]);
    await field.fill("");
    await page.getByText("Choose a business", { exact: true }).waitFor();
    // Rows name a business that no list offers, all of them by one request.
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/admin/businesses?ids=")) asked.push(request.url());
    });
    await open(page, "Deliveries");
    await page.getByRole("link", { name: "Łódź Ltd" }).nth(49).waitFor({ state: "attached" });
    expect(asked).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it("finds a business by a part of its name, and keeps a selection while a period moves on", async () => {
    const { page, complaints } = await console.asOperator();
    await open(page, "Businesses");
    const name = page.getByLabel("Part of the name");
    await name.fill("nobody");
    await page.getByText("Nothing matches these filters").waitFor();
    await name.fill("łódź");
    await page.getByText("1 on this page").waitFor();
    const nowMs = Date.now();
    await page.clock.setFixedTime(nowMs);
    await page.reload();
    await page.getByRole("link", { name: "Łódź Ltd" }).click();
    await page.getByRole("tab", { name: "Transactions", exact: true }).click();
    await page.getByRole("complementary").getByRole("link", { name: "Show all" }).click();
    await page.getByLabel("Period").selectOption({ label: "Last hour" });
    await page.getByText("3 on this page").waitFor();
    await page.locator("tbody .select input").first().click();
    await page.clock.setFixedTime(nowMs + 120_000);
    await console.pay(4n * ether);
    await page.getByText("4 on this page").waitFor();
    expect(await page.getByText("1 row selected").count()).toBe(1);
    // Without filters the business stays: there is no list without one.
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.getByText("4 on this page").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says of a new business that it has no transactions, and not that filters hide them", async () => {
    const { page } = await console.asOperator();
    const { id } = await console.daemon.admin.post("/admin/businesses", { name: "New Ltd" });
    await page.goto(`${console.daemon.url}/console/transactions?business_id=${id}`);
    await page.getByText("No transactions yet").waitFor();
    await page.getByLabel("Status").selectOption("reversed");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Clear filters" }).last().click();
    await page.getByText("No transactions yet").waitFor();
  });

  it("waits for the whole year of a time", async () => {
    const berlin = { width: 1360, theme: "light", zone: "Europe/Berlin" } as const;
    const { page } = await console.asBusiness(berlin);
    await open(page, "Deliveries");
    await page.getByRole("button", { name: "Local time" }).click();
    const from = page.getByLabel("From (local time)");
    // As a browser tells it while the year is written: 2, 20, 202.
    await from.fill("0002-06-01T00:00");
    await from.press("Tab");
    await page.getByLabel("Event").selectOption({ label: "Deposit" });
    await page.waitForURL(/event=/);
    expect(new URL(page.url()).search).toBe("?event=transaction.deposit");
  });
});
