import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenApi, openapiTypes } from "../../support/api/openapi-types.ts";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";

let api: TestApi;
let document: OpenApi & { openapi: string; info: object };

beforeAll(async () => {
  api = await openTestApi();
  document = (await api.get("/openapi.json", null)).json();
});

afterAll(() => api.stop());

test("the description is OpenAPI 3.1 and names every row of the contract", () => {
  expect(document.openapi).toBe("3.1.0");
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toMatchInlineSnapshot(`
    [
      "DELETE /admin/api-keys/{id}",
      "DELETE /admin/wallets/{id}",
      "DELETE /auth/token",
      "DELETE /webhooks/{id}",
      "GET /admin/audit",
      "GET /admin/audit/verify",
      "GET /admin/businesses",
      "GET /admin/businesses/{id}/api-keys",
      "GET /admin/businesses/{id}/wallets",
      "GET /admin/ledger/check",
      "GET /admin/ledger/reconciliations",
      "GET /admin/status",
      "GET /admin/webhooks",
      "GET /audit",
      "GET /balance",
      "GET /health",
      "GET /health/live",
      "GET /health/ready",
      "GET /notifications",
      "GET /notifications/{id}",
      "GET /transactions",
      "GET /transactions/{transaction_id}",
      "GET /wallets",
      "GET /wallets/{wallet_id}/balances",
      "GET /webhooks",
      "GET /webhooks/origins",
      "PATCH /admin/businesses/{id}",
      "PATCH /webhooks/{id}",
      "POST /admin/api-keys/{id}/rotate",
      "POST /admin/businesses",
      "POST /admin/businesses/{id}/api-keys",
      "POST /admin/businesses/{id}/resume",
      "POST /admin/businesses/{id}/suspend",
      "POST /admin/businesses/{id}/verify",
      "POST /admin/businesses/{id}/wallets",
      "POST /admin/chains/{name}/reset",
      "POST /admin/chains/{name}/rewind",
      "POST /admin/notifications/{id}/redeliver",
      "POST /admin/reconcile",
      "POST /admin/wallets/{id}/backfill",
      "POST /admin/webhooks/{id}/disable",
      "POST /admin/webhooks/{id}/enable",
      "POST /auth/token",
      "POST /notifications/{id}/redeliver",
      "POST /webhooks",
      "POST /webhooks/{id}/recover",
      "POST /webhooks/{id}/rotate-secret",
      "POST /webhooks/{id}/rotate-secret/finish",
      "POST /webhooks/{id}/test",
    ]
  `);
});

test("every schema in it is JSON Schema that compiles, and every reference leads somewhere", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "api");
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const schemas = [
        ...(operation.parameters ?? []).map((parameter) => parameter.schema),
        ...Object.values(operation.responses ?? {}).flatMap((response) =>
          Object.values(response.content ?? {}).map(({ schema }) => schema),
        ),
      ];
      const responses = Object.keys(operation.responses ?? {});
      expect(responses, `${method} ${path}`).toEqual(expect.arrayContaining(["4XX", "5XX"]));
      for (const schema of schemas) {
        const absolute = JSON.parse(
          JSON.stringify(schema).replaceAll('"#/components', '"api#/components'),
        );
        expect(() => ajv.compile(absolute), `${method} ${path}`).not.toThrow();
      }
    }
  }
});

test("every endpoint says which credentials open it, but those open to everybody", () => {
  const open = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).some((operation) => Reflect.get(operation, "security") === undefined)
      ? [path]
      : [],
  );
  expect(open).toEqual(["/health/live", "/health/ready", "/health"]);
});

test("the types of the typed client are those of the description (vitest -u writes them)", async () => {
  await expect(openapiTypes(document)).toMatchFileSnapshot(
    "../../support/api/generated/api-paths.ts",
  );
});

test("the page asks no other host for anything", async () => {
  const page = await api.get("/docs/", null);
  expect(page.statusCode).toBe(200);
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|unsafe|\*/);
  const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(3);
  for (const link of links) {
    expect(link).toMatch(/^\.?\//);
    const file = await api.get(new URL(link, "http://api/docs/").pathname, null);
    expect([link, file.statusCode]).toEqual([link, 200]);
  }
  const initializer = await api.get("/docs/static/swagger-initializer.js", null);
  expect(initializer.body).toContain('"validatorUrl":null');
});
