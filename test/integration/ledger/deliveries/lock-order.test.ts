import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { Attempt } from "../../../../src/domain/delivery/attempt.ts";
import type { WebhookName } from "../../../../src/domain/webhook/registration.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import {
  judgeWebhooks,
  recordAttempts,
} from "../../../../src/ledger/deliveries/record-attempts.ts";
import { beginRecovery } from "../../../../src/ledger/deliveries/recover.ts";
import { followClock } from "../../../../src/ledger/installation/follow-clock.ts";
import { inTransaction, type Tx } from "../../../../src/ledger/postgres/transaction.ts";
import { changeWebhook } from "../../../../src/ledger/webhooks/change-webhook.ts";
import { lockBusiness, lockFirst } from "../../../../src/ledger/webhooks/lock-business.ts";
import { moveSome } from "../../../../src/ledger/webhooks/move-waiting.ts";
import { eachTest } from "../../../support/each-test.ts";
import { gate } from "../../../support/gate.ts";
import { addWebhook, registerWebhook } from "../../../support/ledger/steps.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { heldOpen } from "./ordered.ts";
import { createSeededLedger, limits } from "./seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());
const secretCiphertext = "sealed";

/** Resolves once so many connections wait for locks, or once `isOver`. */
const waiting = (count: number, isOver = () => false) =>
  waitFor(
    async () => {
      const rows = await ledger.sql(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return isOver() || rows.length === count;
    },
    { what: `${count} that wait for locks`, timeoutMs: 10_000 },
  );

/** Counts statements of a kind, also those of transactions that were ended and tried again. */
async function countTries(event: `${"UPDATE" | "DELETE"} ON ${string}`) {
  const name = `tried_${event.toLowerCase().replaceAll(" ", "_")}`;
  await ledger.sql(`CREATE SEQUENCE ${name}`);
  await ledger.sql(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM nextval('${name}'); RETURN NULL; END $$`);
  await ledger.sql(
    `CREATE TRIGGER ${name} BEFORE ${event} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`,
  );
  return async () => {
    const rows = await ledger.sql<{ n: string | null }>(
      `SELECT pg_sequence_last_value('${name}') AS n`,
    );
    return Number(rows[0]?.n ?? 0);
  };
}

/** Runs a transaction of two steps. The second follows once `goOn` is called. */
async function inTwoSteps(first: (tx: Tx) => Promise<unknown>, then: (tx: Tx) => Promise<unknown>) {
  const [isBegun, mayGoOn] = [gate(), gate()];
  const over = inTransaction(ledger.db, async (tx) => {
    await first(tx);
    isBegun.open();
    await mayGoOn.isOpen;
    await then(tx);
  });
  await Promise.race([isBegun.isOpen, over]);
  return {
    goOn: () => {
      mayGoOn.open();
      return over;
    },
  };
}

/** As if the database's clock had been set back by an hour since. */
async function setBack(): Promise<void> {
  await followClock(ledger.db);
  await ledger.sql("UPDATE lease SET expires_at = expires_at + interval '1 hour'");
  await ledger.sql("UPDATE dispatcher SET seen_at = seen_at + interval '1 hour'");
}

it("a clock that was set back is followed beside claims, and neither is ended for the other", async () => {
  await ledger.addDispatcher(1_000);
  const webhooks = [];
  for (let index = 0; index < 40; index += 1)
    webhooks.push(await ledger.addWebhook({ url: `https://${index}.example/` }));
  for (const { businessId, webhookId } of webhooks)
    await ledger.sql(
      `INSERT INTO webhook_turn (webhook_id, business_id, number, claimed_at, rate_until)
       VALUES ($1, $2, 0, now(), now() + interval '1 hour')`,
      [webhookId, businessId],
    );
  const [, held, ...others] = webhooks;
  for (const webhook of others) await ledger.addDeliveries(webhook, { count: 1 });
  const [first] = webhooks;
  if (first === undefined || held === undefined) throw new Error("There are webhooks.");
  await ledger.addDeliveries(first, { count: 1 });
  await setBack();
  const [updates, deletes] = [
    await countTries("UPDATE ON webhook_turn"),
    await countTries("DELETE ON webhook_turn"),
  ];
  // Between the first turn and the others.
  const holding = await heldOpen(
    ledger,
    (tx) =>
      tx.$queryRaw`SELECT FROM webhook_turn WHERE webhook_id = ${held.webhookId}::uuid FOR UPDATE`,
  );
  const following = followClock(ledger.db);
  await waiting(1);
  const claiming = claimDeliveries(ledger.db, limits);
  await waiting(2);
  await holding.commit();
  expect(await following).toBeGreaterThan(0);
  expect(await claiming).toHaveLength(39);
  expect([await updates(), await deletes()]).toEqual([1, 1]);
});

it("a clock that was set back is followed beside a dispatcher's report, and neither is ended", async () => {
  await ledger.addDispatcher(1);
  await setBack();
  const tries = await countTries("UPDATE ON webhook_turn");
  // One statement writes both, in this order (shared-statement.ts).
  const reporting = await inTwoSteps(
    (tx) => tx.$executeRaw`UPDATE dispatcher SET slots = 2`,
    (tx) => tx.$executeRaw`UPDATE lease SET holder = holder`,
  );
  const following = followClock(ledger.db);
  await waiting(1);
  await reporting.goOn();
  expect(await following).toBeGreaterThan(0);
  expect(await tries()).toBe(1);
});

it("a clock that was set back is followed beside a replaced webhook's last moves, and neither is ended", async () => {
  const { businessId } = await ledger.addWebhook({ url: "https://before.example/" });
  const register = async (url: string) =>
    (await registerWebhook(ledger.db, { businessId, url, secretCiphertext })).webhook.id;
  const [replaced, current] = [
    await register("https://a.example/"),
    await register("https://b.example/"),
  ];
  await ledger.sql(
    "UPDATE webhook SET circuit_opened_at = now(), circuit_retry_at = now() + interval '1 hour'",
  );
  await setBack();
  const tries = await countTries("UPDATE ON webhook");
  const moving = await inTwoSteps(
    async (tx) => {
      await lockBusiness(tx, businessId);
      await lockFirst(tx, businessId);
    },
    (tx) => moveSome(tx, replaced, current),
  );
  const following = followClock(ledger.db);
  await waiting(1);
  await moving.goOn();
  expect(await following).toBeGreaterThan(0);
  // One of each.
  expect(await tries()).toBe(2);
});

/** An attempt that failed, of a delivery that is gone. */
const failed = (webhookId: string, url: string): Attempt => ({
  token: randomUUID(),
  deliveryId: randomUUID(),
  webhookId,
  webhookVersion: 1,
  url,
  secretCiphertext,
  number: 1,
  startedAt: new Date(),
  latencyMs: 5,
  result: { kind: "answered", statusCode: 500, retryAfterMs: null, response: "" },
  outcome: "retry",
  next: { kind: "retry", delayMs: 60_000 },
});

it("a registration keeps no other webhook from its records", async () => {
  const { businessId } = await ledger.addWebhook({ url: "https://before.example/" });
  const asked = (url: string) => ({ businessId, url, secretCiphertext });
  const [added, first] = ["https://added.example/", "https://first.example/"];
  const { webhook: additional } = await addWebhook(ledger.db, asked(added));
  // Replaced after the other one was added, so the ids stand in the other order.
  const { webhook: current } = await registerWebhook(ledger.db, asked(first));
  // The registration reads the chains for its filter, and waits there.
  const holding = await heldOpen(ledger, (tx) => tx.$executeRaw`LOCK TABLE chain`);
  const filter = { events: ["transaction.deposit" as const] };
  const registering = registerWebhook(ledger.db, { ...asked(added), filter });
  await waiting(1);
  let isRecorded = false;
  const recording = recordAttempts(ledger.db, [
    failed(additional.id, added),
    failed(current.id, first),
  ]).then(() => {
    isRecorded = true;
  });
  await waiting(2, () => isRecorded);
  const wasRecorded = isRecorded;
  await holding.commit();
  await Promise.all([registering, recording]);
  expect(wasRecorded).toBe(true);
});

it.each([
  ["is changed", (tx: Tx, name: WebhookName) => changeWebhook(tx, name, { description: "mine" })],
  [
    "is recovered",
    (tx: Tx, name: WebhookName) => beginRecovery(tx, name, { since: new Date(0), until: null }),
  ],
])(
  "a webhook that %s keeps no other one from its records, and is judged afterwards",
  async (_, what) => {
    const webhooks = [];
    for (const url of ["https://a.example/", "https://b.example/"]) {
      const { businessId } = await ledger.addWebhook({ url: `${url}before` });
      const { webhook } = await registerWebhook(ledger.db, { businessId, url, secretCiphertext });
      webhooks.push({ businessId, webhookId: webhook.id, url });
    }
    const [own, other] = webhooks;
    if (own === undefined || other === undefined) throw new Error("There are two webhooks.");
    const failures = async ({ webhookId }: { webhookId: string }) =>
      (
        await ledger.sql<{ n: number }>(
          "SELECT consecutive_failures AS n FROM webhook WHERE id = $1",
          [webhookId],
        )
      )[0]?.n;
    const holding = await heldOpen(ledger, (tx) => what(tx, own));
    let isRecorded = false;
    const attempts = [own, other].map(({ webhookId, url }) => failed(webhookId, url));
    const recording = recordAttempts(ledger.db, attempts).finally(() => {
      isRecorded = true;
    });
    await waiting(1, () => isRecorded);
    const wasRecorded = isRecorded;
    const before = [await failures(own), await failures(other)];
    await holding.commit();
    const { unjudged } = await recording;
    expect([wasRecorded, ...before]).toEqual([true, 0, 1]);
    expect(unjudged).toEqual(attempts.slice(0, 1));
    await judgeWebhooks(ledger.db, unjudged);
    expect([await failures(own), await failures(other)]).toEqual([1, 1]);
  },
);
