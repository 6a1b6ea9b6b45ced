import { hkdfSync, randomUUID } from "node:crypto";
import { decodeJwt, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { createAccessTokens } from "../../../src/api/auth/access-token.ts";
import { newApiKey } from "../../../src/domain/business/api-key.ts";
import { insertKey, insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";
import { keyringOf } from "../../support/keyring.ts";
import { resumeBusiness, revokeApiKey, suspendBusiness } from "../../support/ledger/steps.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

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

const bearer = async (token: string, url = "/balance") => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await api.web.inject({ method: "GET", url, headers });
  return [response.statusCode, response.json().error?.code];
};

const mint = async (key?: string) => (await api.post("/auth/token", undefined, key)).json();

describe("an access token", () => {
  test("opens what its key opens, for fifteen minutes", async () => {
    const minted = await mint();
    expect(minted).toMatchObject({ success: true, token_type: "Bearer", expires_in: 900 });
    expect(await bearer(minted.access_token)).toEqual([200, undefined]);
    api.clock.advance(899_000);
    expect(await bearer(minted.access_token)).toEqual([200, undefined]);
    api.clock.advance(2_000);
    expect(await bearer(minted.access_token)).toEqual([401, "access_token_expired"]);
  });

  test("cannot make another token", async () => {
    const { access_token } = await mint();
    const headers = { authorization: `Bearer ${access_token}` };
    const response = await api.web.inject({ method: "POST", url: "/auth/token", headers });
    expect([response.statusCode, response.json().error.code]).toEqual([401, "missing_credentials"]);
  });

  test("ends with its key", async () => {
    const key = await insertKey(api, api.businessId);
    const { access_token } = await mint(key);
    expect((await bearer(access_token))[0]).toBe(200);
    await revokeNewestKey();
    expect(await bearer(access_token)).toEqual([403, "key_revoked"]);
  });

  test("of another deployment, altered, unsigned or of another kind is refused", async () => {
    const { access_token } = await mint();
    const [head = "", body = "", signature = ""] = access_token.split(".");
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString());
    const forged = [
      `${head}.${encode({ ...claims, key_id: newApiKey() })}.${signature}`,
      `${encode({ alg: "none", typ: "at+jwt" })}.${body}.`,
      `${encode({ alg: "HS512", typ: "at+jwt" })}.${body}.${signature}`,
      `${head}.${body}`,
      "a.b.c",
      "nonsense",
    ];
    for (const token of forged) expect(await bearer(token)).toEqual([401, "invalid_access_token"]);
    const other = createAccessTokens({
      keyring: keyringOf(8),
      lifetimeS: 900,
      clock: api.clock,
    });
    const { token } = await other.mint({ keyId: claims.key_id, businessId: claims.sub });
    expect(await bearer(token)).toEqual([401, "invalid_access_token"]);
  });

  test("can be ended before it expires, and no other with it", async () => {
    const [first, second] = [await mint(), await mint()];
    const end = async (headers: Record<string, string>) =>
      api.web.inject({ method: "DELETE", url: "/auth/token", headers });
    expect((await bearer(first.access_token))[0]).toBe(200);
    const response = await end({ authorization: `Bearer ${first.access_token}` });
    expect(response.statusCode).toBe(200);
    const claims = first.access_token.split(".")[1];
    const { jti } = JSON.parse(Buffer.from(claims, "base64url").toString());
    expect(response.json().data).toEqual({ id: jti });
    api.clock.advance(aMomentMs);
    expect(await bearer(first.access_token)).toEqual([401, "invalid_access_token"]);
    expect(await bearer(second.access_token)).toEqual([200, undefined]);
    expect((await end({ "x-api-key": api.key })).statusCode).toBe(401);
  });

  test("is listed for its key until it has expired or was ended, and is ended by its id", async () => {
    const key = await insertKey(api, api.businessId);
    const listed = async (own = key) => (await api.get("/auth/tokens", own)).json().data;
    const end = async (id: string, own = key) =>
      (await api.call("DELETE", `/auth/tokens/${id}`, undefined, own)).statusCode;
    const first = await mint(key);
    api.clock.advance(1);
    const second = await mint(key);
    const [newest, oldest] = await listed();
    const { jti, iat = 0, exp = 0 } = decodeJwt(first.access_token);
    expect(oldest).toEqual({
      id: jti,
      created_at: new Date(iat * 1_000).toISOString(),
      expires_at: new Date(exp * 1_000).toISOString(),
      address: "127.0.0.1",
    });
    expect(newest.id).toBe(decodeJwt(second.access_token).jti);
    expect(await end(oldest.id, api.key)).toBe(404);
    expect(await end(oldest.id)).toBe(200);
    expect(await end(oldest.id)).toBe(404);
    expect(await bearer(first.access_token)).toEqual([401, "invalid_access_token"]);
    expect((await bearer(second.access_token))[0]).toBe(200);
    expect(await listed()).toEqual([newest]);
    api.clock.advance(901_000);
    expect(await listed()).toEqual([]);
    expect(await end(newest.id)).toBe(404);
    await mint(key);
    expect(await api.db.accessToken.count()).toBe(1);
  });

  test("that has ended itself is listed no more", async () => {
    const { access_token } = await mint();
    const headers = { authorization: `Bearer ${access_token}` };
    const ids = async () =>
      (await api.get("/auth/tokens")).json().data.map(({ id }: { id: string }) => id);
    const { jti } = decodeJwt(access_token);
    expect(await ids()).toContain(jti);
    await api.web.inject({ method: "DELETE", url: "/auth/token", headers });
    expect(await ids()).not.toContain(jti);
  });

  test("is for this API alone", async () => {
    const row = await api.db.apiKey.findFirstOrThrow({ where: { revokedAt: null } });
    const derived = hkdfSync(
      "sha256",
      new Uint8Array(32).fill(7),
      new Uint8Array(),
      "chainbell access token",
      32,
    );
    const sign = (audience: string) =>
      new SignJWT({ key_id: row.id })
        .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
        .setIssuer("chainbell")
        .setAudience(audience)
        .setSubject(row.businessId)
        .setJti(randomUUID())
        .setIssuedAt(Math.floor(api.clock.now() / 1_000))
        .setExpirationTime(Math.floor(api.clock.now() / 1_000) + 60)
        .sign(new Uint8Array(derived));
    expect((await bearer(await sign("chainbell business api")))[0]).toBe(200);
    expect(await bearer(await sign("another"))).toEqual([401, "invalid_access_token"]);
  });

  test("is accepted by every process of the deployment", async () => {
    const again = createAccessTokens({
      keyring: keyringOf(7),
      lifetimeS: 900,
      clock: api.clock,
    });
    const row = await api.db.apiKey.findFirstOrThrow({ where: { revokedAt: null } });
    const { token } = await again.mint({ keyId: row.id, businessId: row.businessId });
    expect(await bearer(token)).toEqual([200, undefined]);
  });
});

/** And a moment passes. */
async function revokeNewestKey(): Promise<void> {
  const row = await api.db.apiKey.findFirstOrThrow({ orderBy: { id: "desc" } });
  await revokeApiKey(api.db, row.id);
  api.clock.advance(aMomentMs);
}

describe("within a moment", () => {
  test("a revoked key is refused, for ever", async () => {
    const key = await insertKey(api, api.businessId);
    expect((await outcome(key))[0]).toBe(200);
    await revokeNewestKey();
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
