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
    const isSilent = async () => {
      const endpoints: { silent_ms: number | null }[] = (await sidechain()).endpoints;
      return endpoints.every(({ silent_ms: ms }) => (ms ?? 0) > 9_000);
    };
    await waitFor(isSilent, { what: "both endpoints to time out", timeoutMs: 60_000 });
  });

  const task = tasksOf(() => console.asOperator());

  task(21, "which chain needs me, and why", async ({ page }) => {
    const row = page.getByRole("row", { name: /sidechain/ });
    await row.getByText("Needs attention").waitFor();
    await row.getByText(/No endpoint has answered for \d+ (s|min)\./).waitFor();
    await page.getByRole("row", { name: /anvil/ }).getByText("Following").waitFor();
  });

  task(22, "that both endpoints time out, and nothing is green", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "sidechain" }));
    const endpoints = panelOf(page).locator(".attempt");
    await endpoints.nth(1).waitFor();
    const errors = await panelOf(page).getByRole("figure").allTextContents();
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

  task(28, "adds wallets from a CSV, with one line mended", async ({ page, click, ...person }) => {
    const csvOf = (second: string) =>
      `blockchain,address,reference\nanvil,0x${"aa".repeat(20)},first\nanvil,${second},second`;
    await person.submit(page.getByRole("combobox", { name: "Search" }), "Acme");
    await click(panelOf(page).getByRole("button", { name: "Add wallets" }));
    const dialog = page.getByRole("dialog");
    await person.write(dialog.getByLabel("Or write it here"), csvOf("0x12"));
    expect(await dialog.getByRole("alert").textContent()).toBe(
      "Line 3: address: expected 0x and 40 hex digits",
    );
    const mended = csvOf(`0x${"bb".repeat(20)}`);
    await person.submit(dialog.getByLabel("Or write it here"), mended, "Control+Enter");
    await page.getByText("2 wallets are watched from the next block on.").waitFor();
  });

  task(29, "revokes a leaked key", async ({ page, click, submit }) => {
    await submit(page.getByRole("combobox", { name: "Search" }), "Acme");
    const row = panelOf(page).getByRole("row", { name: /till in Porto/ });
    await click(row.getByRole("button", { name: "Revoke" }));
    const typed = page.getByRole("dialog").getByLabel("Type till in Porto to confirm");
    await submit(typed, "till in Porto");
    await row.getByText("Revoked", { exact: true }).waitFor();
  });

  task(30, "who changed a webhook", async ({ page, click }) => {
    await click(page.getByRole("link", { name: "Outbox", exact: true }));
    const receivers = page.getByRole("table", { name: "Receivers" });
    await click(receivers.getByRole("link", { name: "Who changed it" }));
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

  task(23, "that the daemon is dead, and how old the page is", async ({ page }) => {
    await page.getByText("Live", { exact: true }).waitFor();
    const beganMs = Date.now();
    await console.daemon.stop();
    const banner = page.getByText(/^As of .* UTC, not live/);
    await banner.waitFor();
    const [, at = ""] = /^As of (.*) UTC/.exec((await banner.textContent()) ?? "") ?? [];
    const ageMs = Date.parse(`${at.replace(" ", "T")}Z`) - beganMs;
    expect(ageMs).toBeGreaterThan(-1_000);
    expect(ageMs).toBeLessThanOrEqual(Date.now() - beganMs);
  });
});
