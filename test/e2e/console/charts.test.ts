import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ether } from "../../support/chain/cast.ts";
import { hasBrowser } from "../../support/console/browser.ts";
import { oneConsole } from "../../support/console/each-console.ts";
import { findViolations } from "../../support/console/find-violations.ts";
import { runSql } from "../../support/ledger/databases.ts";

describe.skipIf(!hasBrowser)("the charts of the console and the tables behind them", () => {
  const console = oneConsole();

  beforeAll(async () => {
    await console.pay(3n * ether + 1n);
    await console.pay(ether / 4n);
    await console.world.receiver.waitForCount(2);
    await runSql(
      console.databaseUrl,
      `INSERT INTO chain (name, evm_chain_id) VALUES ('polygon', 137);
      INSERT INTO chain_lag (chain_name, at, seconds)
      SELECT c.name, date_trunc('hour', now()) - interval '10 minutes' * n, 100 * n + length(c.name)
      FROM (VALUES ('anvil'), ('polygon')) c (name), generate_series(2, 4) n
      WHERE c.name = 'anvil' OR n <> 3;
      INSERT INTO endpoint_sample (chain_name, at, name, latency_ms, failures)
      SELECT 'anvil', date_bin('10 minutes', now(), 'epoch') - interval '1 hour' + interval '10 minutes' * n, 'planted',
        9000 + n, 10 * n
      FROM generate_series(0, 2) n;
      INSERT INTO outbox_sample (at, waiting, held)
      SELECT date_bin('10 minutes', now(), 'epoch') - interval '1 hour' + interval '10 minutes' * n, 1000 + n, 7
      FROM generate_series(0, 2) n;
      INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, status_code, error_kind)
      SELECT d.id, d.webhook_id, 100 + n, date_trunc('hour', now(), 'UTC') - interval '3 hours', n * 10,
        CASE WHEN n < 19 THEN 204 END, CASE WHEN n >= 19 THEN 'timeout' END
      FROM (SELECT * FROM delivery ORDER BY id LIMIT 1) d, generate_series(0, 20) n`,
    );
  });

  const tableOf = async (page: Page, label: string) => {
    const figure = page.locator("figure", { has: page.getByRole("img", { name: label }) });
    await figure.getByText("Show as a table").click();
    const rows = await figure.locator("tbody tr").all();
    return Promise.all(rows.map((row) => row.locator("td").allTextContents()));
  };

  it("shows what was deposited each day of one asset, to the last digit", async () => {
    const { page, complaints } = await console.asBusiness();
    const rows = await tableOf(page, "Deposits a day, in ETH");
    expect(rows).toHaveLength(30);
    const amounts = rows.map(([, amount]) => amount).filter((amount) => amount !== "0");
    // Midnight may have come between the two.
    expect(["3.250000000000000001", "3.000000000000000001, 0.25"]).toContain(amounts.join(", "));
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows how long receivers took in each hour, and how many attempts failed", async () => {
    const { page, complaints } = await console.asOperator();
    await page.getByRole("link", { name: "Outbox", exact: true }).click();
    const [[, ...times] = []] = await tableOf(page, "Answer times of receivers by hour, in ms");
    expect(times).toEqual(["100", "190"]);
    const [[, ...attempts] = []] = await tableOf(page, "Attempts by hour");
    expect(attempts).toEqual(["19", "2"]);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows how much waited, and how the endpoints of a chain answered and failed", async () => {
    const { page, complaints } = await console.asOperator();
    await page.getByRole("link", { name: "Outbox", exact: true }).click();
    const waited = await tableOf(page, "Deliveries that waited, the most of every ten minutes");
    expect(waited.slice(0, 3).map(([, ...row]) => row)).toEqual([
      ["1000", "7"],
      ["1001", "7"],
      ["1002", "7"],
    ]);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Chains", exact: true }).click();
    await page.getByRole("link", { name: "anvil" }).click();
    const planted = async (label: string) => {
      const rows = await tableOf(page, label);
      return rows.slice(0, 3).map((row) => row.at(-1));
    };
    const ofAnvil = "endpoints of anvil";
    expect(await planted(`Answer times of the ${ofAnvil}`)).toEqual(["9000", "9001", "9002"]);
    expect(await planted(`Failed requests to the ${ofAnvil}`)).toEqual(["0", "10", "10"]);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows the lag of every chain, and nothing where nothing is known", async () => {
    const { page, complaints } = await console.asOperator();
    await page.getByRole("link", { name: "Chains", exact: true }).click();
    const rows = await tableOf(page, "Seconds that each chain was behind its head");
    const planted = rows.map(([, ...lags]) => lags).filter(([lag]) => Number(lag) > 100);
    expect(planted).toEqual([
      ["405", "407"],
      ["305", "–"],
      ["205", "207"],
    ]);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
