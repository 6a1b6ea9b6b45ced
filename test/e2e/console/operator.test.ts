import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";
import { waitFor } from "../../support/wait-for.ts";

describe.skipIf(!hasBrowser)("the console of an operator, in a browser", () => {
  const console = eachConsole();

  it("begins with what needs somebody, and says calmly that nothing does", async () => {
    const { page, complaints } = await console.signInByHand(console.adminToken);
    const well = page.getByRole("heading", { name: "All is well" });
    await page.getByRole("heading", { level: 1, name: "Attention" }).waitFor();
    await well.waitFor();
    const { customer, daemon, world } = console;
    await daemon.admin.must("POST", `/admin/webhooks/${customer.webhookId}/disable`);
    const row = page.getByRole("row", { name: /The webhook is deactivated/ });
    await row.getByText(world.receiver.url).filter({ visible: true }).waitFor();
    await row.getByRole("link", { name: "Acme" }).first().waitFor();
    await page.getByText("One thing needs you. The webhook is deactivated").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByText("Ein Punkt verlangt Handeln. Der Webhook ist abgeschaltet").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Aktivieren" }).click();
    await page.getByRole("heading", { name: "Alles in Ordnung" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows no chain as followed whose endpoint does not answer, and says why", async () => {
    const { page, complaints } = await console.asOperator();
    await page.getByRole("link", { name: "Chains", exact: true }).click();
    const row = page.getByRole("row", { name: /^anvil/ });
    await row.getByText("Following").waitFor();
    await console.world.anvil.kill();
    // The page reads again once a minute, and at once where a person asks for it.
    const isTroubled = async () => {
      await page.reload();
      await row.waitFor();
      const says = (words: string | RegExp) => row.getByText(words).isVisible();
      return (
        (await says("Needs attention")) &&
        (await says(/No endpoint of anvil has answered for [\d.]+\s(s|min)\./))
      );
    };
    await waitFor(isTroubled, { what: "the chain to need attention", timeoutMs: 30_000 });
    expect(complaints).toEqual([]);
  });

  const nameWallet = () =>
    runSql(
      console.databaseUrl,
      "UPDATE wallet SET reference = 'customer-17', label = 'Shop in Lisbon'",
    );

  it("names the customer and business of each delivery, and the business of each receiver", async () => {
    const { page, complaints } = await console.asOperator();
    await nameWallet();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    const row = page.getByRole("row", { name: /1 ETH.*customer-17 · Shop in Lisbon.*Acme/ });
    await row.locator(".row-link").click();
    const panel = page.getByRole("complementary");
    await panel.getByRole("link", { name: "Show the transaction" }).click();
    await panel.getByText("Shop in Lisbon", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Outbox", exact: true }).click();
    await page
      .getByRole("table", { name: "Receivers" })
      .getByRole("link", { name: "Acme" })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("says of a discrepancy whose it is, how large, why, and what to do", async () => {
    const { page, complaints } = await console.asOperator();
    await nameWallet();
    await runSql(
      console.databaseUrl,
      `INSERT INTO discrepancy (wallet_id, asset_id, chain_name, at_number, ledger_amount, chain_amount, seen_at)
      SELECT w.id, a.id, 'anvil', 9, 5 * 10^18, 2 * 10^18, now() FROM wallet w, asset a WHERE a.code = 'ETH'`,
    );
    await page.getByRole("link", { name: "Discrepancies", exact: true }).click();
    const row = page.getByRole("row", { name: /Found.*Acme.*customer-17 · Shop in Lisbon.*3 ETH/ });
    await row.getByText("No movement that was read explains it.", { exact: false }).waitFor();
    await row.getByText("Compare this wallet now.", { exact: false }).waitFor();
    await row.getByText("Still open", { exact: true }).waitFor();
    await page.getByLabel("Period").selectOption({ label: "Last hour" });
    await row.waitFor();
    const chosen = page.locator(".filters");
    for (const [filter, label] of [
      ["Event", "Found"],
      ["State", "Still open"],
      ["Business", "Acme"],
      ["Asset", "ETH"],
    ] as const) {
      await chosen.getByLabel(filter).selectOption({ label });
      await row.waitFor();
    }
    const { searchParams } = new URL(page.url());
    expect([...searchParams.keys()].toSorted()).toEqual([
      "asset",
      "business_id",
      "event",
      "open",
      "period",
    ]);
    await chosen.getByLabel("Event").selectOption({ label: "Resolved" });
    await page.getByText("Nothing matches these filters").waitFor();
    expect(await findViolations(page)).toEqual([]);
    // Once it is over, its row stays, and says no longer that somebody must see to it.
    await runSql(console.databaseUrl, "DELETE FROM discrepancy");
    await chosen.getByRole("link", { name: "Clear filters" }).click();
    await page.getByRole("row", { name: /Resolved.*Acme.*customer-17/ }).waitFor();
    await row.waitFor();
    expect(await page.getByRole("row").getByText("Still open", { exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("shows a business's webhooks and signed statements, and pauses one of the webhooks", async () => {
    const { page, complaints } = await console.asOperator();
    const { customer, world } = console;
    await page.getByRole("link", { name: "Businesses", exact: true }).click();
    await page.getByRole("link", { name: "Acme" }).click();
    await page.getByRole("tab", { name: "Statements" }).click();
    await page.getByText("No signed statement was given out").waitFor();
    await page.getByRole("tab", { name: "Webhooks" }).click();
    const row = page.getByRole("table", { name: "Webhooks" }).locator("tbody tr");
    await row.getByText(world.receiver.url).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await row.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await row.getByText("somebody paused it").waitFor();
    expect(await customer.api.get("/webhooks")).toMatchObject({ is_active: false });
    expect(complaints).toEqual([]);
  });

  it("shows what a business has in tabs, by the keyboard, and reads a tab once it is open", async () => {
    const { page, complaints } = await console.asOperator();
    await nameWallet();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).pathname));
    await page.getByRole("link", { name: "Businesses", exact: true }).click();
    await page.getByRole("link", { name: "Acme" }).click();
    const tab = (name: string) => page.getByRole("tab", { name, exact: true });
    const panel = page.getByRole("tabpanel");
    const path = `/console/api/admin/businesses/${console.customer.businessId}`;
    const parts = () => [...asked].filter((one) => one.startsWith(`${path}/`));
    await panel.getByText("Business id").waitFor();
    expect(parts()).toEqual([]);

    await tab("Details").press("ArrowRight");
    const wallets = page.getByRole("table", { name: "Wallets" });
    await wallets.getByRole("row", { name: /Shop in Lisbon/ }).waitFor();
    expect(new URL(page.url()).search).toBe("?tab=wallets");
    expect(await tab("Wallets").evaluate((one) => one === document.activeElement)).toBe(true);
    expect(parts()).toEqual([`${path}/wallets`]);
    expect(await findViolations(page)).toEqual([]);

    await tab("Wallets").press("ArrowRight");
    await panel.getByRole("row", { name: /1 ETH.*customer-17 · Shop in Lisbon/ }).waitFor();
    await tab("Transactions").press("End");
    await panel.getByRole("row", { name: /Registered a webhook/ }).waitFor();
    await tab("Audit").press("ArrowRight");
    await panel.getByText("Business id").waitFor();
    await tab("Details").press("ArrowLeft");
    await page.reload();
    await panel.getByRole("row", { name: /Registered a webhook/ }).waitFor();
    expect(await tab("Audit").getAttribute("aria-selected")).toBe("true");
    await panel.getByRole("link", { name: "Show all" }).click();
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    await page.getByRole("row", { name: /Registered a webhook/ }).waitFor();
    const business = page.getByRole("combobox", { name: "Business", exact: true });
    expect(await business.inputValue()).toBe(console.customer.businessId);
    expect(complaints).toEqual([]);
  });
});
