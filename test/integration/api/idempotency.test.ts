import type { LightMyRequestResponse } from "fastify";
import { describe, expect, test } from "vitest";
import { createAdministration } from "../../../src/app/operator.ts";
import type { Claim } from "../../../src/domain/business/idempotency.ts";
import { claimRequest, pruneAnswers } from "../../../src/ledger/businesses/idempotency-keys.ts";
import { businessCreate } from "../../../src/operator/business/create.ts";
import { adminToken, insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

type Sent = { url: string; body: object; key: string; as?: Record<string, string> };

function send({ url, body, key, as }: Sent): Promise<LightMyRequestResponse> {
  const headers = { "x-api-key": api.key, ...as, "idempotency-key": key };
  return api.web.inject({ method: "POST", url, headers, payload: body });
}

/** As the operator: each call that is carried out makes another business. */
function create(name: string, key: string): Promise<LightMyRequestResponse> {
  const as = { authorization: `Bearer ${adminToken}` };
  return send({ url: "/admin/businesses", body: { name }, key, as });
}

const named = (name: string) => api.db.business.count({ where: { name } });

/** As if the process that claimed the key had ended a minute ago. */
const abandon = (key: string) =>
  api.db.idempotencyKey.updateMany({ where: { key }, data: { claimedUntil: new Date(0) } });

test("the same request again is answered with the same bytes, and does nothing", async () => {
  const sent = { url: "/webhooks", body: { url: "https://a.example/hook" }, key: "register-1" };
  const first = await send(sent);
  expect(first.statusCode).toBe(201);
  expect(first.headers["idempotency-replayed"]).toBeUndefined();
  // In quotes, as the draft writes it, it is the same key.
  for (const key of [sent.key, `"${sent.key}"`]) {
    const again = await send({ ...sent, key });
    expect([again.statusCode, again.body]).toEqual([201, first.body]);
    expect(again.headers["idempotency-replayed"]).toBe("true");
  }
  const secret = first.json().data.secret;
  expect(secret).toMatch(/^whsec_/);
  const [row] = await api.db.idempotencyKey.findMany({ where: { key: sent.key } });
  expect(JSON.stringify(row)).not.toContain(secret);
});

test("a long list again is answered with the same bytes, every wallet in its place", async () => {
  const wallets = Array.from({ length: 1_200 }, (_, at) => ({
    blockchain: "ethereum",
    address: `0x5a${at.toString(16).padStart(38, "0")}`,
    reference: `order-${at}`,
  }));
  const url = `/admin/businesses/${api.businessId}/wallets`;
  const as = { authorization: `Bearer ${adminToken}` };
  const sent = { url, body: { wallets }, key: "many-1", as };
  const first = await send(sent);
  expect(first.statusCode).toBe(201);
  const { data } = first.json<{ data: { reference: string }[] }>();
  expect(data.map(({ reference }) => reference)).toEqual(wallets.map((one) => one.reference));
  const again = await send(sent);
  expect([again.statusCode, again.body]).toEqual([201, first.body]);
  const other = await send({ ...sent, body: { wallets: wallets.slice(1) } });
  expect(other.json().error.code).toBe("idempotency_key_reused");
});

test("the key of another request is refused, wherever they differ", async () => {
  expect((await create("Differs", "differs-1")).statusCode).toBe(201);
  const other = await create("Differs Inc", "differs-1");
  expect([other.statusCode, other.json().error.code]).toEqual([422, "idempotency_key_reused"]);
  expect(await named("Differs Inc")).toBe(0);
});

test("another business with the same key is somebody else", async () => {
  const stranger = await insertStranger(api);
  const sent = { url: "/webhooks", body: { url: "https://a.example/hook" }, key: "register-1" };
  const theirs = await send({ ...sent, as: { "x-api-key": stranger.key } });
  expect(theirs.statusCode).toBe(201);
  expect(theirs.json().data.secret).not.toBe((await send(sent)).json().data.secret);
});

test("of twenty at once one is carried out, and the others are answered the same or told to wait", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => create("At Once", "at-once-1")),
  );
  expect(await named("At Once")).toBe(1);
  const made = answers.filter(({ statusCode }) => statusCode === 201);
  expect(new Set(made.map(({ body }) => body)).size).toBe(1);
  for (const { statusCode, body } of answers) {
    if (statusCode !== 201) {
      expect([statusCode, JSON.parse(body).error.code]).toEqual([409, "idempotency_key_in_use"]);
    }
  }
  expect((await create("At Once", "at-once-1")).body).toBe(made[0]?.body);
});

