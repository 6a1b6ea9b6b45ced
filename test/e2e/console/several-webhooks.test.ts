import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { eachBusiness } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";
import { waitFor, waitForCount } from "../../support/wait-for.ts";

/** Waits for a number of the first page, and what stands behind it. */
const figure = (page: Page, name: string, said: string) =>
  page
    .locator(".figure", { has: page.getByText(name, { exact: true }) })
    .getByText(said, { exact: true })
    .waitFor();

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

  /** Makes what a webhook has got given up there, once that is recorded. */
  async function giveUpAt(id: string): Promise<void> {
    const isRecorded = async () => {
      const rows = await console.customer.api.get(`/notifications?webhook_id=${id}`);
      return rows.every(({ status }: { status: string }) => status === "delivered");
    };
    await waitFor(isRecorded, { what: "the delivery to be recorded", timeoutMs: 30_000 });
    await runSql(
      console.databaseUrl,
      `UPDATE delivery SET status = 'exhausted', delivered_at = NULL WHERE webhook_id = '${id}'`,
    );
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
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const { page, complaints } = await console.asBusiness();
    // The second one is at the first webhook, and held at the other.
    await figure(page, "Delivered", "1 notifications in 24 hours, at every webhook");
    await figure(page, "Not delivered", "1 waiting, held or given up in 24 hours, at any webhook");
    const chart = page.locator("figure", {
      has: page.getByRole("img", { name: "Notifications a day" }),
    });
    await chart.getByText("Show as a table").click();
    const today = chart.getByRole("row").last();
    const [, ...counts] = await today.getByRole("cell").allTextContents();
    expect(counts).toEqual(["1", "1", "0"]);
    await page.getByText(`The webhook ${url} is paused`, { exact: false }).waitFor();
    await page.getByRole("link", { name: "Webhooks", exact: true }).first().click();
    await page.getByRole("heading", { name: "Programs that read the feed" }).waitFor();
    await page.getByText("the server knows no reader", { exact: false }).waitFor();
    await page.locator(".stale").first().waitFor({ state: "detached" });
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says of a transaction where it was delivered, and where not, to a business and an operator", async () => {
    const { id, url } = await addSecond();
    const { world, customer } = console;
    await giveUpAt(id);
    const say = async (page: Page) => {
      const heard = page.locator(".step-done", { hasText: "Delivered" });
      await heard.getByText(`1 attempt, at ${world.receiver.url}`, { exact: true }).waitFor();
      const given = page.locator(".step-bad", { hasText: "Given up" });
      await given.getByText(`1 attempt, at ${url}`, { exact: true }).waitFor();
    };
    const { page, complaints } = await console.asBusiness();
    await page.getByRole("link", { name: /\+1 ETH/ }).click();
    await say(page);
    expect(await findViolations(page)).toEqual([]);
    const { page: theirs } = await console.asOperator();
    await theirs.goto(
      `${console.daemon.url}/console/businesses/${customer.businessId}?tab=transactions`,
    );
    await theirs.locator(".row-link", { hasText: "Deposit" }).first().click();
    await say(theirs);
    expect(complaints).toEqual([]);
  });

  it("leads from the number that was not delivered to those that any webhook has not got", async () => {
    const { id, url } = await addSecond();
    await console.daemon.admin.must("POST", `/admin/webhooks/${id}/disable`);
    await console.pay(ether);
    await console.world.receiver.waitForCount(1);
    const { page, complaints } = await console.asBusiness();
    const not = page.locator(".figure", { has: page.getByText("Not delivered", { exact: true }) });
    await not.getByRole("link", { name: "1", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
    await page.getByText("1 on this page").waitFor();
    await page.getByRole("row").getByText("Held", { exact: true }).waitFor();
    const chosen = (name: string) =>
      page.locator(".filters").getByLabel(name).locator("option:checked").textContent();
    expect(await chosen("Webhook")).toBe("Where each stands worst");
    expect(await chosen("Status")).toBe("Not delivered");
    // It is delivered at the first webhook, and its row is of the other.
    await console.daemon.admin.must("POST", `/admin/webhooks/${id}/enable`);
    console.world.receiver.forget();
    await page.locator(".row-link").first().click();
    await page.getByRole("complementary").getByRole("button", { name: "Send again" }).click();
    const paths = async () =>
      (await console.world.receiver.waitForCount(1)).map(({ path }) => path);
    expect(new Set(await paths())).toEqual(new Set([new URL(url).pathname]));
    expect(complaints).toEqual([]);
  });

  it("recovers at each webhook what the list of all of them shows", async () => {
    const { id } = await addSecond();
    const { id: first } = await console.customer.api.get("/webhooks");
    for (const one of [String(first), id]) await giveUpAt(one);
    const { page, complaints } = await console.asBusiness();
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    const filter = page.locator(".filters").getByLabel("Webhook");
    await filter.selectOption({ label: "Where each stands worst" });
    await page.getByText("1 on this page").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Recover" }).click();
    await page.getByRole("button", { name: "Queue 2 again" }).click();
    await page.getByText("2 notifications are queued again.").waitFor();
    const requests = await console.world.receiver.waitForCount(2);
    expect(requests.map(({ path }) => path).toSorted()).toEqual(["/hook", "/second"]);
    expect(complaints).toEqual([]);
  });

  it("groups what failed at another webhook by its cause, and sends it again there", async () => {
    const { id } = await addSecond();
    await giveUpAt(id);
    const { page } = await console.asBusiness();
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("button", { name: "Send these again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send 1 again" }).click();
    const [request] = await console.world.receiver.waitForCount(1);
    expect(request?.path).toBe("/second");
  });

  it("says that there is no first webhook, and counts what the others have got", async () => {
    const { url } = await addSecond();
    const { api, webhookId } = console.customer;
    await api.must("DELETE", `/webhooks/${webhookId}`);
    const { page, complaints } = await console.asBusiness();
    await page.getByText("There is no first webhook", { exact: false }).waitFor();
    await page.getByText("3 of 5").waitFor();
    await figure(page, "Delivered", "1 notifications in 24 hours");
    await page.getByRole("link", { name: "Webhooks", exact: true }).first().click();
    await page.getByText("There is no first webhook", { exact: false }).waitFor();
    await page.getByText(url, { exact: true }).waitFor();
    expect(await page.getByText("No webhook is registered").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says what a failing one has answered last, also where it is not the first", async () => {
    const { id, url } = await addSecond();
    const { databaseUrl, world } = console;
    world.receiver.answerAlways({ kind: "status", status: 503 });
    await console.pay(ether);
    // Not two requests: both may be to the first webhook.
    const isRecorded = async () => {
      const rows = await console.customer.api.get(`/notifications?webhook_id=${id}&status=waiting`);
      return rows.some((row: { last_attempt: unknown }) => row.last_attempt !== null);
    };
    await waitFor(isRecorded, { what: "the failure to be recorded", timeoutMs: 30_000 });
    await runSql(
      databaseUrl,
      `UPDATE webhook SET circuit_opened_at = now(), circuit_retry_at = now() + interval '1 hour' WHERE id = '${id}'`,
    );
    const { page } = await console.asBusiness();
    const banner = page.locator(".banner", { hasText: `The webhook ${url} keeps failing` });
    await banner.getByText("Last answer:", { exact: false }).waitFor();
  });

  it("calls no webhook active that refuses, and says its last answer once all is given up", async () => {
    const { customer, databaseUrl, world } = console;
    world.receiver.answerAlways({ kind: "status", status: 503 });
    await console.pay(ether);
    await world.receiver.waitForCount(1);
    const failures = async () => (await customer.api.get("/webhooks")).consecutive_failures;
    await waitForCount(failures, 1, { what: "the failure to be recorded", timeoutMs: 30_000 });
    await runSql(databaseUrl, "UPDATE delivery SET status = 'exhausted' WHERE status = 'waiting'");
    const { page } = await console.asBusiness();
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.locator(".badge", { hasText: /^Last (attempt|\d+ attempts) failed$/ }).waitFor();
    await page.getByText(/^Last answer:/).waitFor();
    expect(await page.locator(".badge", { hasText: "Active" }).count()).toBe(0);
  });
});
