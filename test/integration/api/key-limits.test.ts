import { describe, expect, test } from "vitest";
import type { KeyLimits } from "../../../src/domain/business/api-key.ts";
import { insertKey, openTestApi, viewerToken } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

const key = (own: Partial<KeyLimits>) => insertKey(api, api.businessId, own);

const outcome = async (response: Promise<{ statusCode: number; json: () => unknown }>) => {
  const answer = await response;
  const body = answer.json() as { error?: { code: string } };
  return body.error === undefined ? answer.statusCode : [answer.statusCode, body.error.code];
};

const from = (address: string, shown: string) =>
  outcome(
    api.web.inject({ url: "/balance", remoteAddress: address, headers: { "x-api-key": shown } }),
  );

test("a key with scopes does what they say, and so do its tokens", async () => {
  const reading = await key({ scopes: ["read"] });
  const hooking = await key({ scopes: ["webhooks"] });
  const url = "https://a.example";
  const missing = [403, "scope_missing"];
  expect(await outcome(api.get("/balance", reading))).toBe(200);
  expect(await outcome(api.post("/webhooks", { url }, reading))).toEqual(missing);
  expect(await outcome(api.post("/webhooks", { url }, hooking))).toBe(201);
  expect(await outcome(api.get("/webhooks", hooking))).toEqual(missing);
  const nothing = "/notifications/01900000-0000-7000-8000-000000000000/redeliver";
  expect(await outcome(api.post(nothing, undefined, hooking))).toEqual(missing);
  const resending = await key({ scopes: ["notifications"] });
  expect((await api.post(nothing, undefined, resending)).statusCode).toBe(404);
  const { access_token } = (await api.post("/auth/token", undefined, reading)).json();
  const headers = { authorization: `Bearer ${access_token}` };
  const payload = { url };
  expect(
    await outcome(api.web.inject({ method: "POST", url: "/webhooks", headers, payload })),
  ).toEqual(missing);
  expect(await outcome(api.web.inject({ url: "/balance", headers }))).toBe(200);
});

test("a key that expires is refused from that moment on", async () => {
  const shown = await key({ expiresAt: new Date(api.clock.now() + 60_000) });
  expect(await outcome(api.get("/balance", shown))).toBe(200);
  api.clock.advance(60_000);
  expect(await outcome(api.get("/balance", shown))).toEqual([403, "key_expired"]);
});

test("a key with networks is used from there alone", async () => {
  const shown = await key({ networks: ["203.0.113.0/24", "2001:db8::/32"] });
  const refused = [403, "network_refused"];
  for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8:1::1"])
    expect(await from(address, shown), address).toBe(200);
  for (const address of ["203.0.114.9", "2001:db9::1", "127.0.0.1"])
    expect(await from(address, shown), address).toEqual(refused);
});

describe("the operator", () => {
  const create = async (body: object) =>
    api.admin("POST", `/businesses/${api.businessId}/api-keys`, body);

  test("limits a key when it is made, and sees when it was used last", async () => {
    const limits = {
      scopes: ["read"],
      networks: ["203.0.113.0/24"],
      expires_at: "2099-01-01T00:00:00.000Z",
    };
    const created = (await create({ label: "front", ...limits })).json().data;
    expect(created).toMatchObject({ ...limits, last_used_at: null });
    expect(await from("203.0.113.9", created.key)).toBe(200);
    const { data } = (await api.admin("GET", `/businesses/${api.businessId}/api-keys`)).json();
    const { key: _, ...shown } = created;
    expect(data).toContainEqual({ ...shown, last_used_at: expect.stringMatching(/^20/) });
    const [entry] = (await api.admin("GET", "/audit?action=key.create")).json().data;
    expect(entry.details).toMatchObject({ scopes: ["read"], networks: ["203.0.113.0/24"] });
  });

  test.each([
    [{ scopes: ["everything"] }, "scopes"],
    [{ networks: ["203.0.113.0"] }, "networks"],
    [{ networks: ["203.0.113.0/33"] }, "networks"],
    [{ networks: ["2001:db8::/129"] }, "networks"],
    [{ networks: ["a/8"] }, "networks"],
    [{ expires_at: "tomorrow" }, "expires_at"],
    [{ expires_at: "2027-13-45T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2099-02-31T00:00:00Z" }, "expires_at"],
    [{ expires_at: "0000-01-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
  ])("is refused %o", async (body, field) => {
    const response = await create(body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toMatchObject([{ field }]);
  });

  test("replaces a key: both are taken while they overlap, with the same limits", async () => {
    const old = (await create({ label: "back", scopes: ["read"] })).json().data;
    const rotate = (id: string, body: object) => api.admin("POST", `/api-keys/${id}/rotate`, body);
    const rotated = await rotate(old.id, { overlap_hours: 2 });
    expect(rotated.statusCode).toBe(201);
    const fresh = rotated.json().data;
    expect(fresh).toMatchObject({ label: "back", scopes: ["read"], expires_at: null });
    for (const one of [old.key, fresh.key])
      expect(await outcome(api.get("/balance", one))).toBe(200);
    const row = await api.db.apiKey.findUniqueOrThrow({ where: { id: old.id } });
    expect(row.expiresAt?.getTime()).toBeCloseTo(Date.now() + 7_200_000, -5);
    // The secret of the replacement was lost: the old key is replaced once more.
    const second = (await rotate(old.id, { overlap_hours: 0 })).json().data;
    expect(second).toMatchObject({ scopes: ["read"], expires_at: null });
    const atOnce = (await rotate(fresh.id, { overlap_hours: 0 })).json().data;
    await api.db.apiKey.update({ where: { id: fresh.id }, data: { expiresAt: new Date(0) } });
    api.clock.advance(2_000);
    expect(await outcome(api.get("/balance", fresh.key))).toEqual([403, "key_expired"]);
    expect(await outcome(api.get("/balance", atOnce.key))).toBe(200);
    await api.admin("DELETE", `/api-keys/${atOnce.id}`);
    expect((await rotate(atOnce.id, {})).statusCode).toBe(404);
    expect((await rotate(old.id, { overlap_hours: 721 })).statusCode).toBe(400);
  });
});

test("an operator who may only look changes nothing", async () => {
  const headers = { authorization: `Bearer ${viewerToken}` };
  expect(await outcome(api.web.inject({ url: "/admin/businesses", headers }))).toBe(200);
  const payload = { name: "New" };
  expect(
    await outcome(api.web.inject({ method: "POST", url: "/admin/businesses", headers, payload })),
  ).toEqual([403, "role_missing"]);
  const entries = (await api.admin("GET", "/audit?action=business.create")).json().data;
  expect(entries).toEqual([]);
});
