import { expect, test } from "vitest";
import type { AskedStatus, DeliveryStatus } from "../../../../src/domain/delivery/delivery.ts";
import {
  askedStatuses,
  undeliveredStatuses,
  worstFirst,
} from "../../../../src/domain/delivery/delivery.ts";
import type {
  AskedWebhook,
  NotificationFilter,
} from "../../../../src/domain/delivery/recorded-notification.ts";
import { firstPlace } from "../../../../src/domain/page.ts";
import {
  mostCollected,
  undeliveredNotifications,
} from "../../../../src/ledger/deliveries/undelivered.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { pageSql } from "../../../../src/ledger/notifications/page-by-time.ts";
import { readNotifications } from "../../../../src/ledger/notifications/read-notifications.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness } from "../../../support/ledger/ledger-fixtures.ts";
import { addWebhook, registerWebhook } from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();

/** A business with its first webhook and two further ones. */
async function withWebhooks() {
  const businessId = await insertBusiness(ledger.db);
  const register = { businessId, secretCiphertext: "x" };
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) {
    const url = `https://${name}.example/`;
    const made = await (ids.length === 0 ? registerWebhook : addWebhook)(ledger.db, {
      ...register,
      url,
    });
    ids.push(made.webhook.id);
  }
  const [first = "", second = "", third = ""] = ids;
  return { businessId, first, second, third };
}

/** Notifications 1 to `count`, the newest last. */
const insertNotifications = (businessId: string, count: number) => ledger.db.$executeRaw`
  INSERT INTO notification (id, business_id, state, event, body, created_at)
  SELECT ('01000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${businessId}::uuid, 'confirmed', 'transaction.deposit', '{}',
    timestamptz '2026-01-01' + n * interval '1 minute'
  FROM generate_series(1, ${count}::int) n`;

type To = {
  webhookId: string;
  isAdditional: boolean;
  status: string;
  upTo: number;
  from?: number;
  each?: number;
};

/** A delivery of each notification from `from` to `upTo`, or of one in `each`. */
const insertDeliveries = ({ webhookId, isAdditional, status, upTo, from = 1, each = 1 }: To) =>
  ledger.db.$executeRaw`
    INSERT INTO delivery (id, notification_id, business_id, webhook_id, is_additional, status, created_at, listed_at)
    SELECT gen_random_uuid(), id, business_id, ${webhookId}::uuid, ${isAdditional}, ${status}, created_at,
      CASE WHEN ${isAdditional} THEN created_at END
    FROM notification WHERE right(id::text, 12)::int BETWEEN ${from}::int AND ${upTo}::int
      AND right(id::text, 12)::int % ${each} = 0`;

type Stored = "waiting" | "delivered" | "exhausted" | "cancelled";
/** The statuses of the deliveries at the first, the second and the third webhook, in order. */
type Row = { number: number; at: [Stored[], Stored[], Stored[]] };

/** Each way in which a notification may stand at three webhooks, with some sent again. */
function everyWay(): Row[] {
  const some: Stored[][] = [
    [],
    ["waiting"],
    ["delivered"],
    ["exhausted"],
    ["cancelled"],
    ["exhausted", "delivered"],
    ["delivered", "exhausted"],
    ["exhausted", "waiting"],
  ];
  const rows: Row[] = [];
  for (const first of some)
    for (const second of some)
      for (const third of some) rows.push({ number: rows.length + 1, at: [first, second, third] });
  return rows;
}

/** As it stands at one webhook, whose waiting deliveries are held or not. */
function standing(deliveries: readonly Stored[], isActive: boolean): DeliveryStatus {
  const last = deliveries.at(-1);
  if (last === undefined) return "filtered";
  if (deliveries.includes("delivered")) return "delivered";
  return last === "waiting" && !isActive ? "held" : last;
}

