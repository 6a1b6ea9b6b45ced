import { afterEach, describe, expect, test } from "vitest";
import { mostOfBusiness, workLimits } from "../../../src/domain/business/rate-limit.ts";
import { entered, openBrowser } from "../../support/api/browser.ts";
import {
  insertKey,
  insertStranger,
  openTestApi,
  type TestApi,
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

  test("sessions that begin, and those of one address", async () => {
    api = await openTestApi({ workLimits: { ...workLimits, sign_in: few } });
    const { key: strangers } = await insertStranger(api);
    const signIn = async (key: string, address: string) => {
      const body = { api_key: key };
      return (await openBrowser(api.web).outcome("POST", "/session", body, { address }))[0];
    };
    expect(await signIn(api.key, "203.0.113.1")).toBe(201);
    expect(await signIn(api.key, "203.0.113.2")).toBe(201);
    expect(await signIn(api.key, "203.0.113.3")).toBe(429);
    expect(await signIn(strangers, "203.0.113.3")).toBe(201);
    expect(await signIn(strangers, "203.0.113.3")).toBe(429);
    expect(await signIn(strangers, "203.0.113.4")).toBe(201);
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
