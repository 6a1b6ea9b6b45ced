import { beforeEach, expect, test } from "vitest";
import { recoverSome } from "../../../src/ledger/deliveries/recover.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";

const api = eachTestApi();
let webhookId: string;

beforeEach(async () => {
  webhookId = (await api.post("/webhooks", { url: "https://example.com/hook" })).json().data.id;
});

const since = "2026-01-01T00:00:00.000Z";

/** Given-up deliveries of notifications that were written second by second. */
async function giveUp(count: number): Promise<void> {
  await api.db.$executeRaw`
    WITH written AS (
      INSERT INTO notification (id, business_id, state, event, body, created_at)
      SELECT gen_random_uuid(), ${api.businessId}::uuid, 'confirmed', 'transaction.deposit', '{}',
        ${since}::timestamptz + i * interval '1 second' FROM generate_series(0, ${count - 1}::int) i
      RETURNING id
    )
    INSERT INTO delivery (id, notification_id, business_id, webhook_id, status)
    SELECT gen_random_uuid(), id, ${api.businessId}::uuid, ${webhookId}::uuid, 'exhausted' FROM written`;
}

const recover = (body: object = { since }, headers = {}) =>
  api.web.inject({
    method: "POST",
    url: `/webhooks/${webhookId}/recover`,
    headers: { "x-api-key": api.key, ...headers },
    payload: body,
  });

const pathOf = (id: string) => `/webhooks/${webhookId}/recoveries/${id}`;

test("a small one is done when it is answered, and is read again as it was answered", async () => {
  await giveUp(3);
  const answered = await recover({ since, include: ["exhausted"], filter: {} });
  expect(answered.statusCode).toBe(202);
  const { data, queued } = answered.json();
  expect([queued, data.queued]).toEqual([3, 3]);
  expect(data).toMatchObject({
    webhook_id: webhookId,
    state: "done",
    since,
    until: null,
    include: ["exhausted"],
    filter: null,
    position: "2026-01-01T00:00:02.000Z",
    through: "2026-01-01T00:00:02.000Z",
  });
  expect((await api.get(pathOf(data.recovery))).json().data).toEqual(data);
  expect((await api.admin("GET", pathOf(data.recovery))).json().data).toEqual(data);
});

test("a large one is running when it is answered, shows its progress, and is on record once", async () => {
  await giveUp(1_500);
  const { data } = (await recover()).json();
  expect(data).toMatchObject({ state: "running", queued: 1_000, ended_at: null });
  const second = await recover();
  expect([second.statusCode, second.json().error.code]).toEqual([409, "recovery_running"]);
  expect(second.json().error.message).toContain(data.recovery);
  const ofOperator = await api.admin("POST", `/webhooks/${webhookId}/recover`, { since });
  expect(ofOperator.statusCode).toBe(409);
  await recoverSome(api.db);
  const ended = (await api.get(pathOf(data.recovery))).json().data;
  expect(ended).toMatchObject({ state: "done", queued: 1_500 });
  const later = (await recover()).json().data;
  expect(later).toMatchObject({ state: "done", queued: 0 });
  const { data: rows } = (await api.get(`/webhooks/${webhookId}/recoveries`)).json();
  expect(rows).toEqual([later, ended]);
  const entries = (await api.get("/audit"))
    .json()
    .data.filter(({ action }: { action: string }) => action === "webhook.recover");
  expect(
    entries.map(({ subject, details }: { subject: string; details: object }) => ({
      subject,
      details,
    })),
  ).toEqual(
    [later, ended].map(({ recovery }) => ({
      subject: webhookId,
      details: { since, until: null, recoveryId: recovery },
    })),
  );
});

test("a request that is repeated with its key begins one, and has its answer", async () => {
  await giveUp(1_500);
  const key = { "idempotency-key": "again-1" };
  const first = await recover({ since }, key);
  const again = await recover({ since }, key);
  expect([again.statusCode, again.body]).toEqual([202, first.body]);
  expect(await api.db.recovery.count()).toBe(1);
});

test("an operator is answered the webhook's id as before, and whose it is does not matter", async () => {
  await giveUp(2);
  const asked = await api.admin("POST", `/webhooks/${webhookId}/recover`, { since });
  expect([asked.statusCode, asked.json().data]).toMatchObject([
    202,
    { id: webhookId, queued: 2, state: "done" },
  ]);
  const list = await api.admin("GET", `/webhooks/${webhookId}/recoveries`);
  expect(list.json().data).toMatchObject([{ recovery: asked.json().data.recovery }]);
});

test("nothing of another business is found, and what has never been is not either", async () => {
  const { data } = (await recover()).json();
  const { key } = await insertStranger(api);
  for (const [path, code] of [
    [`/webhooks/${webhookId}/recoveries`, "webhook_not_found"],
    [pathOf(data.recovery), "recovery_not_found"],
  ] as const) {
    const refused = await api.get(path, key);
    expect([refused.statusCode, refused.json().error.code]).toEqual([404, code]);
  }
  for (const id of ["nonsense", webhookId])
    expect((await api.get(pathOf(id))).json().error.code).toBe("recovery_not_found");
});