test("each status at each webhook lists what a look at every row gives, page by page", async () => {
  const { businessId, first, second, third } = await withWebhooks();
  await ledger.db.webhook.update({ where: { id: second }, data: { isActive: false } });
  const rows = everyWay();
  await insertNotifications(businessId, rows.length);
  const webhookIds = [first, second, third];
  for (const [place, webhookId] of webhookIds.entries())
    for (const turn of [0, 1])
      for (const status of ["waiting", "delivered", "exhausted", "cancelled"] as const) {
        const numbers = rows.flatMap(({ number, at }) =>
          at[place]?.[turn] === status ? [number] : [],
        );
        await ledger.db.$executeRaw`
          INSERT INTO delivery (id, seq, notification_id, business_id, webhook_id, is_additional, status, listed_at)
          SELECT gen_random_uuid(), ${turn + 1}, id, business_id, ${webhookId}::uuid, ${place > 0}, ${status},
            CASE WHEN ${place > 0} THEN created_at END
          FROM notification WHERE right(id::text, 12)::int = ANY(${numbers}::int[])`;
      }
  await ledger.db.$executeRaw`
    UPDATE notification n SET is_filtered = true
    WHERE NOT EXISTS (SELECT FROM delivery d WHERE d.notification_id = n.id AND NOT d.is_additional)`;
  const actives = [true, false, true];
  const stands = ({ at }: Row, place: number) => standing(at[place] ?? [], actives[place] ?? true);
  const worst = (row: Row) => {
    const all = webhookIds.map((_, place) => stands(row, place));
    return worstFirst.find((status) => all.includes(status)) ?? "filtered";
  };
  const asked: [AskedWebhook | undefined, (row: Row) => DeliveryStatus | null][] = [
    [undefined, (row) => stands(row, 0)],
    ["any", worst],
    ...webhookIds.map((id, place): [AskedWebhook, (row: Row) => DeliveryStatus | null] => [
      { id },
      (row) => (row.at[place]?.length === 0 ? null : stands(row, place)),
    ]),
  ];
  const isOf = (status: AskedStatus | undefined, found: DeliveryStatus | null) =>
    found !== null &&
    (status === undefined ||
      status === found ||
      (status === "undelivered" && undeliveredStatuses.some((one) => one === found)));
  for (const [webhookId, standsAs] of asked)
    for (const status of [undefined, ...askedStatuses]) {
      const filter = { ...(status && { status }), ...(webhookId && { webhookId }) };
      const expected = rows
        .filter((row) => isOf(status, standsAs(row)))
        .map((row) => [row.number, standsAs(row)])
        .reverse();
      const listed: [number, string][] = [];
      let place: { afterId: string | null; afterAt?: Date } | null = firstPlace;
      while (place !== null) {
        const page = { limit: 150, ...place };
        const found = await readNotifications(ledger.db, { businessId, filter, page });
        for (const { id, status: as } of found.rows) listed.push([Number(id.slice(-12)), as]);
        const last = found.rows.at(-1);
        place =
          found.nextCursor === null || last === undefined
            ? null
            : { afterId: last.id, afterAt: last.createdAt };
      }
      expect(listed, JSON.stringify(filter)).toEqual(expected);
    }
});

type Plan = {
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};

