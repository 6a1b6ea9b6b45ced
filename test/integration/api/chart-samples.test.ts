import { expect, test } from "vitest";
import { writeReading } from "../../../src/ledger/chain/chain-reading.ts";
import { noteLag, noteSamples } from "../../../src/ledger/chain/samples.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { plainReading } from "../../support/chain/reading.ts";
import { insertBusiness, insertDelivery } from "../../support/ledger/ledger-fixtures.ts";

const api = eachTestApi();

const day = 86_400_000;
const positionMs = Date.UTC(2026, 0, 1);

const lag = async (name = "ethereum") => (await api.admin("GET", `/chains/${name}/lag`)).json();

/** A head `behindMs` after the chain's position, seen now. */
const note = (behindMs: number) =>
  noteLag(api.db, "ethereum", {
    head: { number: 101n, timeMs: positionMs + behindMs, seenMs: positionMs },
    nowMs: positionMs,
  });

test("the most that a chain was behind is kept for each minute, and shown for the last day", async () => {
  await note(5_000);
  expect((await lag()).data).toEqual([]);
  const positionTime = new Date(positionMs);
  await api.db.chain.update({
    where: { name: "ethereum" },
    data: { positionNumber: 100n, positionHash: `0x${"a".repeat(64)}`, positionTime },
  });
  await noteLag(api.db, "ethereum", { head: null, nowMs: positionMs });
  expect((await lag()).data).toEqual([]);
  for (const behindMs of [5_000, 9_000, 2_000]) await note(behindMs);
  const kept = await api.db.chainLag.findMany();
  expect(Math.max(...kept.map(({ seconds }) => seconds))).toBe(9);

  const at = (ms: number) => new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000);
  const rows = [day / 2, 1.5 * day, 8 * day].map((ms, index) => ({
    chainName: "ethereum",
    at: at(ms),
    seconds: 20 + index,
  }));
  await api.db.chainLag.createMany({ data: rows });
  const { data } = await lag();
  const shown = data.map(({ seconds }: { seconds: number }) => seconds);
  expect([shown[0], Math.max(...shown.slice(1))]).toEqual([20, 9]);
  await note(1_000);
  expect(await api.db.chainLag.count({ where: { seconds: { gte: 20 } } })).toBe(2);
});

test("a chain that nobody knows has none", async () => {
  for (const what of ["lag", "endpoints"]) {
    const answer = await api.admin("GET", `/chains/nowhere/${what}`);
    expect(answer.json().error.code).toBe("chain_not_found");
  }
});

const endpoint = {
  name: "rpc.example",
  score: 1,
  failures: 3,
  lastError: null,
  head: null,
  latencyMs: 80,
  requestsPerSecond: null,
  concurrency: 1,
  calls: 9,
  callsHours: 1,
  charged: null,
};
const report = (latencyMs: number | null) =>
  writeReading(api.db, "ethereum", {
    ...plainReading,
    endpoints: [{ ...endpoint, latencyMs }],
    held: null,
  });
const endpoints = async () => (await api.admin("GET", "/chains/ethereum/endpoints")).json().data;

/** The ten minutes that began half a day ago, and the minutes of them. */
const halfDayAgoMs = () => Math.floor((Date.now() - day / 2) / 600_000) * 600_000;
const minuteOf = (beginsMs: number, minute: number) => new Date(beginsMs + minute * 60_000);

test("how an endpoint answers is kept once a minute, while its watcher reports, for a week", async () => {
  await noteSamples(api.db);
  expect(await endpoints()).toEqual([]);
  await api.db.outboxSample.deleteMany();
  await report(80);
  await noteSamples(api.db);
  await report(900);
  await noteSamples(api.db);
  const [first, ...later] = await api.db.endpointSample.findMany({ orderBy: { at: "asc" } });
  expect(first).toMatchObject({ name: "rpc.example", latencyMs: 80, failures: 3 });
  // A minute may have ended between the two.
  expect(later.length).toBeLessThanOrEqual(1);

  await api.db.outboxSample.deleteMany();
  await api.db.endpointSample.deleteMany();
  await api.db.$executeRaw`UPDATE chain_reading SET told_at = now() - interval '2 minutes'`;
  const old = new Date(Date.now() - 8 * day);
  await api.db.outboxSample.create({ data: { at: old, waiting: 1, held: 1 } });
  await api.db.endpointSample.create({
    data: { chainName: "ethereum", at: old, name: "rpc.example", latencyMs: 1, failures: 1 },
  });
  await noteSamples(api.db);
  expect(await api.db.endpointSample.count()).toBe(0);
  expect(await api.db.outboxSample.count()).toBe(1);
});

test("of ten minutes the longest time of an endpoint is shown, and its failures across restarts", async () => {
  const beginsMs = halfDayAgoMs();
  const sampled: [name: string, latencyMs: number | null, failures: number][] = [
    ["a.example", 100, 5],
    ["a.example", 300, 7],
    // The process that watches began anew, and counts from nought.
    ["a.example", 200, 2],
    ["b.example", null, 4],
  ];
  await api.db.endpointSample.createMany({
    data: sampled.map(([name, latencyMs, failures], minute) => ({
      chainName: "ethereum",
      at: minuteOf(beginsMs, minute),
      name,
      latencyMs,
      failures,
    })),
  });
  const at = new Date(beginsMs).toISOString();
  expect(await endpoints()).toEqual([
    { at, endpoint: "a.example", latency_ms: 300, failures: 4 },
    { at, endpoint: "b.example", latency_ms: null, failures: 0 },
  ]);
});

test("the most deliveries that waited, and that were held, are shown of each ten minutes", async () => {
  const businessId = await insertBusiness(api.db);
  await insertDelivery(api.db, { businessId, webhookId: null, isClaimed: true });
  await noteSamples(api.db);
  const [kept] = await api.db.outboxSample.findMany({ orderBy: { at: "asc" } });
  expect(kept).toMatchObject({ waiting: 0, held: 1 });
  await api.db.outboxSample.deleteMany();
  const beginsMs = halfDayAgoMs();
  await api.db.outboxSample.createMany({
    data: [
      { at: minuteOf(beginsMs, 1), waiting: 4, held: 2 },
      { at: minuteOf(beginsMs, 9), waiting: 9, held: 1 },
      { at: minuteOf(beginsMs, 10), waiting: 0, held: 0 },
    ],
  });
  const { data } = (await api.admin("GET", "/outbox")).json();
  expect(data.queue).toEqual([
    { at: new Date(beginsMs).toISOString(), waiting: 9, held: 2 },
    { at: minuteOf(beginsMs, 10).toISOString(), waiting: 0, held: 0 },
  ]);
});
