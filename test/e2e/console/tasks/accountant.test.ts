import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { ether, payer } from "../../../support/chain/cast.ts";
import { deployToken, type TestToken } from "../../../support/chain/token.ts";
import { brokenNumbersOf } from "../../../support/console/broken-numbers.ts";
import { hasBrowser } from "../../../support/console/browser.ts";
import { oneConsole } from "../../../support/console/each-console.ts";
import { findViolations } from "../../../support/console/find-violations.ts";
import { runSql } from "../../../support/ledger/databases.ts";
import { deploymentOf } from "../../../support/process/deployment.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { cellsOf, panelOf, tasksOf } from "./person.ts";

const shop = ANVIL_ACCOUNTS[3];
const kiosk = `0x${"b0".repeat(20)}`;
const million = 1_000_000n;
/** The width of A4 between margins of 12 mm, at 96 pixels an inch. */
const paperWidth = 703;

describe.skipIf(!hasBrowser)("tasks of an accountant, in a browser", () => {
  let usdc: TestToken;
  let unpriced: TestToken;
  const console = oneConsole({
    anvil: { args: ["--timestamp", String(Date.UTC(2025, 8, 20) / 1000)] },
    deploy: async ({ anvil, database, receiver, redisUrl }) => {
      usdc = await deployToken(anvil);
      unpriced = await deployToken(anvil);
      const tokens = [
        { ...usdc.asset, code: "USDC", price: { usd: 1 } },
        { ...unpriced.asset, code: "TKT" },
      ];
      return deploymentOf({
        databaseUrl: database.url,
        redisUrl,
        chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 1, tokens }],
        receiverPorts: [receiver.port],
      });
    },
  });
  let credits: string;

  beforeAll(async () => {
    const { anvil } = console.world;
    const { api, businessId, webhookId } = console.customer;
    // Nobody is to be notified of six hundred payments.
    await api.must("DELETE", `/webhooks/${webhookId}`);
    await console.daemon.admin.post(`/admin/businesses/${businessId}/wallets`, {
      wallets: [
        {
          blockchain: "anvil",
          address: shop,
          label: "Shop in Lisbon",
          reference: "customer-17",
        },
        { blockchain: "anvil", address: kiosk, label: "Kiosk" },
      ],
    });
    await anvil.mine(2);
    const at = (day: string) => anvil.setNextBlockTimestamp(Date.parse(`${day}T12:00:00Z`) / 1000);
    const pay = (to: string, amountAtomic: bigint) =>
      anvil.sendNative({ from: payer, to, amountAtomic });
    await at("2025-09-25");
    const first = await pay(shop, 4n * ether);
    await at("2025-10-03");
    const second = await usdc.mint(shop, 1_250_500_000n);
    await at("2025-10-10");
    await pay(shop, (9n * ether) / 4n);
    await at("2025-10-20");
    const gasPrice = `0x${(2_000_000_000).toString(16)}`;
    await anvil.send({ from: shop, to: payer, value: `0x${ether.toString(16)}`, gasPrice });
    await at("2025-10-21");
    await usdc.mint(kiosk, 300n * million);
    await usdc.mint(kiosk, 49_500_000n);
    await unpriced.mint(shop, 7n * million);
    await at("2025-11-02");
    // A node traces each transaction from the beginning of its block: small blocks are read sooner.
    for (let block = 0; block < 13; block++) await payMany(46);
    await anvil.setNextBlockTimestamp(Math.floor(Date.now() / 1000));
    await pay(shop, ether / 2n);
    await newestIs("completed");
    await anvil.reorg(1);
    await anvil.mine(2);
    await newestIs("reversed");
    const now = new Date().toISOString();
    credits = [
      "tx_hash,address,asset,amount,reference,credited_at",
      `${first},${shop},ETH,4,credit-1,${now}`,
      `0x${"00".repeat(32)},${shop},ETH,9,credit-2,${now}`,
      `${second},${shop},USDC,1250500000,credit-3,${now}`,
    ].join("\n");
  });

  /** Pays the kiosk so many times, all in one block. */
  async function payMany(count: number) {
    const { anvil } = console.world;
    const nonce = Number(await anvil.rpc<string>("eth_getTransactionCount", payer, "latest"));
    await anvil.setAutomine(false);
    const paid = Array.from({ length: count }, (_, place) => ({
      method: "eth_sendTransaction",
      params: [
        {
          from: payer,
          to: kiosk,
          value: "0x1",
          gas: "0x5208",
          nonce: `0x${(nonce + place).toString(16)}`,
        },
      ],
    }));
    await anvil.batch(paid);
    await anvil.mine(1);
    await anvil.setAutomine(true);
  }

  async function newestIs(status: string) {
    const isSo = async () => {
      const [newest] = await console.customer.api.get("/transactions?limit=1");
      if (newest.amount === "0.5" && newest.status === status) return true;
      throw new Error(`It is of ${newest.amount} and ${newest.status}.`);
    };
    await waitFor(isSo, { what: `the newest to be ${status}`, timeoutMs: 30_000 });
  }

  const task = tasksOf(() => console.asBusiness());

  type Acts = Parameters<Parameters<typeof task>[2]>[0];

  /** Three steps. */
  async function openOctober({ page, click, submit, write }: Acts): Promise<Locator> {
    await click(page.getByRole("link", { name: "Statements", exact: true }));
    const wallet = page.getByLabel("Wallet");
    await submit(wallet, "shop in lis");
    await write(page.getByLabel("Month"), "2025-10");
    await page.getByRole("heading", { name: "Statement of 2025-10" }).waitFor();
    return page.getByRole("table", { name: "Statement" });
  }

  task(11, "October's opening, movements and closing", async (person) => {
    const rows = await cellsOf(await openOctober(person));
    expect(rows.toSorted()).toEqual([
      ["ETH", "10,004", "2.25", "1", "0.000042", "–", "10,005.249958"],
      ["TKT", "0", "7", "0", "0", "–", "7"],
      ["USDC", "0", "1,250.5", "0", "0", "–", "1,250.5"],
    ]);
  });

  /** Two steps; answers the lines of the file. */
  async function exported({ page, click }: Acts): Promise<string[]> {
    await click(page.getByRole("link", { name: "Transactions", exact: true }));
    const saving = page.waitForEvent("download");
    await click(page.getByRole("button", { name: "Export" }));
    const saved = await readFile(await (await saving).path(), "utf8");
    return saved.trimEnd().split("\r\n");
  }

  task(12, "all 606 rows, counted", async (person) => {
    const [, ...rows] = await exported(person);
    await person.page.getByText("606 rows exported.").waitFor();
    expect(rows).toHaveLength(606);
  });

  task(13, "an export with the reference, the fee and USD", async (person) => {
    const [head, ...rows] = await exported(person);
    expect(head).toMatch(/,reference,label,usd_value,fee,fee_asset$/);
    const withdrawal = rows.find((row) => row.includes(",withdrawal,"));
    expect(withdrawal).toMatch(/,customer-17,Shop in Lisbon,2000,0\.000042,ETH$/);
  });

  /** Four steps; answers the only line of the verdict. */
  async function comparedBy({ page, click, write, choose }: Acts, verdict: string) {
    await click(page.getByRole("link", { name: "Own credits", exact: true }));
    await write(page.getByLabel("Your credits as CSV"), credits);
    await click(page.getByRole("button", { name: "Compare" }));
    await choose(page.getByLabel("Verdict"), verdict);
    await page.getByText("1 on this page").waitFor();
    const [line = []] = await cellsOf(page.getByRole("table", { name: "Own credits" }));
    return line;
  }

  task(14, "what is credited and was not received", async (person) => {
    expect(await comparedBy(person, "Credited, not received")).toEqual([
      "credit-2",
      "Credited, not received",
      "9 ETH",
      "–",
      "The ledger has no transaction of yours with this id or hash." +
        "Look for a typing error or another environment. If there is none, take the credit back.",
    ]);
  });

  task(15, "a deposit that was reversed after it was completed", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "Show", exact: true }));
    await click(page.getByRole("link", { name: /\+0\.5 ETH.*customer-17/ }));
    await panelOf(page)
      .getByText("It was completed and is no longer on the chain.", { exact: false })
      .waitFor();
  });

  task(16, "the entries without a price", async (person) => {
    await openOctober(person);
    const card = sectionOf(person.page, "Without a price: 1");
    expect(await card.locator(".row-link .amount").allTextContents()).toEqual(["+7 TKT"]);
  });

  task(17, "USDC by label", async ({ page, click, write }) => {
    await click(page.getByRole("link", { name: "Statements", exact: true }));
    await write(page.getByLabel("Month"), "2025-10");
    const table = page.getByRole("table", { name: "By label, 2025-10" });
    await table.waitFor();
    const rows = (await cellsOf(table)).filter(([asset]) => asset?.startsWith("USDC") === true);
    expect(rows.toSorted()).toEqual([
      ["USDC1 completed", "Shop in Lisbon", "1,250.51,250.50 USD", "0"],
      ["USDC2 completed", "Kiosk", "349.5349.50 USD", "0"],
    ]);
  });

  task(18, "a difference's cause and remedy", async (person) => {
    const line = await comparedBy(person, "Another amount");
    expect(line.slice(2)).toEqual([
      "1,250,500,000 USDC",
      "1,250.5 USDC",
      "The amounts differ by a power of ten: one was read with other decimals." +
        "Correct the credit. Take the decimal amount of the notification as it is.",
    ]);
  });

  task(20, "what blocks the close of this month", async ({ page, click }) => {
    await runSql(
      console.databaseUrl,
      `INSERT INTO discrepancy (wallet_id, asset_id, chain_name, at_number, ledger_amount, chain_amount, seen_at)
      SELECT w.id, a.id, 'anvil', 9, 1250500000, 1250000000, now() FROM wallet w, asset a
      WHERE w.label = 'Shop in Lisbon' AND a.code = 'USDC'`,
    );
    await click(page.getByRole("link", { name: "Statements", exact: true }));
    const month = new Date().toISOString().slice(0, 7);
    const table = page.getByRole("table", { name: `What blocks the close of ${month}` });
    await table.waitFor();
    expect(await cellsOf(table)).toEqual([
      [
        "The ledger and anvil differ in USDC" +
          "The ledger has 1,250.5 USDC at block 9, the chain 1,250.",
        "Ask your operator to compare again, and to explain the difference.",
        "Show the wallet",
      ],
      [
        "anvil has not confirmed the end of the month",
        "Wait until the chain has confirmed it.",
        "",
      ],
    ]);
  });

  task(19, "a statement on A4, its numbers whole", async (person) => {
    const { page } = person;
    const statement = await openOctober(person);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: paperWidth, height: 1000 });
    expect(await page.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(false);
    expect(await page.getByRole("combobox", { name: "Search" }).isVisible()).toBe(false);
    expect(await page.getByRole("button", { name: "Export" }).isVisible()).toBe(false);
    const heads = await statement.getByRole("columnheader").allTextContents();
    expect(heads).toEqual(["Asset", "Before", "In", "Out", "Fees", "Other", "After"]);
    for (const head of await statement.getByRole("columnheader").all())
      expect(await head.isVisible()).toBe(true);
    const tooFar = await page
      .locator(".amount")
      .evaluateAll(
        (amounts, most) => amounts.filter((one) => one.getBoundingClientRect().right > most).length,
        paperWidth,
      );
    expect(tooFar).toBe(0);
    expect(await brokenNumbersOf(page)).toEqual([]);
  });

  it("beyond the tasks: the keyboard stays at the end of a long list", async () => {
    const { page } = await console.asBusiness();
    await page.getByRole("link", { name: "Statements", exact: true }).click();
    await page.getByLabel("Wallet").fill("kiosk");
    await page.getByLabel("Wallet").press("Enter");
    await page.getByLabel("Month").fill("2025-11");
    const older = page.getByRole("button", { name: "Older" });
    await older.focus();
    for (const first of ["201", "401"]) {
      await page.keyboard.press("Enter");
      await page.getByText(new RegExp(`^${first} to`)).waitFor();
    }
    await page.keyboard.press("Enter");
    expect(await older.evaluate((button) => button.matches(":focus"))).toBe(true);
    expect(await older.getAttribute("aria-disabled")).toBe("true");
    expect(await findViolations(page)).toEqual([]);
  });
});

function sectionOf(page: Page, title: string): Locator {
  return page.locator("section", { has: page.getByRole("heading", { name: title }) });
}
