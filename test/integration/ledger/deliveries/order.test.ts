import { beforeEach, describe, expect, it } from "vitest";
import { moveWaiting } from "../../../../src/ledger/webhooks/move-waiting.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  changeWebhook,
  deleteWebhook,
  recoverDeliveries,
  redeliver,
} from "../../../support/ledger/steps.ts";
import { type Ordered, openOrdered, type Sent } from "./ordered.ts";

const ledger = eachTestLedger();
let world: Ordered;
let [a, b] = ["", ""];

beforeEach(async () => {
  world = await openOrdered(ledger, 2);
  [a = "", b = ""] = world.walletIds;
});

const ordered = { isOrdered: true };
const holding = { isOrdered: true, holdsExhausted: true };
const since = new Date(0);

const placesOf = (sent: readonly Sent[]) =>
  sent.map(({ walletId, place }) => `${walletId === a ? "a" : "b"}${place}`).sort();

/** Begins what is due, and has it end so; answers what it was. */
async function turn(outcome: "accepted" | "retry" | "exhausted" = "accepted", delayMs = 0) {
  const sent = await world.begin();
  await world.record(sent, outcome, delayMs);
  return placesOf(sent);
}

/** All that is sent until nothing is due, each turn in one text. */
async function rest(): Promise<string[]> {
  const turns: string[] = [];
  for (let sent = await turn(); sent.length > 0; sent = await turn()) turns.push(sent.join(" "));
  expect(await world.wrong()).toEqual([]);
  return turns;
}

