import { describe, expect, test } from "vitest";
import { unaskedWords } from "../../../src/domain/delivery/notification.ts";
import { decryptSecret } from "../../../src/domain/webhook/secret.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import { keyringOf } from "../../support/keyring.ts";

const api = eachTestApi();

test("the first registration shows the secret, which is stored encrypted", async () => {
  const response = await api.post("/webhooks", { url: "HTTPS://Example.com:443/hook#x" });
  expect(response.statusCode).toBe(201);
  const { success, data } = response.json();
  expect(success).toBe(true);
  expect(data).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    url: "https://example.com/hook",
    event: "*",
    is_active: true,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  });
  const row = await api.db.webhook.findFirstOrThrow();
  expect(row.secretCiphertext).not.toContain(data.secret);
  expect(decryptSecret(keyringOf(7), row.secretCiphertext, api.businessId)).toBe(data.secret);
});

test("the same URL again is the same webhook, without a secret", async () => {
  const first = (await api.post("/webhooks", { url: "https://example.com" })).json();
  const again = await api.post("/webhooks", { url: "https://EXAMPLE.com/#again" });
  expect(again.statusCode).toBe(200);
  const { secret: _, ...shown } = first.data;
  expect(again.json().data).toEqual(shown);
});

test("another URL is another webhook with another secret", async () => {
  const first = (await api.post("/webhooks", { url: "https://a.example" })).json();
  const second = await api.post("/webhooks", { url: "https://b.example" });
  expect(second.statusCode).toBe(201);
  expect(second.json().data.id).not.toBe(first.data.id);
  expect(second.json().data.secret).not.toBe(first.data.secret);
  expect((await api.get("/webhooks")).json().data).toMatchObject({ url: "https://b.example/" });
});

test("an additional one stands beside the first, which it does not replace", async () => {
  const first = (await api.post("/webhooks", { url: "https://a.example" })).json().data;
  const added = await api.post("/webhooks", { url: "https://b.example", additional: true });
  expect(added.statusCode).toBe(201);
  const { id, secret } = added.json().data;
  expect(added.json().data).toMatchObject({ additional: true, url: "https://b.example/" });
  expect([secret === first.secret, first.additional]).toEqual([false, false]);
  expect((await api.get("/webhooks")).json().data.id).toBe(first.id);
  const all = (await api.get("/webhooks/all")).json().data;
  expect(all).toMatchObject([{ id: first.id }, { id, additional: true, circuit: "closed" }]);
  expect((await api.post(`/webhooks/${id}/rotate-secret`, {})).statusCode).toBe(200);
  const odd = await api.post("/webhooks", { url: "https://c.example", additional: "yes" });
  expect(odd.statusCode).toBe(400);
});

test("there are no more than the configuration allows", async () => {
  const add = (name: string) =>
    api.post("/webhooks", { url: `https://${name}.example`, additional: true });
  for (const name of ["a", "b", "c"]) expect((await add(name)).statusCode).toBe(201);
  const refused = await add("d");
  expect([refused.statusCode, refused.json().error.code]).toEqual([409, "limit_reached"]);
  expect((await add("c")).statusCode).toBe(200);
});

test("a filter is stored, shown in words, changed and taken away, and is on record", async () => {
  const filter = { events: ["transaction.deposit"], references: ["shop-"], min_usd: "0.5" };
  const added = await api.post("/webhooks", { url: "https://a.example", filter });
  expect(added.json().data.filter).toEqual(filter);
  const { id } = added.json().data;
  const shown = async () => (await api.get("/webhooks")).json().data;
  const wants =
    'transaction.deposit, with a reference that begins with "shop-", worth at least 0.5 USD or without a price';
  expect(await shown()).toMatchObject({ filter, wants });
  const large = { min_amount: { ETH: "10" }, blockchains: ["ethereum"] };
  const changed = await api.call("PATCH", `/webhooks/${id}`, { filter: large });
  expect(changed.json().data).toMatchObject({ filter: large });
  const { details } = (await api.get("/audit")).json().data[0];
  expect(details.filter).toEqual({ minAmount: { ETH: "10" }, blockchains: ["ethereum"] });
  await api.call("PATCH", `/webhooks/${id}`, { rate: 5 });
  expect((await api.admin("GET", "/webhooks")).json().data[0].filter).toEqual(large);
  for (const none of [{}, null]) {
    await api.call("PATCH", `/webhooks/${id}`, { filter: none });
    expect(await shown()).toMatchObject({ filter: null, wants: unaskedWords });
  }
});