/** The plan of a statement that PostgreSQL has run. */
async function planOf(sql: Prisma.Sql): Promise<Plan> {
  const [row] = await ledger.db.$queryRaw<{ "QUERY PLAN": { Plan: Plan }[] }[]>(
    Prisma.sql`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
  );
  const top = row?.["QUERY PLAN"][0]?.Plan;
  if (top === undefined) throw new Error("there is no plan");
  return top;
}

/** The pages of tables and indexes that PostgreSQL reads for a statement. */
async function pagesRead(sql: Prisma.Sql): Promise<number> {
  const top = await planOf(sql);
  return top["Shared Hit Blocks"] + top["Shared Read Blocks"];
}

/** The rows of `delivery` that PostgreSQL reads for a statement. */
async function deliveriesRead(sql: Prisma.Sql): Promise<number> {
  const top = await planOf(sql);
  const readBy = (plan: Plan): number => {
    const own =
      plan["Relation Name"] === "delivery"
        ? (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"]
        : 0;
    return own + (plan.Plans ?? []).reduce((sum, below) => sum + readBy(below), 0);
  };
  return readBy(top);
}

type Place = { afterId: string | null; afterAt?: Date };

const limit = 10;
const many = 3_000;
/** The deliveries of a row and of the one behind the page, each read by two steps at most. */
const fewOfPage = (limit + 1) * 3 * 3;

test("the newest of many old undelivered notifications are read without the states of the others", async () => {
  const { businessId, first, second, third } = await withWebhooks();
  await insertNotifications(businessId, 2 * many);
  const [upTo, from] = [2 * many, many + 1];
  await insertDeliveries({ webhookId: first, isAdditional: false, status: "delivered", upTo });
  await insertDeliveries({ webhookId: second, isAdditional: true, status: "waiting", upTo: many });
  await insertDeliveries({
    webhookId: second,
    isAdditional: true,
    status: "delivered",
    from,
    upTo,
  });
  await insertDeliveries({ webhookId: third, isAdditional: true, status: "delivered", upTo });
  await ledger.db.$executeRaw`ANALYZE`;
  const page = { ...firstPlace, limit };
  for (const webhookId of ["any", { id: second }] as const)
    for (const status of ["undelivered", "waiting"] as const) {
      const asked = { businessId, filter: { webhookId, status }, page };
      const sql = await pageSql(statementsOf(ledger.db), asked, []);
      // One that is named is looked up for each candidate: three deliveries of each.
      const named = webhookId === "any" ? 0 : 3 * many;
      expect(await deliveriesRead(sql)).toBeLessThanOrEqual(fewOfPage + named);
    }
});

/** Many notifications, all of them delivered at the first webhook. */
async function insertDeliveredAt(webhookId: string, businessId: string): Promise<void> {
  await insertNotifications(businessId, many);
  await insertDeliveries({ webhookId, isAdditional: false, status: "delivered", upTo: many });
}

test("a page of a webhook that the statistics do not know reads the deliveries of that page", async () => {
  const { businessId, first, second } = await withWebhooks();
  await insertDeliveredAt(first, businessId);
  await ledger.db.$executeRaw`ANALYZE`;
  await insertDeliveries({
    webhookId: second,
    isAdditional: true,
    status: "delivered",
    upTo: many,
  });
  const page = { ...firstPlace, limit };
  for (const status of [undefined, "delivered"] as const) {
    const filter = { webhookId: { id: second }, ...(status && { status }) };
    const sql = await pageSql(statementsOf(ledger.db), { businessId, filter, page }, []);
    expect(await deliveriesRead(sql)).toBeLessThanOrEqual(fewOfPage);
  }
});

/** A row needs some twenty pages: its notification, deliveries, attempts and webhooks, by index. */
const pagesOfPage = (limit + 1) * 25;

test("a page of a webhook that wanted few of many notifications reads those few", async () => {
  const { businessId, first, second, third } = await withWebhooks();
  await insertDeliveredAt(first, businessId);
  const each = many / 30;
  const given = { isAdditional: true, status: "delivered" };
  await insertDeliveries({ ...given, webhookId: second, upTo: many, each });
  await insertDeliveries({ ...given, webhookId: third, upTo: 5 });
  const read = async (webhookId: string, filter: NotificationFilter, place: Place) => {
    const asked = {
      businessId,
      filter: { ...filter, webhookId: { id: webhookId } },
      page: { limit, ...place },
    };
    const sql = await pageSql(statementsOf(ledger.db), asked, []);
    const rows = await ledger.db.$queryRaw<{ id: string }[]>(sql);
    expect(await pagesRead(sql)).toBeLessThanOrEqual(pagesOfPage);
    return rows.map(({ id }) => Number(id.slice(-12)));
  };
  const secondNewest = Array.from({ length: limit + 1 }, (_, back) => many - back * each);
  const behind = (number: number) => ({
    afterId: `01000000-0000-7000-8000-${String(number).padStart(12, "0")}`,
    afterAt: new Date(Date.UTC(2026, 0, 1, 0, number)),
  });
  const to = behind(many - 1).afterAt;
  for (const isKnown of [false, true]) {
    if (isKnown) await ledger.db.$executeRaw`ANALYZE`;
    for (const filter of [{}, { status: "delivered" }, { event: "transaction.deposit" }] as const) {
      expect(await read(second, filter, firstPlace)).toEqual(secondNewest);
      expect(await read(second, { ...filter, to }, firstPlace)).toEqual(
        secondNewest.map((number) => number - each),
      );
      expect(await read(second, filter, behind(each))).toEqual([]);
      expect(await read(third, filter, firstPlace)).toEqual([5, 4, 3, 2, 1]);
      expect(await read(third, filter, behind(4))).toEqual([3, 2, 1]);
    }
  }
});

test("a page of the newest of a chain reads the notifications of that page", async () => {
  const { businessId } = await withWebhooks();
  const very = 10 * many;
  await insertNotifications(businessId, very);
  await ledger.db.$executeRaw`
    UPDATE notification SET chain_name = CASE right(id::text, 12)::int % 2 WHEN 0 THEN 'base' ELSE 'ethereum' END,
      sequence = right(id::text, 12)::int, digest = '\\x00', body = '{"pad":"' || repeat('x', 600) || '"}'`;
  await ledger.db.$executeRaw`VACUUM ANALYZE`;
  const asked = { businessId, filter: { chainName: "base" }, page: { ...firstPlace, limit } };
  const sql = await pageSql(statementsOf(ledger.db), asked, []);
  const rows = await ledger.db.$queryRaw<{ id: string }[]>(sql);
  expect(rows.map(({ id }) => Number(id.slice(-12)))).toEqual(
    Array.from({ length: limit + 1 }, (_, back) => very - 2 * back),
  );
  expect(await pagesRead(sql)).toBeLessThanOrEqual(pagesOfPage);
});

test("few that match among very many of a webhook are found without a look at each of those", async () => {
  const { businessId, second } = await withWebhooks();
  const very = mostCollected + 1;
  await insertNotifications(businessId, very);
  await insertDeliveries({
    webhookId: second,
    isAdditional: true,
    status: "delivered",
    upTo: very,
  });
  const seldom = 5_000;
  await ledger.db.$executeRaw`
    UPDATE notification SET event = 'transaction.payment' WHERE right(id::text, 12)::int % ${seldom} = 0`;
  await ledger.db.$executeRaw`VACUUM ANALYZE`;
  const filter = { webhookId: { id: second }, event: "transaction.payment" };
  const page = { ...firstPlace, limit };
  const sql = await pageSql(statementsOf(ledger.db), { businessId, filter, page }, []);
  const rows = await ledger.db.$queryRaw<{ id: string }[]>(sql);
  expect(rows.map(({ id }) => Number(id.slice(-12)))).toEqual([4, 3, 2, 1].map((n) => n * seldom));
  // One page has some fifty notifications.
  expect(await pagesRead(sql)).toBeLessThan(very / 4);
});

test("what the filter of the first webhook left out is not looked up there", async () => {
  const { businessId, first, second } = await withWebhooks();
  await insertNotifications(businessId, many);
  await insertDeliveries({
    webhookId: first,
    isAdditional: false,
    status: "delivered",
    upTo: limit,
  });
  const given = { webhookId: second, isAdditional: true, status: "delivered" };
  await insertDeliveries({ ...given, upTo: many });
  await ledger.db.$executeRaw`
    UPDATE notification SET is_filtered = true WHERE right(id::text, 12)::int > ${limit}`;
  await ledger.db.$executeRaw`ANALYZE`;
  const page = { ...firstPlace, limit };
  const filters = [{ webhookId: { id: first } }, { status: "delivered" }] as const;
  for (const filter of filters) {
    const sql = await pageSql(statementsOf(ledger.db), { businessId, filter, page }, []);
    expect(await ledger.db.$queryRaw(sql)).toHaveLength(limit);
    expect(await deliveriesRead(sql)).toBeLessThanOrEqual(fewOfPage);
  }
});

test("what is held at one webhook is not looked up for another one", async () => {
  const { businessId, first, second } = await withWebhooks();
  await ledger.db.webhook.update({ where: { id: second }, data: { isActive: false } });
  await insertDeliveredAt(first, businessId);
  await insertDeliveries({ webhookId: second, isAdditional: true, status: "waiting", upTo: many });
  await ledger.db.$executeRaw`ANALYZE`;
  const read = (at: { id: string | null } | null, status: "held" | "waiting" | "undelivered") =>
    deliveriesRead(undeliveredNotifications({ businessId, at }, status, "a few"));
  expect(await read({ id: null }, "held")).toBe(0);
  expect(await read({ id: first }, "undelivered")).toBe(0);
  expect(await read(null, "waiting")).toBe(0);
  expect(await read(null, "held")).toBe(many);
});
