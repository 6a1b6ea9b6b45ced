import { expect, test } from "vitest";
import { readPrices } from "../../../src/ledger/balances/prices.ts";
import { readStatus } from "../../../src/ledger/chain/chain-status.ts";
import { readAuditWaiting } from "../../../src/ledger/installation/audit-waiting.ts";
import { readLiveness } from "../../../src/ledger/installation/read-liveness.ts";
import { readTableSizes, readVacuuming } from "../../../src/ledger/postgres/measures.ts";
import { readWebhookTrouble } from "../../../src/ledger/webhooks/failing-webhooks.ts";
import { readLines } from "../../../src/ledger/webhooks/lines.ts";
import { createMetrics } from "../../../src/metrics/metrics.ts";
import { insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";
import { moveChainTo } from "../../support/ledger/ledger-fixtures.ts";
import { registerWebhook } from "../../support/ledger/steps.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

const scrape = async () => (await api.get("/metrics", null)).body;

test("each scrape, the first one too, shows the ledger as it is then", async () => {
  await moveChainTo(api.db, "ethereum", 100n);
  expect(await scrape()).toContain('chainbell_chain_position{chain="ethereum"} 100\n');
  await moveChainTo(api.db, "ethereum", 101n);
  const next = await scrape();
  expect(next).toContain('chainbell_chain_position{chain="ethereum"} 101\n');
  expect(next).toContain("chainbell_ledger_up 1\n");
});

test("only counters are named as such, and what an alert counts is there before the first of it", async () => {
  const text = await scrape();
  expect(text.match(/^# TYPE \S+_total (?!counter).*/gm)).toBeNull();
  expect(text).toContain('chainbell_warnings_total{event="queue.error"} 0\n');
});

test("a webhook that fails is named by its id, and one that is deactivated is counted", async () => {
  const { db, businessId, clock } = api;
  const { businessId: other } = await insertStranger(api);
  const [failing = "", deactivated = ""] = await Promise.all(
    [businessId, other].map(async (owner) => {
      const registration = { businessId: owner, url: "https://a.example/", secretCiphertext: "x" };
      return (await registerWebhook(db, registration)).webhook.id;
    }),
  );
  const failingSince = new Date(clock.now() - 60_000);
  await db.webhook.update({ where: { id: failing }, data: { failingSince } });
  const ended = { failingSince, isActive: false };
  await db.webhook.update({ where: { id: deactivated }, data: ended });
  const text = await scrape();
  expect(text).toMatch(
    new RegExp(`^chainbell_webhook_failing_seconds.webhook="${failing}". 60`, "m"),
  );
  expect(text).toContain("chainbell_webhooks_deactivated 1\n");
  expect(text).not.toContain(deactivated);
});

test("scrapes at the same moment are each complete", async () => {
  const texts = await Promise.all(Array.from({ length: 5 }, scrape));
  for (const text of texts) expect(text).toContain('chainbell_chain_position{chain="ethereum"}');
});

test("many scrapes at the same moment read the ledger once", async () => {
  let readings = 0;
  const metrics = createMetrics({
    readLiveness: () => readLiveness(api.db),
    readWebhookTrouble: () => readWebhookTrouble(api.db),
    readStatus: async (nowMs) => {
      readings += 1;
      return readStatus(api.db, nowMs);
    },
    readTableSizes: () => readTableSizes(api.db),
    readPrices: () => readPrices(api.db),
    readAuditWaiting: () => readAuditWaiting(api.db),
    readVacuuming: () => readVacuuming(api.db),
    readLines: () => readLines(api.db),
    clock: api.clock,
  });
  const texts = await Promise.all(Array.from({ length: 20 }, () => metrics.text()));
  expect(readings).toBe(1);
  expect(new Set(texts).size).toBe(1);
  await metrics.text();
  expect(readings).toBe(2);
});

test("nobody makes them grow by asking for what there is not", async () => {
  await api.get("/balance", null);
  const routes = [
    "/balance",
    "/webhooks",
    "/admin/status",
    "/nothing",
    "/docs/static/x",
    "/health",
  ];
  const methods = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "LOCK"] as const;
  const ask = async () => {
    for (const method of methods) {
      for (const url of routes) {
        await api.web.inject({ method: method as "GET", url: `${url}?${Math.random()}` });
      }
    }
  };
  await ask();
  const before = await scrape();
  const series = before.split("\n").filter((line) => line.includes("request_seconds_count{"));
  for (const line of series.filter((one) => /status="4/.test(one)))
    expect(line).toContain('route="none"');
  await ask();
  // The process's own may grow: the first collection of a kind of garbage adds its series.
  const namesIn = (text: string) =>
    text
      .split("\n")
      .filter((line) => !line.startsWith("chainbell_nodejs_"))
      .map((line) => line.replace(/ \S+$/, ""));
  const known = new Set(namesIn(before));
  expect(namesIn(await scrape()).filter((name) => !known.has(name))).toEqual([]);
});
