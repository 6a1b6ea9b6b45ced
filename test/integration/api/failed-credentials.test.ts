import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type ApiDeps, createApi } from "../../../src/api/api.ts";
import { networkOf } from "../../../src/api/auth/failed-credentials.ts";
import { newApiKey, recordOfApiKey } from "../../../src/domain/business/api-key.ts";
import { failedCredentialLimit } from "../../../src/domain/business/rate-limit.ts";
import { Fault } from "../../../src/domain/fault.ts";
import {
  adminToken,
  apiDeps,
  insertKey,
  openTestApi,
  type TestApi,
} from "../../support/api/test-api.ts";

let api: TestApi;
const logged: { fields: object; message: string }[] = [];

const log = {
  debug() {},
  info: (fields: object, message: string) => void logged.push({ fields, message }),
  warn: (fields: object, message: string) => void logged.push({ fields, message }),
  error() {},
};

beforeEach(async () => {
  logged.length = 0;
  api = await openTestApi({ failedCredentialLimit, trustedProxies: ["10.0.0.0/8"], log });
});

afterEach(() => api.stop());

type From = { address?: string; forwarded?: string };

async function ask(url: string, headers: Record<string, string>, from: From = {}) {
  const { address = "203.0.113.7", forwarded } = from;
  const response = await api.web.inject({
    url,
    remoteAddress: address,
    headers: { ...headers, ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }) },
  });
  return response.statusCode;
}

/** A process beside the first, on the same database; shown a key, it answers a status. */
function openAnother(own: Partial<ApiDeps> = {}): (key: string) => Promise<number> {
  const web = createApi({ ...apiDeps(api, api.clock), failedCredentialLimit, ...own });
  onTestFinished(() => web.close());
  return async (key) => {
    const headers = { "x-api-key": key };
    const from = { url: "/balance", remoteAddress: "203.0.113.7", headers };
    return (await web.inject(from)).statusCode;
  };
}

const wrongKey = (from?: From) => ask("/balance", { "x-api-key": newApiKey() }, from);
const rightKey = (key: string, from?: From) => ask("/balance", { "x-api-key": key }, from);
const admin = (token: string, from?: From) =>
  ask("/admin/status", { authorization: `Bearer ${token}` }, from);

async function outcomes(count: number, one: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) all.push(await one());
  return all;
}

const refusedAfterTwenty = [
  ...Array.from({ length: 20 }, () => 401),
  ...Array.from({ length: 5 }, () => 429),
];

describe("wrong credentials of one address", () => {
  test.each([
    ["keys", wrongKey],
    ["access tokens", () => ask("/balance", { authorization: "Bearer a.b.c" })],
    ["admin tokens", () => admin("wrong")],
  ] as const)("are answered twenty times, and then once a second: %s", async (_what, one) => {
    expect(await outcomes(25, one)).toEqual(refusedAfterTwenty);
    api.clock.advance(2_000);
    expect(await outcomes(3, one)).toEqual([401, 401, 429]);
  });

  test("lock nobody else out: not another address, not a key that was right lately, not an operator", async () => {
    expect(await rightKey(api.key)).toBe(200);
    await outcomes(20, wrongKey);
    expect(await wrongKey()).toBe(429);
    expect(await rightKey(api.key)).toBe(200);
    expect(await admin(adminToken)).toBe(200);
    const fresh = await insertKey(api, api.businessId);
    expect(await rightKey(fresh, { address: "203.0.113.8" })).toBe(200);
    expect(await wrongKey({ address: "203.0.113.8" })).toBe(401);
  });

  test("lock no key out of another process that was right in this one", async () => {
    expect(await rightKey(api.key)).toBe(200);
    const other = openAnother();
    const wrong = () => other(newApiKey());
    expect((await outcomes(21, wrong)).at(-1)).toBe(429);
    expect(await other(api.key)).toBe(200);
    const unused = await insertKey(api, api.businessId);
    expect(await other(unused)).toBe(429);
  });

  test("lock no such key out for longer than the database is away", async () => {
    expect(await rightKey(api.key)).toBe(200);
    const { listUsedKeys } = api.deps;
    let isAway = true;
    const other = openAnother({
      async listUsedKeys(since) {
        if (isAway) throw new Fault("database_unavailable", "The database is away.");
        return listUsedKeys(since);
      },
    });
    await outcomes(20, () => other(newApiKey()));
    expect(await other(api.key)).toBe(503);
    isAway = false;
    expect(await other(api.key)).toBe(200);
  });

  test("do not keep those waiting after a start that were right before it", async () => {
    expect(await rightKey(api.key)).toBe(200);
    const { findKeyHolder } = api.deps;
    const unknown = newApiKey();
    const { digest } = recordOfApiKey(unknown);
    let goOn = () => {};
    const hanging = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const other = openAnother({
      async findKeyHolder(key) {
        if ("digest" in key && key.digest === digest) await hanging;
        return findKeyHolder(key);
      },
    });
    onTestFinished(() => goOn());
    const slow = other(unknown);
    expect(await other(api.key)).toBe(200);
    goOn();
    expect(await slow).toBe(401);
  });

  test("are looked up one after the other, so that no more are than may be wrong", async () => {
    const { findKeyHolder } = api.deps;
    let lookUps = 0;
    const other = openAnother({
      findKeyHolder(key) {
        lookUps += 1;
        return findKeyHolder(key);
      },
    });
    expect(await other(api.key)).toBe(200);
    const wrong = Array.from({ length: 60 }, () => other(newApiKey()));
    expect(await other(api.key)).toBe(200);
    expect((await Promise.all(wrong)).filter((status) => status === 401)).toHaveLength(20);
    expect(lookUps).toBe(21);
  });

  test("are counted by the client's address where a trusted proxy names it, and by the proxy's own where it is not trusted", async () => {
    const proxied = (client: string) => wrongKey({ address: "10.1.1.1", forwarded: client });
    await outcomes(20, () => proxied("198.51.100.1"));
    expect(await proxied("198.51.100.1")).toBe(429);
    expect(await proxied("198.51.100.2")).toBe(401);
    // Whoever names an address of their own choice is counted by the one that the proxy saw.
    let turn = 0;
    const claimed = () => {
      turn += 1;
      return wrongKey({ address: "203.0.113.9", forwarded: `198.51.100.${turn}` });
    };
    expect(await outcomes(25, claimed)).toEqual(refusedAfterTwenty);
  });
});