test.each([
  ["events", ["webhook.test"]],
  ["events", []],
  ["wallet_ids", ["mine"]],
  ["references", "shop-"],
  ["min_amount", { ETH: 5 }],
  ["min_usd", "1e3"],
  ["blockchains", ["polygon"]],
  ["max_usd", "5"],
])("a filter whose %s is %j is refused, and the field named", async (name, value) => {
  const { id } = (await api.post("/webhooks", { url: "https://a.example" })).json().data;
  const change = await api.call("PATCH", `/webhooks/${id}`, { filter: { [name]: value } });
  expect(change.statusCode).toBe(400);
  expect(change.json().error.details[0].field).toMatch(new RegExp(`^filter\\.${name}`));
});

test("a description is stored, shown, changed and taken away, and is on record", async () => {
  const url = "https://a.example";
  const added = await api.post("/webhooks", { url, description: "Shop" });
  expect(added.json().data.description).toBe("Shop");
  const { id } = added.json().data;
  const change = (description: string | null) =>
    api.call("PATCH", `/webhooks/${id}`, { description });
  expect((await change("Credits")).json().data.description).toBe("Credits");
  expect((await api.get("/audit")).json().data[0].details.description).toBe("Credits");
  await api.post("/webhooks", { url });
  await api.call("PATCH", `/webhooks/${id}`, { rate: 5 });
  expect((await api.admin("GET", "/webhooks")).json().data[0].description).toBe("Credits");
  expect((await change(null)).json().data.description).toBeNull();
  await api.post("/webhooks", { url, description: "Shop" });
  expect((await api.get("/webhooks")).json().data.description).toBe("Shop");
  const other = await api.post("/webhooks", { url: "https://b.example" });
  expect(other.json().data.description).toBeNull();
});

test.each([[""], ["two\nlines"], ["hidden\u202e"], ["a".repeat(201)]])(
  "the description %j is refused, and the field named",
  async (description) => {
    const refused = await api.post("/webhooks", { url: "https://a.example", description });
    expect([refused.statusCode, refused.json().error.details[0].field]).toEqual([
      400,
      "description",
    ]);
  },
);

test("of two registrations at once one remains", async () => {
  const answers = await Promise.all(
    ["https://a.example", "https://b.example"].map((url) => api.post("/webhooks", { url })),
  );
  expect(answers.map((answer) => answer.statusCode)).toEqual([201, 201]);
  const { id } = (await api.get("/webhooks")).json().data;
  expect(answers.map((answer) => answer.json().data.id)).toContain(id);
});

test("the registration is shown with its health and without its secret", async () => {
  expect((await api.get("/webhooks")).json().error.code).toBe("webhook_not_found");
  await api.post("/webhooks", { url: "https://example.com" });
  const { data } = (await api.get("/webhooks")).json();
  expect(data).toMatchObject({
    is_active: true,
    last_success_at: null,
    consecutive_failures: 0,
    disabled_at: null,
    disabled_reason: null,
    rate: null,
    circuit: "closed",
    circuit_opened_at: null,
    circuit_retry_at: null,
  });
  expect(JSON.stringify(data)).not.toContain("whsec_");
  const { key } = await insertStranger(api);
  expect((await api.get("/webhooks", key)).statusCode).toBe(404);
});

describe("a malformed registration", () => {
  test.each([
    ["without a url", {}, "url"],
    ["with a url that is no text", { url: 5 }, "url"],
    ["with a field that is not known", { url: "https://a.example", events: [] }, "events"],
    ["that is a list", [], ""],
  ])("%s is refused and the field named", async (_title, body, field) => {
    const response = await api.post("/webhooks", body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request", details: [{ field }] });
  });

  test("whose url is not a URL is refused", async () => {
    const response = await api.post("/webhooks", { url: "example.com" });
    expect([response.statusCode, response.json().error.code]).toEqual([400, "invalid_url"]);
  });

  test("whose target may not be notified is refused, and nothing is stored", async () => {
    const response = await api.post("/webhooks", { url: "https://10.0.0.1/" });
    expect([response.statusCode, response.json().error.code]).toEqual([400, "target_refused"]);
    expect(await api.db.webhook.count()).toBe(0);
  });
});

test("an operator lists the webhooks of one business alone", async () => {
  const { businessId } = api;
  const stranger = await insertStranger(api);
  for (const key of [api.key, stranger.key])
    await api.post("/webhooks", { url: "https://example.com/own" }, key);
  const of = async (query: string) =>
    (await api.admin("GET", `/webhooks${query}`))
      .json()
      .data.map((one: { business_id: string }) => one.business_id);
  expect(new Set(await of(""))).toEqual(new Set([businessId, stranger.businessId]));
  expect(new Set(await of(`?business_id=${businessId}`))).toEqual(new Set([businessId]));
});
