import { createHmac, randomBytes } from "node:crypto";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { noteInPostgres } from "../../../packages/webhooks/examples/note-in-postgres.mjs";
import {
  type DeliveryGap,
  type FillOptions,
  fillGaps,
} from "../../../packages/webhooks/src/gaps/fill-gaps.ts";
import type { Notification } from "../../../packages/webhooks/src/notification.ts";
import { createReceive } from "../../../packages/webhooks/src/receive.ts";
import { rememberInProcess } from "../../../packages/webhooks/src/remember.ts";
import { openTestApi } from "../../support/api/test-api.ts";
import { eachTest } from "../../support/each-test.ts";
import { paidOnFeed } from "../../support/ledger/paid-on-feed.ts";
import { createTestDatabase } from "../../support/ledger/postgres.ts";
import { waitFor } from "../../support/wait-for.ts";

const timeoutMs = 30_000;

const api = eachTest(openTestApi, (opened) => opened.stop());

const secretBytes = randomBytes(32);

async function notesInPostgres() {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.url, max: 4 });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  await pool.query(
    `CREATE TABLE handled_place (id uuid PRIMARY KEY, blockchain text NOT NULL, sequence bigint NOT NULL,
       previous_id uuid, noted_at timestamptz NOT NULL DEFAULT now())`,
  );
  return noteInPostgres(pool);
}

/** A receiver with a store of places, and five notifications of which it can be given any. */
async function receiver(onNotification?: (notification: Notification) => unknown) {
  const { url, pay } = await paidOnFeed(api);
  await pay(5);
  const rows = await api.db.$queryRaw<{ id: string; body: string }[]>`
    SELECT id, body FROM notification WHERE sequence IS NOT NULL ORDER BY sequence`;
  const credited: string[] = [];
  const handled = await notesInPostgres();
  const memory = rememberInProcess();
  const handler = (notification: Notification) => {
    onNotification?.(notification);
    credited.push(notification.id);
  };
  const secret = `whsec_${secretBytes.toString("base64")}`;
  const receive = createReceive({ secret, memory, handled, onNotification: handler });
  return {
    ids: rows.map(({ id }) => id),
    credited,
    handled,
    /** As Chainbell sends the notification at that place, from 0. */
    send(place: number) {
      const { id, body } = rows[place] ?? { id: "", body: "" };
      const at = String(Math.floor(Date.now() / 1_000));
      const mac = createHmac("sha256", secretBytes).update(`${id}.${at}.${body}`).digest("base64");
      const previous = rows[place - 1]?.id;
      return receive(body, {
        "webhook-id": id,
        "webhook-timestamp": at,
        "webhook-signature": `v1,${mac}`,
        ...(previous === undefined ? {} : { "webhook-previous": previous }),
      });
    },
    /** Runs until the test ends. */
    filling(options: Partial<FillOptions> = {}) {
      const abort = new AbortController();
      const gaps: DeliveryGap[] = [];
      const failures: unknown[] = [];
      const ended = fillGaps({
        url,
        apiKey: api.key,
        handled,
        memory,
        onNotification: handler,
        limit: 2,
        graceMs: 0,
        signal: abort.signal,
        onGap: (gap) => gaps.push(gap),
        onError: (error) => failures.push(error),
        ...options,
      }).then(
        () => "stopped",
        (error: unknown) => error,
      );
      onTestFinished(async () => {
        abort.abort();
        await ended;
      });
      const has = (count: number) =>
        waitFor(() => gaps.length >= count, { what: `${count} gaps`, timeoutMs });
      const stop = () => {
        abort.abort();
        return ended;
      };
      return { gaps, failures, has, ended, stop };
    },
  };
}

test("what never arrived is handled from the feed once, and a late arrival counts nothing twice", async () => {
  const { ids, credited, send, filling } = await receiver();
  for (const place of [0, 4]) expect(await send(place)).toBe(204);
  const { gaps, has, stop } = filling();
  await has(1);
  expect(gaps).toEqual([{ kind: "filled", blockchain: "one", beforeId: ids[4], applied: 3 }]);
  expect(credited).toEqual([ids[0], ids[4], ids[1], ids[2], ids[3]]);
  expect(await send(2)).toBe(204);
  expect(credited).toHaveLength(5);
  expect(await stop()).toBe("stopped");
});

test("a receiver that began later looks for nothing before its first notification", async () => {
  const { ids, credited, send, filling } = await receiver();
  for (const place of [1, 2, 4]) await send(place);
  const { gaps, has } = filling();
  await has(1);
  expect(gaps).toMatchObject([{ kind: "filled", beforeId: ids[4], applied: 1 }]);
  expect(credited).toEqual([ids[1], ids[2], ids[4], ids[3]]);
});

test("a gap whose handler fails is looked into again, and counts once", async () => {
  let failures = 1;
  const { ids, credited, send, filling } = await receiver((notification) => {
    if (notification.id === ids[2] && failures-- > 0) throw new Error("the books are locked");
  });
  for (const place of [0, 3]) await send(place);
  const filler = filling();
  await filler.has(1);
  expect(filler.failures.map(String)).toEqual(["Error: the books are locked"]);
  expect(filler.gaps).toMatchObject([{ kind: "filled", beforeId: ids[3], applied: 1 }]);
  expect(credited).toEqual([ids[0], ids[3], ids[1], ids[2]]);
});

test("with a filter, the others of the business are left out, and the previous one never is", async () => {
  const { ids, credited, send, filling } = await receiver();
  for (const place of [0, 4]) await send(place);
  const { has } = filling({ isWanted: ({ id }) => id === ids[1] });
  await has(1);
  expect(credited).toEqual([ids[0], ids[4], ids[1], ids[3]]);
});

test("what retention has removed is lost, and said once", async () => {
  const { ids, credited, handled, send, filling } = await receiver();
  for (const place of [0, 4]) await send(place);
  await api.db.$executeRaw`
    INSERT INTO pruned_stream SELECT business_id, chain_name, sequence, digest FROM notification WHERE sequence = 4`;
  const { gaps, has, stop } = filling();
  await has(1);
  expect(gaps).toEqual([{ kind: "lost", blockchain: "one", beforeId: ids[4], applied: 0 }]);
  expect(credited).toEqual([ids[0], ids[4]]);
  await stop();
  expect(await handled.holes(0)).toEqual([]);
});

test("a key that Chainbell refuses ends it", async () => {
  const { send, filling } = await receiver();
  for (const place of [0, 2]) await send(place);
  const { ended } = filling({ apiKey: "none" });
  expect(await ended).toMatchObject({ code: "refused", status: 401 });
});
