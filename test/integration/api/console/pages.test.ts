import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../../../support/api/test-api.ts";

let folder: string;
let api: TestApi;

const page = '<!DOCTYPE html><script type="module" src="/console/assets/page-1a2b.js"></script>';
const script = "export {};";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-console-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), page);
  await writeFile(join(folder, "assets", "page-1a2b.js"), script);
  await writeFile(join(folder, "notes.unknown"), "of no known kind");
  api = await openTestApi(({ console }) => ({ console: console && { ...console, folder } }));
});

afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => api.web.inject({ url, headers });

describe("a page", () => {
  test.each([
    "/console",
    "/console/",
    "/console/index.html",
    "/console/enter",
    "/console/transactions/x?status=pending",
    // A page says that there is none of this name.
    "/console/wallets/%E0%A4%A",
  ])("%s is the application, for whoever comes", async (url) => {
    const response = await get(url);
    expect([response.statusCode, response.body]).toEqual([200, page]);
    expect(response.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
    });
  });

  test("runs nothing but its own files, and makes no text into markup", async () => {
    const policy = String((await get("/console")).headers["content-security-policy"]).split("; ");
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
  });

  test("is kept for ever where its name says what is in it, and is packed for those who take it", async () => {
    const response = await get("/console/assets/page-1a2b.js", { "accept-encoding": "br, gzip" });
    expect(response.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "gzip",
    });
    expect(gunzipSync(response.rawPayload).toString()).toBe(script);
    expect((await get("/console/assets/page-1a2b.js")).body).toBe(script);
  });
});

const nothing = [
  "/console/assets/other.js",
  "/console/notes.unknown",
  "/console/../package.json",
  "/console/%2e%2e/package.json",
  "/console/..%2fpackage.json",
  "/console/assets/..%5cindex.html",
  "/console/assets/page-1a2b.js%00.html",
  "/console/index.html%00",
  "/console//etc/passwd.txt",
  "/console/api/nothing",
  "/console/session/nothing",
  "/console/events/nothing",
];

test.each(nothing)("%s is nothing", async (url) => {
  const response = await get(url);
  expect([response.statusCode, response.json().error.code]).toEqual([404, "route_not_found"]);
});

test.each([
  ["a page", "POST", "/console/transactions", "GET, HEAD"],
  // It is below the pages, and no page.
  ["a route of the API", "GET", "/console/api/webhooks/x", "PATCH, DELETE"],
] as const)("%s takes no other method", async (_what, method, url, allow) => {
  const response = await api.web.inject({ method, url });
  expect([response.statusCode, response.headers["allow"]]).toEqual([405, allow]);
});

test("a page of another origin reads nothing of it, although it may read the API", async () => {
  const origin = "https://app.example";
  const open = await openTestApi({ allowedOrigins: [origin] });
  const ask = async (url: string) =>
    (await open.web.inject({ url, headers: { origin } })).headers["access-control-allow-origin"];
  expect([await ask("/balance"), await ask("/console/api/balance")]).toEqual([origin, undefined]);
  await open.stop();
});

test("without a build there are sessions and no pages; switched off there is nothing", async () => {
  const without = await openTestApi();
  const status = async (one: TestApi, url: string) => (await one.web.inject({ url })).statusCode;
  expect([await status(without, "/console"), await status(without, "/console/session")]).toEqual([
    404, 401,
  ]);
  await without.stop();
  const off = await openTestApi({ console: null });
  for (const url of ["/console", "/console/session", "/console/api/balance", "/console/events"])
    expect([url, await status(off, url)]).toEqual([url, 404]);
  await off.stop();
});
