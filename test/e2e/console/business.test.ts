import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachBusiness } from "../../support/console/each-console.ts";
import { untilOnRecord } from "../../support/delivery/until-on-record.ts";
import { runSql } from "../../support/ledger/databases.ts";
import { waitFor } from "../../support/wait-for.ts";

describe.skipIf(!hasBrowser)("the console of a business, in a browser", () => {
  const console = eachBusiness();

  it("shows a deposit without being loaded again, and its course until it is heard", async () => {
    const { page, complaints } = await console.signInByHand(console.customer.key);
    await open(page, "Transactions");
    await page.getByText("No transactions yet").waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));

    await console.pay(3n * ether + 1n);
    await page.getByRole("link", { name: /\+3\.000000000000000001 ETH/ }).click();
    for (const step of ["Seen", "1 of 1 confirmation", "Completed", "Notified", "Delivered"])
      await page.locator(".step-done", { hasText: step }).waitFor();

    expect(await page.evaluate(() => "isSamePage" in globalThis)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("asks for everything once as it opens, and again only for what has changed", async () => {
    const { page, complaints } = await console.asBusiness();
    await page.getByText("2 of 5").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith("/console/api/")) asked.push(`${pathname}${search}`);
    });
    let draw = () => {};
    const isDrawn = new Promise<void>((resolve) => {
      draw = resolve;
    });
    // The page asks whose stream it has. It shows what it has read before it knows that.
    await page.route(/\/console\/session$/, async (route) => {
      if (route.request().headers()["x-console-background"] !== undefined) await isDrawn;
      await route.continue();
    });
    await page.reload();
    await page.getByText("2 of 5").waitFor();
    draw();
    await page.getByText("Live", { exact: true }).waitFor();
    await console.pay(ether);
    await page.getByRole("link", { name: /\+1 ETH/ }).waitFor();
    // No key has changed.
    expect(asked.filter((path) => path.includes("/api-keys"))).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it("shows the first steps as they are done, until they are put away", async () => {
    const { page, complaints } = await console.asBusiness();
    const list = page.getByRole("heading", { name: "First steps" });
    await page.getByText("2 of 5").waitFor();
    await console.pay(ether);
    await page.getByText("3 of 5").waitFor();
    const limited = { label: "books", scopes: ["read"] };
    await console.customer.api.post("/api-keys", limited);
    await list.waitFor({ state: "detached" });
    const path = `/admin/businesses/${console.customer.businessId}/api-keys`;
    for (const { id, label } of await console.daemon.admin.get(path))
      if (label === "books") await console.daemon.admin.must("DELETE", `/admin/api-keys/${id}`);
    await page.reload();
    await page.getByRole("button", { name: "Put this list away" }).click();
    await list.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Holdings" }).waitFor();
    expect(await list.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("shows that a transaction was reversed, and which notification that undoes", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Transactions");
    const { anvil, receiver } = console.world;
    await console.pay(ether);
    await receiver.waitForCount(1);
    await anvil.reorg(1);
    await anvil.mine(2);
    await receiver.waitForCount(2);
    const row = page.getByRole("row", { name: /Reversed/ });
    await row.getByRole("link").click();
    await page.locator(".step-bad", { hasText: "no longer on the chain" }).waitFor();
    await page.getByRole("link", { name: "an earlier notification" }).click();
    const earlier = page.getByRole("complementary").getByText(/^{"id":.*"transaction\.deposit"/);
    await earlier.waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows the attempts at a broken receiver, sends again when asked, and that it was heard", async () => {
    const { receiver } = console.world;
    receiver.answerAlways({ kind: "status", status: 503 });
    const { page, complaints } = await console.asBusiness();
    await open(page, "Deliveries");
    await console.pay(ether);
    await page.locator(".row-link").first().click();
    await page.getByText("Attempt 1", { exact: true }).waitFor();
    await page.getByText("Next attempt").waitFor();
    // The time of an attempt may have come, and the attempt not yet.
    await page.clock.setFixedTime(Date.now() + 3_600_000);
    await page.reload();
    await page.getByText("Next attempt due now").waitFor();

    receiver.answerAlways({ kind: "status", status: 204 });
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("complementary").locator(".badge", { hasText: "Delivered" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows what failed by cause, and sends what one cause has held up again", async () => {
    const { receiver } = console.world;
    const { customer, databaseUrl } = console;
    await runSql(
      databaseUrl,
      `UPDATE wallet SET reference = 'customer-17', label = 'Shop in Lisbon' WHERE business_id = '${customer.businessId}'`,
    );
    receiver.answerAlways({ kind: "status", status: 503 });
    const { page, complaints } = await console.asBusiness();
    await open(page, "Deliveries");
    for (const amount of [ether, 2n * ether, 3n * ether]) await console.pay(amount);
    await receiver.waitForCount(3);
    await page.getByText("3 on this page").waitFor();
    await untilOnRecord(customer, 3);
    // Of a target that was opened for a test nothing is kept: as if it had answered this.
    const attempts = `UPDATE attempt SET response = 'no worker is free' WHERE webhook_id = '${customer.webhookId}'`;
    await runSql(databaseUrl, attempts);
    await page.reload();
    const causes = page.getByRole("table", { name: "Not delivered, by cause" });
    await causes.getByRole("row", { name: /503 3 no worker is free/ }).waitFor();
    const list = page.getByRole("table", { name: "Deliveries" });
    const row = list.getByRole("row", { name: /2 ETH.*customer-17 · Shop in Lisbon/ });
    await row.getByText("no worker is free").waitFor();

    receiver.forget();
    receiver.answerAlways({ kind: "status", status: 204 });
    await causes.getByRole("button", { name: "Send these again" }).click();
    await page.getByRole("dialog").getByText("Waiting: 3").waitFor();
    await page.getByRole("button", { name: "Send 3 again" }).click();
    await receiver.waitForCount(3);
    await causes.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  it("rotates the secret: the new one is shown once, and the old one's end is counted down", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Webhooks");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText(/^Delivered · /).waitFor();
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    const secret = page.getByRole("dialog").getByText(/^whsec_/);
    expect(await secret.textContent()).not.toBe(console.customer.secret);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page
      .getByRole("timer")
      .getByText(/^23:59:/)
      .waitFor();
    await page.getByRole("button", { name: "End it now" }).click();
    await page.getByRole("timer").waitFor({ state: "detached" });
    expect(await page.getByText(/whsec_/).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("pauses the webhook once that is confirmed", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Webhooks");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Active", { exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("says how many wallets wait at a webhook with an order, and since when", async () => {
    console.world.receiver.answerAlways({ kind: "status", status: 503 });
    const { page, complaints } = await console.asBusiness();
    await open(page, "Webhooks");
    const fact = (name: string) => page.locator("dt", { hasText: name }).locator("+ dd");
    await fact("Order").getByText("none").waitFor();
    const { api, webhookId } = console.customer;
    await api.must("PATCH", `/webhooks/${webhookId}`, { order: "wallet" });
    await console.pay(ether);
    await fact("Order").getByText("that of each wallet").waitFor();
    await fact("Wallets that wait").getByText("1", { exact: true }).waitFor();
    await fact("The oldest waits since").locator("time").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says what a recovery would send again, and whose money each line is", async () => {
    await runSql(
      console.databaseUrl,
      `UPDATE wallet SET reference = 'customer-17' WHERE business_id = '${console.customer.businessId}'`,
    );
    console.world.receiver.answerAlways({ kind: "status", status: 410 });
    const { page, complaints } = await console.asBusiness();
    await open(page, "Deliveries");
    await console.pay(ether);
    const row = page.getByRole("row", { name: /1 ETH.*customer-17.*Held/ });
    await row.waitFor();
    await page.getByRole("button", { name: "Recover" }).click();
    // It waits for its webhook to be active again: a recovery would send none.
    await page.getByText("0 notifications of this time were not delivered.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await open(page, "Transactions");
    await page.getByRole("row", { name: /1 ETH.*customer-17/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("changes what the webhook wants, which keeps its id and its secret", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "Webhooks");
    const { api } = console.customer;
    const before = await api.get("/webhooks");
    await page.getByRole("button", { name: "Settings" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Assets", { exact: true }).fill("ETH");
    await dialog.getByLabel("Least amounts").fill("ETH 0.5");
    await dialog.getByLabel("transaction.deposit").check();
    await dialog.getByLabel("Rate").fill("5");
    await dialog.getByText("Headers and client certificate").click();
    await dialog.getByLabel("Headers", { exact: true }).fill("Authorization: Bearer 3Vt1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("5 a second").waitFor();
    await page.getByText("Authorization", { exact: true }).waitFor();
    const filter = {
      events: ["transaction.deposit"],
      assets: ["ETH"],
      min_amount: { ETH: "0.5" },
    };
    expect(await api.get("/webhooks")).toMatchObject({ id: before.id, rate: 5, filter });
    expect(complaints).toEqual([]);
  });

  it("filters while one types, and shows a business no command of the operator", async () => {
    const { page } = await console.asBusiness();
    await open(page, "Transactions");
    await page.getByText("No transactions yet").waitFor();
    expect(await page.locator(".command").count()).toBe(0);
    const wallet = page.getByLabel("Address, reference or label");
    // Slower than the filter waits: it acts on a part, and what follows is not lost.
    await wallet.pressSequentially("shop", { delay: 400 });
    await page.waitForURL(/shop/);
    expect(await wallet.inputValue()).toBe("shop");
  });

  it("makes a key that works, and revokes it once its label is typed", async () => {
    const { page, complaints } = await console.asBusiness();
    await open(page, "API keys");
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Label").fill("<b>shop</b>");
    await dialog.getByLabel("Expires on").fill("2126-01-31");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = (await dialog.getByText(/^cb_/).textContent()) ?? "";
    await page.getByRole("button", { name: "I have stored it" }).click();
    const status = async () =>
      (await fetch(`${console.daemon.url}/wallets`, { headers: { "x-api-key": key } })).status;
    expect(await status()).toBe(200);

    const row = page.getByRole("row", { name: /<b>shop<\/b>/ });
    await row.getByText(/^Expires in \d+ y/).waitFor();
    await row.getByRole("button", { name: "Revoke" }).click();
    const revoke = dialog.getByRole("button", { name: "Revoke" });
    expect(await revoke.isEnabled()).toBe(false);
    await dialog.getByLabel("Type <b>shop</b> to confirm").fill("<b>shop</b>");
    await revoke.click();
    await row.getByText("Revoked").waitFor();
    await waitFor(async () => (await status()) === 403, {
      what: "the revocation to be known",
      timeoutMs: 20_000,
    });
    expect(complaints).toEqual([]);
  });

  it("shows how far a recovery of many is, until it is done", async () => {
    const { page, complaints } = await console.asBusiness();
    await runSql(
      console.databaseUrl,
      `WITH written AS (
        INSERT INTO notification (id, business_id, state, event, body, created_at)
        SELECT gen_random_uuid(), business_id, 'confirmed', 'transaction.deposit', '{}', now() - i * interval '1 second'
        FROM webhook, generate_series(120, 1619) i WHERE business_id = '${console.customer.businessId}' RETURNING id, business_id)
      INSERT INTO delivery (id, notification_id, business_id, webhook_id, status)
      SELECT gen_random_uuid(), n.id, n.business_id, w.id, 'exhausted' FROM written n JOIN webhook w USING (business_id)`,
    );
    await open(page, "Deliveries");
    await page.getByRole("button", { name: "Recover" }).click();
    await page.getByRole("button", { name: "Queue 1,500 again" }).click();
    await page.getByRole("progressbar", { name: "Progress of the recovery" }).waitFor();
    await page.getByText("1,500 notifications are queued again.").waitFor();
    expect(complaints).toEqual([]);
  });

  // The last one: the daemon is gone after it.
  it("says since when it is not live, once the daemon is gone", async () => {
    const { page } = await console.asBusiness();
    await page.getByText("Live", { exact: true }).waitFor();
    await console.daemon.stop();
    await page.getByText(/^As of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, not live/).waitFor();
  });
});

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}