describe("a webhook that asks for the order of each wallet", () => {
  it("gets one of each wallet at a time, and the next once it is delivered", async () => {
    await world.first(undefined, ordered);
    await world.deposit(a, a, b);
    await world.deposit(a);
    expect(await world.wrong()).toEqual([]);
    const sent = await world.begin();
    expect(placesOf(sent)).toEqual(["a0", "b0"]);
    expect(await world.begin()).toEqual([]);
    await world.deposit(b);
    expect(await world.begin()).toEqual([]);
    await world.record(sent, "accepted");
    expect(await rest()).toEqual(["a1 b1", "a2"]);
  });

  it("waits for a retry with that wallet alone", async () => {
    await world.first(undefined, ordered);
    await world.deposit(a, a, b, b);
    const sent = await world.begin();
    await world.record(
      sent.filter(({ walletId }) => walletId === a),
      "retry",
      60_000,
    );
    await world.record(
      sent.filter(({ walletId }) => walletId === b),
      "accepted",
    );
    expect(await rest()).toEqual(["b1"]);
    await world.db
      .$executeRaw`UPDATE delivery SET due_at = now() WHERE attempts = 1 AND status = 'waiting'`;
    expect(await rest()).toEqual(["a0", "a1"]);
  });

  it("goes on with the next where one is given up", async () => {
    await world.first(undefined, ordered);
    await world.deposit(a, a);
    expect(await turn("exhausted")).toEqual(["a0"]);
    expect(await rest()).toEqual(["a1"]);
  });

  it("keeps the order of others beside it, and needs none of them", async () => {
    await world.first();
    await world.add("https://b.example/", ordered);
    await world.deposit(a, a, b);
    expect(await turn()).toEqual(["a0", "a0", "a1", "b0", "b0"]);
    expect(await rest()).toEqual(["a1"]);
  });

  it("keeps it through a pause and another URL", async () => {
    const webhookId = await world.first(undefined, ordered);
    await world.deposit(a, a, b);
    const name = { businessId: world.businessId, webhookId };
    await changeWebhook(ledger.db, name, { isActive: false });
    await world.deposit(a);
    expect(await world.begin()).toEqual([]);
    await changeWebhook(ledger.db, name, { isActive: true, url: "https://c.example/" });
    await ledger.db.webhook.updateMany({ data: { answeredAt: new Date() } });
    expect(await rest()).toEqual(["a0 b0", "a1", "a2"]);
  });

  it("keeps it where another one takes its place, however much is moved later", async () => {
    await world.first(undefined, ordered);
    await world.deposit(...Array.from({ length: 110 }, () => [a, b]).flat());
    const sent = await world.begin();
    expect(placesOf(sent)).toEqual(["a0", "b0"]);
    await world.first("https://next.example/");
    await world.deposit(a, b);
    await world.record(sent, "accepted");
    expect(await world.wrong()).toEqual([]);
    const seen: Sent[] = [];
    for (let moved: number | null = 1; moved !== null; moved = await moveWaiting(ledger.db)) {
      const batch = await world.begin();
      seen.push(...batch);
      await world.record(batch, "accepted");
    }
    for (let batch = await world.begin(); batch.length > 0; batch = await world.begin()) {
      seen.push(...batch);
      await world.record(batch, "accepted");
    }
    const expected = Array.from({ length: 111 }, (_, place) => place);
    for (const wallet of [a, b]) {
      const places = seen.filter(({ walletId }) => walletId === wallet).map(({ place }) => place);
      // The first of each was under way to the old one: its answer no longer counts.
      expect(places).toEqual(expected);
    }
    expect(await world.wrong()).toEqual([]);
  });

  it("is asked for, and no longer, while things wait and are under way", async () => {
    const webhookId = await world.first();
    const name = { businessId: world.businessId, webhookId };
    await world.deposit(a, a, a, b);
    const sent = await world.begin(2);
    expect(placesOf(sent)).toEqual(["a0", "a1"]);
    await changeWebhook(ledger.db, name, ordered);
    expect(await world.wrong()).toEqual([]);
    expect(await turn()).toEqual(["b0"]);
    await world.record(
      sent.filter(({ place }) => place === 0),
      "retry",
      0,
    );
    expect(await world.begin()).toEqual([]);
    await world.record(
      sent.filter(({ place }) => place === 1),
      "accepted",
    );
    expect(await world.wrong()).toEqual([]);
    expect(await turn()).toEqual(["a0"]);
    await world.deposit(a);
    await changeWebhook(ledger.db, name, { isOrdered: false });
    expect(await world.wrong()).toEqual([]);
    expect(await rest()).toEqual(["a2 a3"]);
  });

  it("is sent what was given up in its old order, and nothing of another line", async () => {
    const webhookId = await world.first(undefined, ordered);
    const name = { businessId: world.businessId, webhookId };
    await world.deposit(a, a, b);
    await turn("exhausted");
    await turn("exhausted");
    await world.deposit(a, b);
    const sent = await world.begin();
    expect(placesOf(sent)).toEqual(["a2", "b1"]);
    await recoverDeliveries(ledger.db, name, { since, until: null });
    // One of each wallet is still under way.
    expect(await world.begin()).toEqual([]);
    expect(await world.wrong()).toEqual([]);
    await world.record(sent, "retry", 0);
    const turns = (await rest()).join(" ").split(" ");
    expect(turns.filter((one) => one.startsWith("a"))).toEqual(["a0", "a1", "a2"]);
    expect(turns.filter((one) => one.startsWith("b"))).toEqual(["b0", "b1"]);
  });

  it("is sent in the ledger's order what was asked for once more, and queued again before the order was", async () => {
    const webhookId = await world.first();
    const name = { businessId: world.businessId, webhookId };
    await world.deposit(a, a);
    await turn("exhausted");
    const [first] = await ledger.db.delivery.findMany({ orderBy: { seq: "asc" } });
    const notificationId = first?.notificationId ?? "";
    await redeliver(ledger.db, { businessId: world.businessId, notificationId });
    expect(await turn("exhausted")).toEqual(["a0"]);
    await recoverDeliveries(ledger.db, name, { since, until: null });
    await changeWebhook(ledger.db, name, ordered);
    expect(await rest()).toEqual(["a0", "a1"]);
  });

  it.each([
    ["before it is queued again", "and another webhook was given", [false, true]],
    ["afterwards", "and another webhook was given", [true, true]],
    ["before it is queued again", "and nobody was given", [false, false]],
    ["afterwards", "and nobody was given", [true, false]],
  ])("is asked for %s, and gets by the ledger what its filter left out %s", async (...of) => {
    const [, , [isLater = false, isGiven = false]] = of;
    const filter = { events: ["transaction.reversed"] };
    const webhookId = await world.first(undefined, { filter });
    if (isGiven) await world.add("https://b.example/");
    await world.deposit(a, a, a);
    expect(await turn()).toEqual(isGiven ? ["a0", "a1", "a2"] : []);
    const { businessId } = world;
    const written = await ledger.db.notification.findMany({ orderBy: { sequence: "desc" } });
    for (const { id: notificationId } of written) {
      await redeliver(ledger.db, { businessId, notificationId });
      await turn("exhausted");
    }
    const name = { businessId, webhookId };
    if (!isLater) await changeWebhook(ledger.db, name, ordered);
    await recoverDeliveries(ledger.db, name, { since, until: null });
    if (isLater) await changeWebhook(ledger.db, name, ordered);
    expect(await rest()).toEqual(["a0", "a1", "a2"]);
  });

  it("is sent one more outside of the order, and that one in its turn too", async () => {
    await world.first(undefined, ordered);
    await world.deposit(a, a);
    const sent = await world.begin();
    const [, behind] = await ledger.db.delivery.findMany({ orderBy: { seq: "asc" } });
    const notificationId = behind?.notificationId ?? "";
    await redeliver(ledger.db, { businessId: world.businessId, notificationId });
    expect(await turn()).toEqual(["a1"]);
    expect(await world.begin()).toEqual([]);
    await world.record(sent, "accepted");
    expect(await rest()).toEqual(["a1"]);
  });
});

