import { expect, test } from "vitest";
import { openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";

const origin = "https://app.example.com";
const api = allTests(
  () => openTestApi({ allowedOrigins: [origin] }),
  (one) => one.stop(),
);

const ask = (method: "GET" | "OPTIONS", url: string, headers: Record<string, string>) =>
  api.web.inject({ method, url, headers: { "x-api-key": api.key, ...headers } });

const preflight = { "access-control-request-method": "POST" };

test("a page of an allowed origin may read answers, and send an access token", async () => {
  const answer = await ask("GET", "/balance", { origin });
  expect(answer.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "origin" });
  const asked = await ask("OPTIONS", "/webhooks", { origin, ...preflight });
  expect([asked.statusCode, asked.body]).toEqual([204, ""]);
  expect(asked.headers["access-control-allow-headers"]).toContain("authorization");
  expect(asked.headers["access-control-allow-headers"]).not.toContain("x-api-key");
  expect(asked.headers["access-control-allow-credentials"]).toBeUndefined();
});

test("nobody else may, and nobody may under /admin", async () => {
  for (const [url, other] of [
    ["/balance", "https://app.example.com.evil.example"],
    ["/balance", "http://app.example.com"],
    ["/balance", "null"],
    ["/admin/businesses", origin],
  ] as const) {
    const answer = await ask("GET", url, { origin: other });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    const asked = await ask("OPTIONS", url, { origin: other, ...preflight });
    expect([url, other, asked.statusCode]).toEqual([url, other, 405]);
  }
});
