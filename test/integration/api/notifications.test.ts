import { expect, test } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { eachTestApi } from "../../support/api/each-api.ts";

const api = eachTestApi();

type Row = { event: string; status: string; webhookId: string; at: string };

async function insert({ event, status, webhookId, at }: Row): Promise<string> {
  const createdAt = new Date(at);
  const { businessId } = api;
  const id = idAt(createdAt.getTime());
  const body = JSON.stringify({ id });
  const notification = { id, businessId, state: "confirmed", event, body, createdAt };
  await api.db.notification.create({ data: notification });
  const delivery = { id: idAt(Date.now()), notificationId: id, businessId, status, webhookId };
  await api.db.delivery.create({ data: delivery });
  return id;
}

const found = async (query: string): Promise<string[]> =>
  (await api.get(`/notifications?${query}`)).json().data.map(({ id }: { id: string }) => id);

test("notifications are found by event, status, webhook and time, and by all of them together", async () => {
  const webhookId = (await api.post("/webhooks", { url: "https://a.example/hook" })).json().data.id;
  const other = idAt(Date.now());
  const deposit = { event: "transaction.deposit", webhookId };
  const first = await insert({ ...deposit, status: "delivered", at: "2026-01-01T00:00:00Z" });
  const second = await insert({ ...deposit, status: "exhausted", at: "2026-01-02T00:00:00Z" });
  const third = await insert({
    event: "transaction.reversed",
    webhookId: other,

    status: "delivered",
    at: "2026-01-03T00:00:00Z",
  });
  expect(await found("")).toEqual([third, second, first]);
  expect(await found("event=transaction.deposit")).toEqual([second, first]);
  expect(await found("event=transaction.unknown")).toEqual([]);
  expect(await found("status=delivered")).toEqual([third, first]);
  expect(await found(`webhook_id=${other}`)).toEqual([third]);
  expect(await found("from=2026-01-02&to=2026-01-03")).toEqual([second]);
  expect(await found(`event=transaction.deposit&status=delivered&webhook_id=${webhookId}`)).toEqual(
    [first],
  );
  const page = (await api.get("/notifications?status=delivered&limit=1")).json();
  expect(await found(`status=delivered&limit=1&cursor=${page.next_cursor}`)).toEqual([first]);
  for (const wrong of ["status=lost", "webhook_id=1", "from=yesterday"]) {
    expect([wrong, (await api.get(`/notifications?${wrong}`)).statusCode]).toEqual([wrong, 400]);
  }
});

test("notifications are newest first by when they were written, whatever their ids say", async () => {
  const written = async (minute: number, idMinute: number) => {
    const id = idAt(Date.UTC(2026, 0, 1, 0, idMinute));
    const createdAt = new Date(Date.UTC(2026, 0, 1, 0, minute));
    const event = "transaction.deposit";
    const of = { businessId: api.businessId, state: "confirmed", event };
    await api.db.notification.create({ data: { ...of, id, body: "{}", createdAt } });
    return id;
  };
  // The second and the last are of blocks that were read late.
  const ids = [await written(1, 1), await written(2, 0), await written(3, 3), await written(4, 2)];
  const newest = ids.reverse();
  expect(await found("")).toEqual(newest);
  const paged: string[] = [];
  for (let query = "limit=1"; ; ) {
    const page = (await api.get(`/notifications?${query}`)).json();
    paged.push(...page.data.map(({ id }: { id: string }) => id));
    if (page.next_cursor === null) break;
    query = `limit=1&cursor=${page.next_cursor}`;
  }
  expect(paged).toEqual(newest);
});