describe("a webhook that holds what is given up", () => {
  it("is sent nothing more of that wallet until it is queued again", async () => {
    const webhookId = await world.first(undefined, holding);
    await world.deposit(a, a);
    expect(await turn("exhausted")).toEqual(["a0"]);
    await world.deposit(a, b);
    expect(await rest()).toEqual(["b0"]);
    const name = { businessId: world.businessId, webhookId };
    await recoverDeliveries(ledger.db, name, { since, until: null, include: ["exhausted"] });
    expect(await rest()).toEqual(["a0", "a1", "a2"]);
  });

  it("is let go by one more attempt of what holds it, once that is accepted", async () => {
    await world.first(undefined, holding);
    await world.deposit(a, a);
    await turn("exhausted");
    const [held] = await ledger.db.delivery.findMany({ where: { status: "exhausted" } });
    const asked = { businessId: world.businessId, notificationId: held?.notificationId ?? "" };
    await redeliver(ledger.db, asked);
    expect(await turn("exhausted")).toEqual(["a0"]);
    expect(await rest()).toEqual([]);
    await redeliver(ledger.db, asked);
    expect(await rest()).toEqual(["a0", "a1"]);
  });

  it.each([
    ["continues with what is given up", { holdsExhausted: false }, ["a1"]],
    ["has no order any more", { isOrdered: false }, ["a1"]],
  ])("lets the wallet go when it %s", async (_, change, sent) => {
    const webhookId = await world.first(undefined, holding);
    await world.deposit(a, a);
    await turn("exhausted");
    expect(await world.begin()).toEqual([]);
    await changeWebhook(ledger.db, { businessId: world.businessId, webhookId }, change);
    expect(await rest()).toEqual(sent);
  });

  it("has it tried anew by another one in its place, and by none after it is deleted", async () => {
    await world.first(undefined, holding);
    await world.deposit(a, a);
    await turn("exhausted");
    const webhookId = await world.first("https://next.example/");
    expect(await turn("exhausted")).toEqual(["a0"]);
    expect(await world.begin()).toEqual([]);
    await deleteWebhook(ledger.db, { businessId: world.businessId, webhookId });
    expect(await ledger.db.delivery.count({ where: { NOT: { walletId: null } } })).toBe(0);
    await world.first("https://third.example/", holding);
    await world.deposit(a);
    expect(await rest()).toEqual(["a2"]);
  });
});
