import { createHmac, randomBytes } from "node:crypto";
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
import { pruneNotifications } from "../../../src/ledger/notifications/prune-notifications.ts";
import { openTestApi } from "../../support/api/test-api.ts";
import { eachTest } from "../../support/each-test.ts";
import { openOwnPool } from "../../support/ledger/own-pool.ts";
import { paidOnFeed } from "../../support/ledger/paid-on-feed.ts";
import { waitForCount } from "../../support/wait-for.ts";

const timeoutMs = 30_000;

const api = eachTest(openTestApi, (opened) => opened.stop());

const secretBytes = randomBytes(32);

async function notesInPostgres() {
  const pool = await openOwnPool(4);
  await pool.query(
    `CREATE TABLE handled_place (id uuid PRIMARY KEY, blockchain text NOT NULL, sequence bigint NOT NULL,
       previous_id uuid, noted_at timestamptz NOT NULL DEFAULT now())`,
  );
  return { ...noteInPostgres(pool), pool };
}

const written = () =>
  api.db.$queryRaw<{ id: string; body: string }[]>`
    SELECT id, body FROM notification WHERE sequence IS NOT NULL ORDER BY sequence`;

/** Retention removes all up to a place, from 0. */
async function prune(upTo: number): Promise<void> {
  const { db } = api;
  await db.$executeRaw`UPDATE delivery SET status = 'delivered', delivered_at = now()`;
  await db.$executeRaw`
    UPDATE notification SET created_at = now() - interval '9 years' WHERE sequence <= ${upTo + 1}`;
  expect(await pruneNotifications(db, { olderThanMs: 86_400_000, limit: 100 })).toBe(upTo + 1);
}

/** A receiver with a store of places, and five notifications of which it can be given any. */
async function receiver(onNotification?: (notification: Notification) => unknown) {
  const { url, pay } = await paidOnFeed(api);
  await pay(5);
  let rows = await written();
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
    url,
    ids: rows.map(({ id }) => id),
    credited,
    handled,
    memory,
    /** As after a restore to that many notifications: others take the numbers of the rest. */
    async restore(kept: number) {
      await api.db.$executeRaw`TRUNCATE delivery CASCADE`;
      await api.db.$executeRaw`DELETE FROM notification WHERE sequence > ${kept}`;
      await pay(5);
      rows = await written();
      return rows.map(({ id }) => id);
    },
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
        waitForCount(() => gaps.length, count, { what: "gaps", timeoutMs });
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

test("what retention has removed is lost, said once, and the next gap is filled", async () => {
  const { ids, credited, handled, send, filling } = await receiver();
  for (const place of [0, 2, 4]) await send(place);
  await prune(1);
  const { gaps, failures, has, stop } = filling();
  await has(2);
  expect(gaps).toEqual([
    { kind: "lost", blockchain: "one", beforeId: ids[2], applied: 0 },
    { kind: "filled", blockchain: "one", beforeId: ids[4], applied: 1 },
  ]);
  expect(credited).toEqual([ids[0], ids[2], ids[4], ids[3]]);
  expect(await stop()).toBe("stopped");
  expect([failures, await handled.holes(0)]).toEqual([[], []]);
});

test.each([
  { what: "all of a gap", upTo: 3, kind: "lost", filled: [] },
  { what: "the first of a gap", upTo: 1, kind: "lost", filled: [2, 3] },
  { what: "only the notification before a gap", upTo: 0, kind: "filled", filled: [1, 2, 3] },
])("where retention has removed $what, it is $kind", async ({ upTo, kind, filled }) => {
  const { ids, credited, send, filling } = await receiver();
  for (const place of [0, 4]) await send(place);
  await prune(upTo);
  const { gaps, has, stop } = filling();
  await has(1);
  expect(gaps).toMatchObject([{ kind, beforeId: ids[4], applied: filled.length }]);
  expect(credited).toEqual([ids[0], ids[4], ...filled.map((place) => ids[place])]);
  expect(await stop()).toBe("stopped");
});

test("after a restore a gap is filled with what is written since, and nothing is handled again", async () => {
  const { ids, credited, handled, memory, send, restore, filling } = await receiver();
  for (const place of [0, 1, 2, 3, 4]) await send(place);
  const now = await restore(3);
  expect([now.length, now.slice(0, 3)]).toEqual([8, ids.slice(0, 3)]);
  for (const place of [5, 7]) await send(place);
  // A memory of a process forgets with it.
  for (const id of ids) await memory.release(id);
  const { gaps, failures, has, stop } = filling();
  await has(2);
  expect(gaps).toEqual([
    { kind: "restored", blockchain: "one", beforeId: now[5], applied: 2 },
    { kind: "filled", blockchain: "one", beforeId: now[7], applied: 1 },
  ]);
  expect(credited).toEqual([...ids, now[5], now[7], now[3], now[4], now[6]]);
  expect(await stop()).toBe("stopped");
  expect([failures, await handled.holes(0)]).toEqual([[], []]);
});

test("a restore to before all that was handled is told apart from retention", async () => {
  const { ids, credited, send, restore, filling } = await receiver();
  await send(4);
  const now = await restore(2);
  await send(6);
  const { gaps, has, stop } = filling();
  await has(1);
  expect(gaps).toEqual([{ kind: "restored", blockchain: "one", beforeId: now[6], applied: 6 }]);
  expect(credited).toEqual([ids[4], now[6], ...now.slice(0, 6)]);
  expect(await stop()).toBe("stopped");
});

test("a row that is deleted by its age leaves no hole, also beside a late arrival", async () => {
  const { ids, credited, handled, memory, send, filling } = await receiver();
  for (const place of [1, 2, 3, 0]) await send(place);
  expect(await handled.holes(0)).toEqual([]);
  await handled.pool.query("DELETE FROM handled_place WHERE id = $1", [ids[1]]);
  // A memory of a process forgets with it.
  for (const id of ids) await memory.release(id);
  await send(4);
  expect(await handled.holes(0)).toEqual([]);
  const { gaps, stop } = filling();
  expect([await stop(), gaps]).toEqual(["stopped", []]);
  expect(credited).toEqual([ids[1], ids[2], ids[3], ids[0], ids[4]]);
});

test("a later note of an id takes the place of the earlier one", async () => {
  const { ids, handled } = await receiver();
  const [first = "", second = "", previousId = ""] = ids;
  const place = { blockchain: "one", previousId: null };
  await handled.note({ ...place, id: first, sequence: 9 });
  await handled.note({ ...place, id: first, sequence: 3 });
  const before = { ...place, id: second, sequence: 7, previousId };
  await handled.note(before);
  expect(await handled.holes(0)).toEqual([{ before, after: { id: first, sequence: 3 } }]);
  expect(await handled.noted([first, previousId])).toEqual([first]);
});

test("a key that Chainbell refuses ends it", async () => {
  const { send, filling } = await receiver();
  for (const place of [0, 2]) await send(place);
  const { ended } = filling({ apiKey: "none" });
  expect(await ended).toMatchObject({ code: "refused", status: 401 });
});

test("an address at which there is no feed ends it", async () => {
  const { url, send, filling } = await receiver();
  for (const place of [0, 2]) await send(place);
  const { ended } = filling({ url: `${url}/elsewhere` });
  expect(await ended).toMatchObject({ code: "refused", status: 404 });
});
