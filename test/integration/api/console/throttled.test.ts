import { afterEach, beforeEach, expect, test } from "vitest";
import { failedCredentialLimit } from "../../../../src/domain/business/rate-limit.ts";
import { openBrowser } from "../../../support/api/browser.ts";
import { adminToken, openTestApi, type TestApi } from "../../../support/api/test-api.ts";

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

test("whoever is in stays in while somebody at the same address guesses cookies", async () => {
  const one = openBrowser(api.web);
  await one.enter({ admin_token: adminToken });
  expect(await one.outcome("GET", "/session")).toEqual([200]);
  const guess = () =>
    Object.assign(openBrowser(api.web), {
      cookie: `__Host-chainbell-console=${"A".repeat(43)}`,
    }).outcome("GET", "/session");
  for (let count = 0; count < 20; count += 1) expect((await guess())[0]).toBe(401);
  expect(await guess()).toEqual(limited);
  expect(await one.outcome("GET", "/session")).toEqual([200]);
});
