import { expect, test } from "vitest";
import { mostWebhooks } from "../../../src/domain/webhook/registration.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import { insertDelivery } from "../../support/ledger/ledger-fixtures.ts";
import { addWebhook, registerWebhook } from "../../support/ledger/steps.ts";

const api = eachTestApi();

const statuses = ["waiting", "delivered", "exhausted", "cancelled"] as const;

const list = async (query = "") => (await api.admin("GET", `/notifications${query}`)).json();

/** What is listed, as whose it is and how it stands. */
const listed = async (query: string) =>
  (await list(query)).data.map(
    ({ business_id: id, status }: { business_id: string; status: string }) => [id, status],
  );

test("an operator lists the notifications of all businesses, or by whose they are and how they stand", async () => {
  const { db, businessId } = api;
  const { businessId: otherId } = await insertStranger(api);
  for (const owner of [businessId, otherId]) {
    const registration = { businessId: owner, url: "https://a.example/", secretCiphertext: "x" };
    const { webhook } = await registerWebhook(db, registration);
    for (const status of statuses)
      await insertDelivery(db, { businessId: owner, webhookId: webhook.id, status });
    await insertDelivery(db, { businessId: owner, webhookId: null, status: "waiting" });
  }
  const all = await listed("");
  expect(all).toHaveLength(2 * (statuses.length + 1));
  for (const status of [...statuses, "held"]) {
    const expected = [businessId, otherId].map((id) => [id, status]);
    expect((await listed(`?status=${status}`)).toSorted()).toEqual(expected.toSorted());
    expect(await listed(`?status=${status}&business_id=${otherId}`)).toEqual([[otherId, status]]);
  }
  expect((await listed(`?business_id=${otherId}`)).every(([id]: string[]) => id === otherId)).toBe(
    true,
  );
  const first = await list("?limit=7");
  const rest = await list(`?limit=7&cursor=${first.next_cursor}`);
  expect([...first.data, ...rest.data]).toEqual((await list()).data);
  expect(rest.next_cursor).toBeNull();
});

test("what was delivered at last is no longer among what was given up", async () => {
  const { db, businessId } = api;
  const { notificationId } = await insertDelivery(db, {
    businessId,
    webhookId: null,
    status: "exhausted",
  });
  expect(await listed("?status=exhausted")).toEqual([[businessId, "exhausted"]]);
  await db.delivery.create({
    data: { id: notificationId, notificationId, businessId, status: "delivered" },
  });
  expect(await listed("?status=exhausted")).toEqual([]);
  expect(await listed("?status=delivered")).toEqual([[businessId, "delivered"]]);
});

test("an operator has a notification sent again to the webhook that is named, or to the first", async () => {
  const { db, businessId } = api;
  const registration = (url: string) => ({ businessId, url, secretCiphertext: "x" });
  const first = (await registerWebhook(db, registration("https://a.example/"))).webhook.id;
  const added = { ...registration("https://b.example/"), most: mostWebhooks };
  const second = (await addWebhook(db, added)).webhook.id;
  const given = { businessId, webhookId: first, status: "exhausted" } as const;
  const { notificationId } = await insertDelivery(db, given);
  const again = async (body?: Record<string, string>) =>
    (await api.admin("POST", `/notifications/${notificationId}/redeliver`, body)).statusCode;
  const due = async () =>
    (await db.delivery.findMany({ where: { status: "waiting" } })).map((one) => one.webhookId);
  expect(await again({ webhook_id: second })).toBe(202);
  expect(await due()).toEqual([second]);
  expect(await again({ webhook_id: notificationId })).toBe(404);
  expect(await again()).toBe(202);
  expect((await due()).toSorted()).toEqual([first, second].toSorted());
});
