import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";

const forms = ["JSON Lines", "CSV", "HTML", "Parquet"];

describe.skipIf(!hasBrowser)("signed statements and totals in the console, in a browser", () => {
  const console = oneConsole();

  beforeAll(async () => {
    await console.pay(3n * ether + 1n);
    await console.world.receiver.waitForCount(1);
  });

  const openStatements = async () => {
    const { page, complaints } = await console.asBusiness();
    await page.getByRole("link", { name: "Statements", exact: true }).click();
    return { page, complaints };
  };

  it("makes one of an asset, and gives it in each form with its digest and signature", async () => {
    const { page, complaints } = await openStatements();
    await page.getByText("No signed statement was given out").waitFor();
    await page.getByRole("button", { name: "Make a signed statement" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Asset").fill("ETH");
    await dialog.getByLabel("Time zone").fill("Europe/Zurich");
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Make a signed statement" }).click();
    const row = page.getByRole("table", { name: "Signed statements" }).locator("tbody tr");
    await row.getByText("Europe/Zurich").waitFor();
    await dialog.waitFor({ state: "detached" });

    const [made] = await console.customer.api.get("/statements/all");
    await row.getByTitle(made.digest).waitFor();
    await row.getByTitle(made.signature.value).waitFor();
    await row.getByText(made.signature.key_id).waitFor();
    await row.getByText("ETH", { exact: true }).waitFor();
    for (const name of forms) {
      const coming = page.waitForEvent("download");
      await row.getByRole("link", { name, exact: true }).click();
      const bytes = await readFile(await (await coming).path());
      expect([name, bytes.includes(made.digest)]).toEqual([name, true]);
    }
    expect(complaints).toEqual([]);
  });

  it("saves a wallet's month with the customer and the worth of each movement", async () => {
    const { page, complaints } = await openStatements();
    const wallet = page.getByLabel("Wallet");
    await wallet.fill("0x");
    await wallet.press("Enter");
    await page.getByRole("heading", { name: /^Statement of / }).waitFor();
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const saved = await readFile(await (await coming).path(), "utf8");
    expect(saved).toContain("tx_hash,from_address,to_address,id,reference,label,usd_value");
    expect(complaints).toEqual([]);
  });

  it("saves every movement of a month of which the page lists a part", async () => {
    const count = 20_600;
    await plantMarch(count);
    const { page, complaints } = await openStatements();
    await page.getByLabel("Wallet").fill("0x");
    await page.getByLabel("Wallet").press("Enter");
    await page.getByLabel("Month").fill("2025-03");
    await page.getByText("The export has all of them.").waitFor();
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const saved = await readFile(await (await coming).path(), "utf8");
    expect(saved.split("\r\n").filter((line) => line.includes(",deposit,"))).toHaveLength(count);
    expect(saved.split("\r\n")[1]).toBe('ETH,,"0.0000000000000206",0,0,,"3.000000000000000001"');
    await page.getByText("20,600 rows exported.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("saves every transaction that passes the filters, however many there are", async () => {
    const count = 50_600;
    await plantMarch(count);
    const { page, complaints } = await console.asBusiness();
    await page.goto(`${console.daemon.url}/console/transactions?to=2025-04-01`);
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const saved = await readFile(await (await coming).path(), "utf8");
    const [head, ...rows] = saved.trimEnd().split("\r\n");
    expect(head).toMatch(/^id,date,type,.*,reference,label,usd_value,fee,fee_asset$/);
    expect(new Set(rows.map((row) => row.split(",")[0])).size).toBe(count);
    await page.getByText("50,600 rows exported.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says why it makes none, and keeps what was written", async () => {
    const { page } = await openStatements();
    await page.getByRole("button", { name: "Make a signed statement" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Time zone").fill("Europe/Nowhere");
    await dialog.getByRole("button", { name: "Make a signed statement" }).click();
    await dialog.getByRole("alert").waitFor();
    expect(await dialog.getByLabel("Time zone").inputValue()).toBe("Europe/Nowhere");
  });

  it("adds up by type, and draws the days of the month with a table behind", async () => {
    const { page, complaints } = await openStatements();
    const month = new Date().toISOString().slice(0, 7);
    await page.getByRole("button", { name: "By type" }).click();
    await page
      .getByRole("table", { name: `By type, ${month}` })
      .getByRole("row", { name: /ETH.*Deposit.*3\.000000000000000001/ })
      .waitFor();
    await page.getByRole("button", { name: "By day" }).click();
    await page.getByRole("img", { name: `By day, ${month}, ETH` }).waitFor();
    await page.getByText("Show as a table").click();
    const behind = page.getByRole("table", { name: `By day, ${month}, ETH` });
    await behind.getByText("3.000000000000000001").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  /** Deposits of a minute of March 2025, for the time of the test. */
  async function plantMarch(count: number): Promise<void> {
    const march = new Date("2025-03-01T12:00:00Z");
    const begin = idAt(march.getTime()).slice(0, 24);
    // No block has these rows, so the ledger's check after this file would name them.
    onTestFinished(() =>
      runSql(console.databaseUrl, `DELETE FROM transaction WHERE id::text LIKE '${begin}%'`),
    );
    await runSql(
      console.databaseUrl,
      `
      INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
        tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal)
      SELECT ('${begin}' || lpad(to_hex(n), 12, '0'))::uuid, sha256(identity || n::text::bytea), chain_name,
        business_id, wallet_id, asset_id, type, direction, 1, status, tx_hash, from_address, to_address, block_number, block_hash,
        '${march.toISOString()}', ordinal
      FROM (SELECT * FROM transaction WHERE type = 'deposit' LIMIT 1) t, generate_series(1, ${count}) n`,
    );
  }
});
