import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect } from "vitest";
import { ether, payer } from "../../../support/chain/cast.ts";
import { deployToken } from "../../../support/chain/token.ts";
import { hasBrowser } from "../../../support/console/browser.ts";
import { oneConsole } from "../../../support/console/each-console.ts";
import { untilOnRecord } from "../../../support/delivery/until-on-record.ts";
import { runSql } from "../../../support/ledger/databases.ts";
import { deploymentOf } from "../../../support/process/deployment.ts";
import { panelOf, tasksOf } from "./person.ts";
import { plantGivenUp } from "./planted.ts";

const dayMs = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const todayMs = Math.floor(Date.now() / dayMs) * dayMs;
/** The beginning of this week, a Monday in UTC. */
const weekMs = todayMs - ((new Date(todayMs).getUTCDay() + 6) % 7) * dayMs;
const yesterday = dayOf(todayMs - dayMs);

const customer17 = `0x${"17".repeat(20)}`;
const customer18 = `0x${"18".repeat(20)}`;
const milliether = ether / 1000n;

describe.skipIf(!hasBrowser)("tasks of a developer, in a browser", () => {
  const console = oneConsole({
    anvil: { args: ["--timestamp", String((weekMs - 3 * dayMs) / 1000)] },
    deploy: async ({ anvil, database, receiver, redisUrl }) => {
      const { address } = await deployToken(anvil);
      const tokens = [{ code: "USDC", address, decimals: 6, price: { usd: 1 } }];
      return deploymentOf({
        databaseUrl: database.url,
        redisUrl,
        chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 3, tokens }],
        receiverPorts: [receiver.port],
        // The second attempt is after the tests.
        scheduleMs: [0, 3_600_000],
      });
    },
  });
  /** The deposit of this week whose hash is sought. */
  let soughtHash: string;

  beforeAll(async () => {
    const { anvil, receiver } = console.world;
    const { businessId } = console.customer;
    const wallets = Object.entries({ [customer17]: "customer-17", [customer18]: "customer-18" });
    await console.daemon.admin.post(`/admin/businesses/${businessId}/wallets`, {
      wallets: wallets.map(([address, reference]) => ({ blockchain: "anvil", address, reference })),
    });
    await anvil.mine(4);
    const pay = (to: string, amountAtomic: bigint) =>
      anvil.sendNative({ from: payer, to, amountAtomic });
    await anvil.setNextBlockTimestamp((weekMs - dayMs) / 1000);
    await pay(customer17, 5n * ether);
    await anvil.setNextBlockTimestamp(Math.max(weekMs / 1000, Math.floor(Date.now() / 1000) - 60));
    await pay(customer17, 250n * milliether);
    soughtHash = await pay(customer17, 1500n * milliether);
    await anvil.mine(3);
    await receiver.waitForCount(3);
    receiver.answerStatuses(503);
    await pay(customer18, 2n * ether);
    await anvil.mine(3);
    await untilOnRecord(console.customer, 4);
    await pay(customer18, 750n * milliether);
    await plantOutcomes();
  });

  /** What no test can wait for: older time-outs, and a receiver's answer. */
  async function plantOutcomes() {
    const given = ["13:55:00", "14:05:00", "14:20:00"].map((time, place) => ({
      at: `${yesterday}T${time}Z`,
      body: JSON.stringify({ n: place + 1 }),
    }));
    await plantGivenUp(console.databaseUrl, given);
    // Given up in the same hours, and no time-out.
    await plantGivenUp(console.databaseUrl, [
      { at: `${yesterday}T14:10:00Z`, body: JSON.stringify({ n: 4 }) },
    ]);
    await runSql(
      console.databaseUrl,
      `UPDATE attempt SET status_code = 500, error_kind = NULL WHERE delivery_id IN (
        SELECT d.id FROM delivery d JOIN notification n ON n.id = d.notification_id WHERE n.body = '{"n":4}')`,
    );
    await runSql(
      console.databaseUrl,
      `UPDATE attempt SET status_code = 503, error_kind = NULL, response = 'no worker is free'
      WHERE delivery_id IN (SELECT id FROM delivery WHERE status = 'waiting')`,
    );
  }

  const task = tasksOf(() => console.asBusiness());

  task(1, "the deposits of customer-17 this week", async ({ page, click, write, ...person }) => {
    await person.submit(page.getByRole("combobox", { name: "Search" }), "customer-17");
    await click(panelOf(page).getByRole("link", { name: "Transactions" }));
    await write(page.getByLabel("From (UTC)"), `${dayOf(weekMs)}T00:00`);
    await person.choose(page.getByLabel("Type"), "Deposit");
    await page.getByText("2 on this page").waitFor();
    expect(await rowsOf(page, "Transactions")).toEqual(["+1.5 ETH", "+0.25 ETH"]);
  });

  task(2, "why a deposit is not credited", async ({ page, click }) => {
    await click(page.getByRole("link", { name: /\+0\.75 ETH.*customer-18/ }));
    await panelOf(page).getByText("1 of 3 confirmations").waitFor();
    await panelOf(page).locator(".step-todo", { hasText: "Notified" }).waitFor();
  });

  task(3, "why the last notification failed", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "Deliveries", exact: true }));
    await click(page.locator(".row-link").first());
    await panelOf(page).locator(".attempt", { hasText: "503" }).waitFor();
    const answer = panelOf(page).getByRole("figure", { name: "The receiver's answer" });
    expect(await answer.textContent()).toBe("no worker is free");
  });

  task(4, "whether an attempt's signature is right", async ({ page, click, write }) => {
    const sent = console.world.receiver.requests.find(({ rawBody }) => isNumber(rawBody, 4));
    await click(page.getByRole("link", { name: "Deliveries", exact: true }));
    await click(page.getByRole("link", { name: /No\. 4\b/ }));
    const header = String(sent?.headers["webhook-signature"]);
    await write(panelOf(page).getByLabel("webhook-signature"), header);
    await write(panelOf(page).getByLabel("Your signing secret"), console.customer.secret);
    await panelOf(page)
      .getByText("Right: the secret signed attempt 1 of this notification.")
      .waitFor();
    // Beyond the task: a signature of something else is wrong.
    await panelOf(page).getByLabel("webhook-signature").fill(header.replace(/,..../, ",AAAA"));
    await panelOf(page)
      .getByText(/^Wrong:/)
      .waitFor();
  });

  task(5, "what timed out since 14:00, and sends it again", async ({ page, click, write }) => {
    const { receiver } = console.world;
    receiver.forget();
    await click(page.getByRole("link", { name: "Deliveries", exact: true }));
    await write(page.getByLabel("From (UTC)"), `${yesterday}T14:00`);
    const causes = page.getByRole("table", { name: "Not delivered, by cause" });
    const row = causes.getByRole("row", { name: /Timed out 2/ });
    await click(row.getByRole("button", { name: "Send these again" }));
    await page.getByRole("dialog").getByText("Given up: 2").waitFor();
    await click(page.getByRole("button", { name: "Send 2 again" }));
    await page.getByText("2 notifications are sent again now.").waitFor();
    const sent = await receiver.waitForCount(2);
    const numbers = sent.map(({ rawBody }) => JSON.parse(rawBody.toString()).n);
    expect(numbers.toSorted()).toEqual([2, 3]);
  });

  task(6, "rotates a secret", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "Webhooks", exact: true }));
    await click(page.getByRole("button", { name: "Rotate secret" }));
    await click(page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }));
    const secret = await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .textContent();
    await click(page.getByRole("button", { name: "I have stored it" }));
    await page
      .getByRole("timer")
      .getByText(/^23:59:/)
      .waitFor();
    const { receiver } = console.world;
    receiver.forget();
    await console.customer.api.post(`/webhooks/${console.customer.webhookId}/test`);
    const [test] = await receiver.waitForCount(1);
    const headers = test?.headers as Record<string, string>;
    new Webhook(secret ?? "").verify(test?.rawBody ?? "", headers);
  });

  task(7, "adds a webhook for USDC above 1,000", async ({ page, click, write, submit }) => {
    const url = `${console.world.receiver.url}/usdc`;
    await click(page.getByRole("link", { name: "Webhooks", exact: true }));
    await click(page.getByRole("button", { name: "Add another" }));
    await write(page.getByRole("dialog").getByLabel("URL"), url);
    await submit(page.getByRole("dialog").getByLabel("Least amounts"), "USDC 1000");
    await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .waitFor();
    const [, added] = await console.customer.api.get("/webhooks/all");
    expect(added).toMatchObject({ url, filter: { min_amount: { USDC: "1000" } } });
  });

  task(8, "fills a hole in the sequence", async ({ page, click }) => {
    const { receiver } = console.world;
    await runSql(
      console.databaseUrl,
      `UPDATE delivery SET status = 'exhausted', delivered_at = NULL
      WHERE notification_id = (SELECT id FROM notification WHERE sequence = 2)`,
    );
    receiver.forget();
    await click(page.getByRole("link", { name: "Deliveries", exact: true }));
    await click(page.getByRole("link", { name: /No\. 2\b/ }));
    await panelOf(page).locator(".badge", { hasText: "Given up" }).waitFor();
    await click(panelOf(page).getByRole("button", { name: "Send again" }));
    await panelOf(page).locator(".badge", { hasText: "Delivered" }).waitFor();
    const [sent] = receiver.requests;
    expect(isNumber(sent?.rawBody, 2)).toBe(true);
  });

  task(9, "makes a read-only key for one network", async ({ page, click, submit }) => {
    await click(page.getByRole("link", { name: "API keys", exact: true }));
    await click(page.getByRole("button", { name: "Create key" }));
    const networks = page.getByRole("dialog").getByLabel("Only from these networks");
    await submit(networks, "203.0.113.0/24");
    await click(page.getByRole("button", { name: "I have stored it" }));
    const cell = page.getByRole("cell", { name: "203.0.113.0/24" });
    expect(await cell.textContent()).toBe("Read203.0.113.0/24");
  });

  task(10, "a transaction by its shortened hash", async ({ page, submit }) => {
    const shortened = `${soughtHash.slice(0, 8)}…${soughtHash.slice(-6)}`;
    await submit(page.getByRole("combobox", { name: "Search" }), shortened);
    await panelOf(page)
      .getByText(/^\+1\.5 ETH$/)
      .waitFor();
    await panelOf(page).getByText("customer-17", { exact: true }).waitFor();
  });
});

async function rowsOf(page: Page, table: string): Promise<string[]> {
  return page.getByRole("table", { name: table }).locator(".row-link .amount").allTextContents();
}

function isNumber(rawBody: Buffer | undefined, number: number): boolean {
  return JSON.parse(rawBody?.toString() ?? "{}").sequence === number;
}
