import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApiKey } from "../../../src/domain/api-key.ts";
import { revokeApiKey } from "../../../src/ledger/api-keys.ts";
import { resumeBusiness, suspendBusiness } from "../../../src/ledger/businesses.ts";
import { insertKey, insertStranger, openTestApi, type TestApi } from "../../support/test-api.ts";

let api: TestApi;

beforeAll(async () => {
  api = await openTestApi();
});

afterAll(() => api.stop());

/** Longer than key state is remembered, shorter than a revocation may take. */
const aMomentMs = 1_100;

const outcome = async (key: string | null, url = "/balance") => {
  const response = await api.get(url, key);
  return [response.statusCode, response.json().error?.code];
};

test.each(["/balance", "/wallets", "/transactions", "/transactions/x", "/webhooks"])(
  "%s opens to a key alone",
  async (url) => {
    expect(await outcome(null, url)).toEqual([401, "missing_credentials"]);
    expect(await outcome("nonsense", url)).toEqual([401, "invalid_api_key"]);
    expect(await outcome(newApiKey(), url)).toEqual([401, "invalid_api_key"]);
  },
);

test("a webhook is not registered without a key, whatever the body", async () => {
  expect((await api.post("/webhooks", { url: "https://a.example" }, null)).statusCode).toBe(401);
  const huge = { url: "x".repeat(200_000) };
  expect((await api.post("/webhooks", huge, null)).statusCode).toBe(401);
});

test("an access token is refused with what to send instead", async () => {
  const headers = { authorization: "Bearer abc" };
  const response = await api.web.inject({ method: "GET", url: "/balance", headers });
  expect(response.statusCode).toBe(401);
  expect(response.json().error.message).toContain("x-api-key");
});

describe("within a moment", () => {
  test("a revoked key is refused, for ever", async () => {
    const key = await insertKey(api, api.businessId);
    expect((await outcome(key))[0]).toBe(200);
    const row = await api.db.apiKey.findFirstOrThrow({ orderBy: { id: "desc" } });
    await revokeApiKey(api.db, row.id);
    api.clock.advance(aMomentMs);
    expect(await outcome(key)).toEqual([403, "key_revoked"]);
  });

  test("a suspended business is refused, until it is resumed", async () => {
    const { businessId, key } = await insertStranger(api);
    expect((await outcome(key))[0]).toBe(200);
    await suspendBusiness(api.db, businessId);
    api.clock.advance(aMomentMs);
    expect(await outcome(key)).toEqual([403, "business_suspended"]);
    await resumeBusiness(api.db, businessId);
    api.clock.advance(aMomentMs);
    expect((await outcome(key))[0]).toBe(200);
  });

  test("a key is asked for once, and not again", async () => {
    const key = await insertKey(api, api.businessId);
    expect((await outcome(key))[0]).toBe(200);
    await api.db.apiKey.updateMany({
      data: { revokedAt: new Date() },
      where: { prefix: key.slice(0, 8) },
    });
    expect((await outcome(key))[0]).toBe(200);
    api.clock.advance(aMomentMs);
    expect((await outcome(key))[0]).toBe(403);
  });
});

test("a business that is not verified is refused", async () => {
  const { businessId, key } = await insertStranger(api);
  await api.db.business.update({ where: { id: businessId }, data: { verifiedAt: null } });
  expect(await outcome(key)).toEqual([403, "business_unverified"]);
});

test("a key is compared whole, in its own case", async () => {
  expect((await outcome(api.key.slice(0, -1)))[0]).toBe(401);
  expect((await outcome(`${api.key}A`))[0]).toBe(401);
  expect((await outcome(api.key.toUpperCase()))[0]).toBe(401);
});
