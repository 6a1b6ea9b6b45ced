import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createApi } from "../../../../src/api/api.ts";
import { failedCredentialLimit } from "../../../../src/domain/business/rate-limit.ts";
import { sessionLifetimeMs } from "../../../../src/domain/console/session.ts";
import { linkOf, openBrowser } from "../../../support/api/browser.ts";
import { adminToken, apiDeps, openTestApi, type TestApi } from "../../../support/api/test-api.ts";

let api: TestApi;

beforeEach(async () => {
  api = await openTestApi({ failedCredentialLimit });
});

afterEach(() => api.stop());

const limited = [429, "rate_limited"];
const wrong = `cbl_${"A".repeat(43)}`;

test.each([
  ["links", { link: wrong }],
  ["API keys", { api_key: "nonsense" }],
  ["admin tokens", { admin_token: "nonsense" }],
])(
  "wrong %s of one address are answered twenty times, and then once a second",
  async (_what, body) => {
    const statuses: unknown[] = [];
    for (let count = 0; count < 22; count += 1)
      statuses.push((await openBrowser(api.web).outcome("POST", "/session", body))[0]);
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
    const elsewhere = { address: "203.0.113.8" };
    expect(await openBrowser(api.web).outcome("POST", "/session", body, elsewhere)).not.toEqual(
      limited,
    );
    api.clock.advance(1_000);
    expect(await openBrowser(api.web).outcome("POST", "/session", body)).not.toEqual(limited);
  },
);

/** Shows wrong cookies at the address that all browsers have, until no other is looked up. */
async function guessAt(web: TestApi["web"]): Promise<void> {
  const cookie = `__Host-chainbell-console=${"A".repeat(43)}`;
  const guess = () => Object.assign(openBrowser(web), { cookie }).outcome("GET", "/session");
  for (let count = 0; count < 20; count += 1) expect((await guess())[0]).toBe(401);
  expect(await guess()).toEqual(limited);
}

/** A process beside the first, on the same database. */
function openAnother(): TestApi["web"] {
  const web = createApi({ ...apiDeps(api, api.clock), failedCredentialLimit });
  onTestFinished(() => web.close());
  return web as unknown as TestApi["web"];
}

test("whoever is in stays in while somebody at the same address guesses cookies", async () => {
  const one = openBrowser(api.web);
  await one.enter({ admin_token: adminToken });
  expect(await one.outcome("GET", "/session")).toEqual([200]);
  await guessAt(api.web);
  expect(await one.outcome("GET", "/session")).toEqual([200]);
});

test("whoever is in stays in at a process that has not seen the session", async () => {
  const one = openBrowser(api.web);
  await one.enter({ api_key: api.key });
  const other = openAnother();
  await guessAt(other);
  const { cookie } = one;
  const there = Object.assign(openBrowser(other), { cookie });
  expect(await there.outcome("GET", "/session")).toEqual([200]);
});

test("a link, a key that was right lately and an operator get in at the address of somebody who guesses", async () => {
  const link = await linkOf(api);
  await api.get("/balance");
  await guessAt(api.web);
  for (const credential of [{ link }, { api_key: api.key }, { admin_token: adminToken }])
    expect((await openBrowser(api.web).enter(credential)).statusCode).toBe(201);
  expect(await openBrowser(api.web).outcome("POST", "/session", { link })).toEqual([
    401,
    "invalid_console_link",
  ]);
  expect(await openBrowser(api.web).outcome("POST", "/session", { link })).toEqual(limited);
});

test("a session that has ended counts as a wrong one", async () => {
  const one = openBrowser(api.web);
  await one.enter({ admin_token: adminToken });
  const { cookie } = one;
  await one.ask("DELETE", "/session");
  await guessAt(api.web);
  const old = Object.assign(openBrowser(api.web), { cookie });
  expect((await old.outcome("GET", "/session"))[0]).toBe(401);
  expect(await old.outcome("GET", "/session")).toEqual(limited);
});

test("a browser whose session has expired counts once, however often it shows the cookie", async () => {
  const one = openBrowser(api.web);
  await one.enter({ admin_token: adminToken });
  api.clock.advance(sessionLifetimeMs);
  const { cookie } = one;
  const old = () => Object.assign(openBrowser(api.web), { cookie });
  expect((await old().outcome("GET", "/session"))[0]).toBe(401);
  // Signing in ends the session that the cookie names, where there still is one.
  expect((await old().enter({ admin_token: adminToken })).statusCode).toBe(201);
  const guess = { link: wrong };
  for (let count = 1; count < failedCredentialLimit.burst; count += 1)
    expect((await openBrowser(api.web).outcome("POST", "/session", guess))[0]).toBe(401);
  expect(await openBrowser(api.web).outcome("POST", "/session", guess)).toEqual(limited);
});