test("the access log and the audit trail have the client's address", async () => {
  await ask("/balance", { "x-api-key": api.key }, { address: "10.1.1.1", forwarded: "192.0.2.44" });
  const line = logged.find(({ message }) => message === "request.answered");
  expect(line?.fields).toMatchObject({ address: "192.0.2.44" });
  await api.web.inject({
    method: "POST",
    url: "/admin/businesses",
    remoteAddress: "203.0.113.50",
    headers: { authorization: `Bearer ${adminToken}` },
    payload: { name: "New" },
  });
  const [entry] = (await api.admin("GET", "/audit")).json().data;
  expect(entry).toMatchObject({ actor: "ops", action: "business.create", address: "203.0.113.50" });
});

test("the access log has the path whose method was refused", async () => {
  await api.web.inject({ method: "PUT", url: "/webhooks/x" });
  const line = logged.find(({ message }) => message === "request.answered");
  expect(line?.fields).toMatchObject({ method: "PUT", route: "/webhooks/:id", status: 405 });
});

test("a wrong admin token is on record, once for all that an address guesses", async () => {
  await outcomes(25, () => admin("wrong"));
  await admin("wrong", { address: "203.0.113.51" });
  const entries = (await api.admin("GET", "/audit")).json().data;
  expect(entries).toMatchObject([
    { actor: "unknown", via: "http", action: "admin.refused", address: "203.0.113.51" },
    { actor: "unknown", via: "http", action: "admin.refused", address: "203.0.113.7" },
  ]);
  expect(logged.filter(({ message }) => message === "admin.refused")).toHaveLength(21);
  expect(JSON.stringify(logged)).not.toContain("Bearer");
});

test("an address is the same whatever port its proxy adds, and is in its network", async () => {
  const proxied = (client: string) => wrongKey({ address: "10.1.1.1", forwarded: client });
  let port = 40_000;
  const next = () => {
    port += 1;
    return port;
  };
  expect(await outcomes(25, () => proxied(`192.0.2.7:${next()}`))).toEqual(refusedAfterTwenty);
  expect(await outcomes(25, () => proxied(`[2001:db8::7]:${next()}`))).toEqual(refusedAfterTwenty);
  const inside = { address: "10.1.1.1", forwarded: "198.51.100.9:4711, 10.1.1.2:4712" };
  const networks = ["198.51.100.0/24"];
  expect(await rightKey(await insertKey(api, api.businessId, { networks }), inside)).toBe(200);
});

const refusedAdmins = async () => {
  const entries: { action: string }[] = (await api.admin("GET", "/audit")).json().data;
  return entries.filter(({ action }) => action === "admin.refused").length;
};

test("a wrong admin token is on record, also after wrong keys of its address", async () => {
  await wrongKey();
  expect(await admin("wrong")).toBe(401);
  expect(await refusedAdmins()).toBe(1);
  const from = { address: "203.0.113.51" };
  await outcomes(20, () => wrongKey(from));
  expect(await admin("wrong", from)).toBe(429);
  expect(await refusedAdmins()).toBe(2);
});

test("who guesses slowly, such as a program with an old admin token, is on record once an hour", async () => {
  for (let minute = 0; minute < 60; minute += 1) {
    expect(await admin("wrong")).toBe(401);
    api.clock.advance(60_000);
  }
  expect(await refusedAdmins()).toBe(1);
  await admin("wrong");
  expect(await refusedAdmins()).toBe(2);
});

const networks = [
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::ffff", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
] as const;

test.each(networks)("%s is counted as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
