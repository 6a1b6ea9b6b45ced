import { afterEach, describe, expect, test } from "vitest";
import { mostOfBusiness, workLimits } from "../../../src/domain/business/rate-limit.ts";
import { type Credential, entered, linkOf, openBrowser } from "../../support/api/browser.ts";
import {
  adminToken,
  insertKey,
  insertStranger,
  openTestApi,
  type TestApi,
  viewerToken,
} from "../../support/api/test-api.ts";

let api: TestApi;
afterEach(() => api.stop());

/** So slow that nothing of it comes back during a test. */
const few = { perSecond: 0.001, burst: 2 };
const statusOf = async (answer: Promise<{ statusCode: number }>) => (await answer).statusCode;

describe("what one business may do counts together for all of its keys", () => {
  test.each([
    ["requests", { rateLimit: few }, (key: string) => api.get("/balance", key)],
    [
      "searches",
      { workLimits: { ...workLimits, search: few } },
      (key: string) => api.get("/search?q=a", key),
    ],
    [
      "changes",
      { workLimits: { ...workLimits, change: few } },
      (key: string) => api.post("/api-keys", {}, key),
    ],
  ] as const)("%s", async (_what, limits, ask) => {
    api = await openTestApi(limits);
    const other = await insertKey(api, api.businessId);
    const { key: strangers } = await insertStranger(api);
    const statuses = [await statusOf(ask(api.key)), await statusOf(ask(other))];
    expect(statuses.every((status) => status < 300)).toBe(true);
    expect(await statusOf(ask(other))).toBe(429);
    expect(await statusOf(ask(api.key))).toBe(429);
    expect(await statusOf(ask(strangers))).toBeLessThan(300);
    // Reading costs another one.
    if (_what !== "requests") expect(await statusOf(api.get("/balance"))).toBe(200);
  });
});

test("what its sessions ask of themselves counts among its requests", async () => {
  api = await openTestApi({ rateLimit: few });
  const { key: strangers } = await insertStranger(api);
  const [one, other] = [openBrowser(api.web), openBrowser(api.web)];
  await one.enter({ api_key: api.key });
  await other.enter({ api_key: strangers });
  expect(await statusOf(one.ask("GET", "/session"))).toBe(200);
  expect(await statusOf(one.ask("GET", "/sessions"))).toBe(200);
  expect(await statusOf(one.ask("GET", "/session"))).toBe(429);
  expect(await statusOf(one.ask("GET", "/events"))).toBe(429);
  expect(await statusOf(api.get("/balance"))).toBe(429);
  expect(await statusOf(other.ask("GET", "/session"))).toBe(200);
});

describe("the sessions that one begins count together, whichever way in and address", () => {
  const limits = { workLimits: { ...workLimits, sign_in: few } };
  const signIn = (credential: Credential, host: number) =>
    statusOf(openBrowser(api.web).enter(credential, { address: `203.0.113.${host}` }));

  test("of a business, which slows nobody else at its address", async () => {
    api = await openTestApi(limits);
    const { key: strangers } = await insertStranger(api);
    const [first, second] = [await linkOf(api), await linkOf(api)];
    expect(await signIn({ api_key: api.key }, 1)).toBe(201);
    expect(await signIn({ link: first }, 2)).toBe(201);
    expect(await signIn({ link: second }, 3)).toBe(429);
    expect(await signIn({ api_key: api.key }, 3)).toBe(429);
    // It is good once the limit lets it.
    expect(await api.db.consoleLink.count()).toBe(1);
    expect(await signIn({ api_key: strangers }, 3)).toBe(201);
    expect(await signIn({ api_key: strangers }, 3)).toBe(201);
    expect(await signIn({ api_key: strangers }, 4)).toBe(429);
  });

  test("of an operator, which slows no other operator", async () => {
    api = await openTestApi(limits);
    expect(await signIn({ admin_token: adminToken }, 1)).toBe(201);
    expect(await signIn({ admin_token: adminToken }, 2)).toBe(201);
    expect(await signIn({ admin_token: adminToken }, 3)).toBe(429);
    expect(await signIn({ admin_token: viewerToken }, 3)).toBe(201);
  });
});

test("a business has so many keys that are valid, and may make one where it revokes one", async () => {
  api = await openTestApi();
  const has = await api.db.apiKey.count({ where: { businessId: api.businessId } });
  const digests = Array.from({ length: mostOfBusiness.keys - has - 1 }, (_, index) => index);
  await api.db.$executeRaw`
    INSERT INTO api_key (id, business_id, digest, prefix)
    SELECT gen_random_uuid(), ${api.businessId}::uuid, n::text, 'cb_x' FROM unnest(${digests}::int[]) n`;
  const last = await api.post("/api-keys", {});
  expect(last.statusCode).toBe(201);
  const refused = await api.post("/api-keys", {});
  expect([refused.statusCode, refused.json().error.code]).toEqual([409, "limit_reached"]);
  await api.call("DELETE", `/api-keys/${last.json().data.id}`);
  expect(await statusOf(api.post("/api-keys", {}))).toBe(201);
});

test("one session more than a business may have ends the one that was not used for longest", async () => {
  api = await openTestApi();
  const first = await entered(api, { api_key: api.key });
  const at = new Date(api.clock.now() + 1);
  await api.db.$executeRaw`
    INSERT INTO console_session (id, digest, business_id, role, way, holder, address, created_at, seen_at, expires_at)
    SELECT gen_random_uuid(), n::text, ${api.businessId}::uuid, 'viewer', 'link', 'ops', '', ${at}, ${at},
      ${new Date(api.clock.now() + 3_600_000)}
    FROM generate_series(1, ${mostOfBusiness.sessions - 1}::int) n`;
  expect(await first.outcome("GET", "/session")).toEqual([200]);
  api.clock.advance(2);
  const last = await entered(api, { api_key: api.key });
  expect(await first.outcome("GET", "/session")).toEqual([401, "console_session_over"]);
  const { data } = (await last.ask("GET", "/sessions")).json();
  expect(data).toHaveLength(mostOfBusiness.sessions);
});
