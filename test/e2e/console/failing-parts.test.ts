import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachConsole } from "../../support/console/each-console.ts";
import { runSql } from "../../support/ledger/databases.ts";

/** Answers a part of the API as a daemon does that cannot read its database. */
const fail = (page: Page, path: RegExp) =>
  page.route(path, (route) =>
    route.fulfill({
      status: 503,
      json: { success: false, error: { code: "database_unavailable", message: "Out of reach." } },
    }),
  );

/** Shows a page, or hides it, as another tab above it does: nothing is heard meanwhile. */
const show = (page: Page, isShown: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, !isShown);

describe.skipIf(!hasBrowser)("pages of the console that know a part, in a browser", () => {
  const console = eachConsole();

  it("shows the alerts where the installation's setup cannot be read", async () => {
    const { customer, daemon, world } = console;
    await daemon.admin.must("POST", `/admin/webhooks/${customer.webhookId}/disable`);
    const { page } = await console.asOperator();
    await fail(page, /\/admin\/health$/);
    await page.reload();
    const row = page.getByRole("row", { name: /The webhook is deactivated/ });
    await row.getByText(world.receiver.url).filter({ visible: true }).waitFor();
    await page.getByRole("alert").getByText("This could not be read").waitFor();
  });

  it("says of a chart that it could not be read", async () => {
    const { page } = await console.asBusiness();
    await fail(page, /\/(transactions\/counts|notifications\/counts|totals)\?/);
    await page.reload();
    const charts = ["Transactions a day", "Notifications a day", "Deposits"];
    for (const name of charts) {
      const card = page.locator(".card", { has: page.getByRole("heading", { name }) });
      await card.getByRole("alert").waitFor();
    }
  });

  it("registers no webhook before it is known whether there is one", async () => {
    const { page } = await console.asBusiness();
    await fail(page, /\/console\/api\/webhooks\/all$/);
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("button", { name: "Register a webhook" }).isDisabled()).toBe(true);
  });

  it("says why it cannot count what a recovery would be for", async () => {
    const { page } = await console.asBusiness();
    await fail(page, /\/webhooks\/[^/]+\/recover$/);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("button", { name: "Recover" }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
  });

  it("says of a part that it could not be read again, and shows what it had", async () => {
    const { page } = await console.asBusiness();
    const holdings = page.getByRole("table", { name: "Holdings" });
    await console.pay(ether);
    await holdings.getByRole("row", { name: /ETH/ }).waitFor();
    await fail(page, /\/console\/api\/balance$/);
    await console.pay(ether);
    await page.getByText(/^This could not be read again/).waitFor();
    await holdings.getByRole("row", { name: /ETH/ }).waitFor();
    await page.unroute(/\/console\/api\/balance$/);
    await console.pay(ether);
    await page.getByText(/^This could not be read again/).waitFor({ state: "detached" });
  });

  it("says since when nobody looks for changes, though the connection stands", async () => {
    const name = new URL(console.databaseUrl).pathname.slice(1);
    const admin = inject("postgresAdminUrl");
    const { page } = await console.asOperator();
    await page.clock.install();
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await runSql(admin, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await runSql(
      admin,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    await page.clock.fastForward(20_000);
    await page.getByText("Connecting", { exact: true }).waitFor();
    await page.clock.fastForward(5_000);
    await page.getByText(/^As of .*, not live/).waitFor();
    await runSql(admin, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText(/^As of .*, not live/).waitFor({ state: "detached" });
  });

  it("says since when it is not live to somebody who comes back to its tab", async () => {
    const { page } = await console.asBusiness();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.route(/\/console\/events$/, (route) => route.abort());
    await show(page, false);
    await page.getByText("Connecting", { exact: true }).waitFor();
    await show(page, true);
    await page.getByText(/^As of .*, not live/).waitFor();
  });

  it("says what was refused, also once its dialog is closed", async () => {
    const { page } = await console.asBusiness();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.locator("tbody .select input").first().click();
    let answer = () => {};
    const closed = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/redeliver/, async (route) => {
      await closed;
      const error = { code: "delivery_in_flight", message: "It is under way." };
      await route.fulfill({ status: 409, json: { success: false, error } });
    });
    await page.getByRole("button", { name: "Send selected again" }).click();
    const asked = page.waitForRequest(/\/redeliver/);
    await page.getByRole("button", { name: "Send 1 again" }).click();
    await asked;
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    answer();
    await page.getByText("1 notification was refused and stays as it was.").waitFor();
  });

  it("shows what came in while nothing was heard for a minute, also in costly charts", async () => {
    const { page } = await console.asBusiness();
    await page.clock.install();
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    const chart = page.locator("figure", {
      has: page.getByRole("img", { name: "Deposits a day, in ETH" }),
    });
    await chart.getByText("Show as a table").click();
    await chart.getByRole("cell", { name: "1", exact: true }).waitFor();
    await show(page, false);
    await page.getByText("Connecting", { exact: true }).waitFor();
    await console.pay(2n * ether);
    await console.world.receiver.waitForCount(2);
    await page.clock.fastForward(70_000);
    await show(page, true);
    await chart.getByRole("cell", { name: "3", exact: true }).waitFor();
  });
});
