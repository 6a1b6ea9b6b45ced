import { beforeAll, describe, expect } from "vitest";
import { startAnvil } from "../../../support/chain/anvil.ts";
import { ether } from "../../../support/chain/cast.ts";
import { startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { hasBrowser } from "../../../support/console/browser.ts";
import { oneConsole } from "../../../support/console/each-console.ts";
import { allTests } from "../../../support/each-test.ts";
import { runSql } from "../../../support/ledger/databases.ts";
import { deploymentOf } from "../../../support/process/deployment.ts";
import { createResources } from "../../../support/resources.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { cellsOf, panelOf, tasksOf } from "./person.ts";
import { plantGivenUp } from "./planted.ts";

/** A chain behind two endpoints that can be made to hang. */
async function startOther() {
  const { open, end } = createResources();
  const anvil = await open(startAnvil({ args: ["--chain-id", "31338"] }), (one) => one.stop());
  const first = await open(startRpcProxy(anvil.rpcUrl), (one) => one.stop());
  const second = await open(startRpcProxy(anvil.rpcUrl), (one) => one.stop());
  return {
    urls: [first.url, second.url] as const,
    hang: () => {
      for (const proxy of [first, second]) proxy.misbehave(() => "hang");
    },
    end,
  };
}

describe.skipIf(!hasBrowser)("tasks of an operator, in a browser", () => {
  const other = allTests(startOther, (one) => one.end());
  const console = oneConsole({
    deploy: async ({ anvil, database, receiver, redisUrl }) => {
      const [rpcUrl, otherRpcUrl] = other.urls;
      return deploymentOf({
        databaseUrl: database.url,
        redisUrl,
        chains: [
          { name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 1 },
          {
            name: "sidechain",
            rpcUrl,
            otherRpcUrls: [otherRpcUrl],
            chainId: 31_338,
            confirmations: 1,
          },
        ],
        receiverPorts: [receiver.port],
      });
    },
  });
  let paidHash: string;

  const sidechain = async () => {
    const { chains } = await console.daemon.admin.get("/admin/status");
    return chains.find(({ name }: { name: string }) => name === "sidechain");
  };

  beforeAll(async () => {
    const { daemon, customer, world } = console;
    await waitFor(async () => (await sidechain()).position !== null, {
      what: "the side chain to be followed",
      timeoutMs: 30_000,
    });
    other.hang();
    await runSql(console.databaseUrl, "UPDATE wallet SET reference = 'customer-17'");
    paidHash = await console.pay(2n * ether + 5n);
    await world.receiver.waitForCount(1);
    await daemon.admin.post(`/admin/businesses/${customer.businessId}/api-keys`, {
      label: "till in Porto",
    });
    await daemon.admin.must("PATCH", `/admin/webhooks/${customer.webhookId}`, { rate: 5 });
    await plantGivenUp(
      console.databaseUrl,
      [1, 2, 3].map((n) => ({
        at: new Date(Date.now() - n * 3_600_000).toISOString(),
        body: JSON.stringify({ n }),
      })),
    );
    await plantFailures();
    await plantCosts();
    const isSilent = async () => {
      const endpoints: { silent_ms: number | null }[] = (await sidechain()).endpoints;
      return endpoints.every(({ silent_ms: ms }) => (ms ?? 0) > 9_000);
    };
    await waitFor(isSilent, { what: "both endpoints to time out", timeoutMs: 60_000 });
  });

  /** Two attempts that timed out at the customer's webhook, and three that another one refused. */
  async function plantFailures() {
    const { api, webhookId } = console.customer;
    const { id } = await api.post("/webhooks", {
      url: `${console.world.receiver.url}/till`,
      additional: true,
    });
    const plant = (to: string, result: string, count: number) =>
      runSql(
        console.databaseUrl,
        `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, status_code, error_kind, response)
        SELECT (SELECT id FROM delivery WHERE status = 'exhausted' ORDER BY id LIMIT 1), '${to}', n.number + 100 * ${count},
          now() - interval '1 minute' * (10 - n.number), 20, ${result} FROM generate_series(1, ${count}) AS n (number)`,
      );
    await plant(webhookId, "NULL, 'timeout', NULL", 2);
    await plant(id, "503, NULL, 'no worker ' || n.number || ' is free'", 3);
  }

  /** A chain whose endpoints are of a provider, and whose watcher reported twelve hours of them. */
  const plantCosts = () =>
    runSql(
      console.databaseUrl,
      `INSERT INTO chain (name, evm_chain_id) VALUES ('polygon', 137);
      INSERT INTO chain_reading (chain_name, reading, told_at)
      SELECT 'polygon', r.reading || jsonb_build_object('endpoints', jsonb_build_array(
        r.reading #> '{endpoints,0}' || '{"name": "polygon-mainnet.g.alchemy.com", "calls": 9000, "callsHours": 12, "charged": {"units": 90000, "unit": "CU"}}',
        r.reading #> '{endpoints,0}' || '{"name": "eth-mainnet.g.alchemy.com", "calls": 4000, "callsHours": 12, "charged": {"units": 155000, "unit": "CU"}}'
      )), now() FROM chain_reading r WHERE r.chain_name = 'anvil'`,
    );

  const task = tasksOf(() => console.asOperator());

  task(21, "which chain needs me, and why", async ({ page, click }) => {
    const need = page.getByRole("row", { name: /No endpoint of sidechain has answered/ });
    await need.getByText("Critical", { exact: true }).waitFor();
    await click(page.getByRole("link", { name: "Chains", exact: true }));
    const row = page.getByRole("row", { name: /sidechain/ });
    await row.getByText("Needs attention").waitFor();
    await row.getByText(/No endpoint of sidechain has answered for \d+\s(s|min)\./).waitFor();
    await page.getByRole("row", { name: /anvil/ }).getByText("Following").waitFor();
  });

  task(22, "that both endpoints time out, and nothing is green", async ({ page, click }) => {
    const need = page.getByRole("row", { name: /No endpoint of sidechain has answered/ });
    await click(need.getByRole("link", { name: "Show the chain" }));
    const endpoints = panelOf(page).locator(".attempt");
    await endpoints.nth(1).waitFor();
    const errors = await endpoints.getByRole("figure").allTextContents();
    expect(errors).toEqual(["it took too long", "it took too long"]);
    expect(await endpoints.locator(".tone-good").count()).toBe(0);
    const row = page.getByRole("row", { name: /sidechain/ });
    expect(await row.locator(".tone-good").count()).toBe(0);
  });

  task(24, "of a hash: whose money it is, and that it was delivered", async (person) => {
    const { page } = person;
    await person.submit(page.getByRole("combobox", { name: "Search" }), paidHash);
    await panelOf(page).getByText("+2.000000000000000005 ETH").waitFor();
    await panelOf(page).getByRole("link", { name: "Acme", exact: true }).waitFor();
    await panelOf(page).getByText("customer-17", { exact: true }).waitFor();
    await panelOf(page).locator(".step-done", { hasText: "Delivered" }).waitFor();
  });

  task(25, "the worst receiver, and its last answer", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "Outbox", exact: true }));
    const table = page.getByRole("table", { name: "Failures, by cause" });
    await table.waitFor();
    const rows = await cellsOf(table);
    const till = `${console.world.receiver.url}/tillAcme`;
    expect(rows.map(([url, cause, failed]) => [url, cause, failed])).toEqual([
      [till, "503", "3"],
      [`${console.world.receiver.url}Acme`, "Timed out", "2"],
    ]);
    expect(rows[0]?.[3]).toMatch(/^no worker 3 is free/);
    await click(table.getByRole("link", { name: "Show its attempts" }).first());
    const answer = panelOf(page).getByRole("figure", { name: "The receiver's answer" });
    expect(await answer.first().textContent()).toBe("no worker 3 is free");
  });

  task(26, "sends exactly the three again that were given up", async (person) => {
    const { page, click } = person;
    const { receiver } = console.world;
    receiver.forget();
    await click(page.getByRole("link", { name: "Deliveries", exact: true }));
    await person.choose(page.getByLabel("Status"), "Given up");
    await page.getByText("3 on this page").waitFor();
    await click(page.getByRole("button", { name: "Send these again" }));
    await click(page.getByRole("button", { name: "Send 3 again" }));
    await page.getByText("3 notifications are sent again now.").waitFor();
    const sent = await receiver.waitForCount(3);
    const numbers = sent.map(({ rawBody }) => JSON.parse(rawBody.toString()).n);
    expect(numbers.toSorted()).toEqual([1, 2, 3]);
  });

  task(27, "the dearest endpoint of today", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "Chains", exact: true }));
    const table = page.getByRole("table", { name: "Endpoints, the dearest first" });
    await table.waitFor();
    const rows = (await cellsOf(table)).map((cells) => cells.slice(0, 3));
    expect(rows.slice(0, 2)).toEqual([
      ["eth-mainnet.g.alchemy.compolygon", "about 310,000 CU a day", "8,000"],
      ["polygon-mainnet.g.alchemy.compolygon", "about 180,000 CU a day", "18,000"],
    ]);
    expect(rows.slice(2).map(([, cost]) => cost)).toEqual(["not known", "not known", "not known"]);
  });

  task(28, "adds wallets from a CSV, with one line mended", async ({ page, click, ...person }) => {
    const csvOf = (second: string) =>
      `blockchain,address,reference\nanvil,0x${"aa".repeat(20)},first\nanvil,${second},second`;
    await person.submit(page.getByRole("combobox", { name: "Search" }), "Acme");
    await click(panelOf(page).getByRole("button", { name: "Add wallets" }));
    const dialog = page.getByRole("dialog");
    await person.write(dialog.getByLabel("Or write it here"), csvOf("0x12"));
    expect(await dialog.getByRole("alert").textContent()).toBe(
      "Line 3: address must be 0x and 40 hex digits.",
    );
    const mended = csvOf(`0x${"bb".repeat(20)}`);
    await person.submit(dialog.getByLabel("Or write it here"), mended, "Control+Enter");
    await page.getByText("2 wallets are watched from the next block on.").waitFor();
  });

  task(29, "revokes a leaked key", async ({ page, click, submit }) => {
    await submit(page.getByRole("combobox", { name: "Search" }), "Acme");
    await click(panelOf(page).getByRole("tab", { name: "API keys" }));
    const row = panelOf(page).getByRole("row", { name: /till in Porto/ });
    await click(row.getByRole("button", { name: "Revoke" }));
    const typed = page.getByRole("dialog").getByLabel("Type till in Porto to confirm");
    await submit(typed, "till in Porto");
    await row.getByText("Revoked", { exact: true }).waitFor();
  });

  task(30, "who changed a webhook", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "Outbox", exact: true }));
    const receivers = page.getByRole("table", { name: "Receivers" });
    const row = receivers.getByRole("row").filter({ hasNotText: "/till" });
    await click(row.getByRole("link", { name: "Who changed it" }));
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    const table = page.getByRole("table", { name: "Audit" });
    await table.waitFor();
    const [[action, actor, details] = []] = await cellsOf(table);
    expect([action, actor, details]).toEqual([
      expect.stringContaining("webhook.change"),
      expect.stringMatching(/^testover HTTP/),
      expect.stringContaining("rate5"),
    ]);
  });

  task(23, "that the daemon is dead, and how old the page is", async ({ page, click }) => {
    await page.getByText("Live", { exact: true }).waitFor();
    await click(page.getByRole("link", { name: "Chains", exact: true }));
    const following = page.getByText("Following", { exact: true });
    const colour = () => following.evaluate((badge) => getComputedStyle(badge).color);
    const green = await colour();
    const beganMs = Date.now();
    await console.daemon.stop();
    const banner = page.getByText(/^As of .* UTC, not live/);
    await banner.waitFor();
    const [, at = ""] = /^As of (.*) UTC/.exec((await banner.textContent()) ?? "") ?? [];
    const ageMs = Date.parse(`${at.replace(" ", "T")}Z`) - beganMs;
    expect(ageMs).toBeGreaterThan(-1_000);
    expect(ageMs).toBeLessThanOrEqual(Date.now() - beganMs);
    // Nobody knows whether the daemon still follows the chain.
    expect(await colour()).not.toBe(green);
  });
});