test("what is malformed uses no key up, and what is refused for its state is answered so again", async () => {
  expect((await create("", "refused-1")).statusCode).toBe(400);
  expect((await create("Refused", "refused-1")).statusCode).toBe(201);
  for (const key of ["", "é", "x".repeat(256)]) {
    const refused = await create("Odd", key);
    expect([key, refused.statusCode]).toEqual([key, 400]);
  }
  const gone = { url: "/webhooks/01900000-0000-7000-8000-000000000000/recover", key: "gone-1" };
  const first = await send({ ...gone, body: { since: "2026-01-01" } });
  const again = await send({ ...gone, body: { since: "2026-01-01" } });
  expect([first.statusCode, again.body]).toEqual([404, first.body]);
});

describe("a process that ends while it carries a request out", () => {
  const owner = "operator ops";
  const claimed = async (key: string, name: string): Promise<Claim> => {
    // The hash of what `create` sends: claimed by a request that comes to nothing, then given back.
    const { requestHash } = await hashOf(key, name);
    const outcome = await claimRequest(api.db, { owner, key, requestHash });
    if (outcome.kind !== "claimed") throw new Error(`It is ${outcome.kind}`);
    return outcome.claim;
  };
  const hashOf = async (key: string, name: string) => {
    await create(name, `${key}-probe`);
    const where = { owner_key: { owner, key: `${key}-probe` } };
    return api.db.idempotencyKey.findUniqueOrThrow({ where });
  };
  const carryOut = (claim: Claim, name: string) => {
    const by = { name: "ops", via: "http", address: null } as const;
    const ports = createAdministration(api.db, by, claim);
    return businessCreate.perform(ports, { name, isVerified: false });
  };

  test("before it is done: whoever sends it again carries it out, and the first one cannot any more", async () => {
    const claim = await claimed("crash-1", "Crash");
    expect((await create("Crash", "crash-1")).json().error.code).toBe("idempotency_key_in_use");
    await abandon("crash-1");
    const before = await named("Crash");
    expect((await create("Crash", "crash-1")).statusCode).toBe(201);
    expect(await named("Crash")).toBe(before + 1);
    await expect(carryOut(claim, "Crash")).rejects.toMatchObject({
      code: "idempotency_key_in_use",
    });
    expect(await named("Crash")).toBe(before + 1);
  });

  test("after it is done, and before it answers: nobody does it again", async () => {
    const claim = await claimed("crash-2", "Lost");
    await carryOut(claim, "Lost");
    const before = await named("Lost");
    await abandon("crash-2");
    const again = await create("Lost", "crash-2");
    expect([again.statusCode, again.json().error.code]).toEqual([409, "idempotency_answer_lost"]);
    expect(await named("Lost")).toBe(before);
  });
});

test("after a day the key is free again, and its answer is pruned", async () => {
  expect((await create("Yesterday", "old-1")).statusCode).toBe(201);
  const dayAgo = new Date(Date.now() - 86_400_000 - 60_000);
  await api.db.idempotencyKey.updateMany({ where: { key: "old-1" }, data: { createdAt: dayAgo } });
  expect((await create("Today", "old-1")).statusCode).toBe(201);
  const kept = await api.db.idempotencyKey.count();
  await api.db.idempotencyKey.updateMany({ where: { key: "old-1" }, data: { createdAt: dayAgo } });
  expect(await pruneAnswers(api.db, { limit: 10 })).toBe(1);
  expect(await api.db.idempotencyKey.count()).toBe(kept - 1);
});
