import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Document,
  type Operation,
  operationsOf,
} from "../../../src/api/description/document.ts";
import { noExample } from "../../../src/api/description/examples.ts";
import { meanings } from "../../../src/api/description/meanings.ts";
import { placedMeanings } from "../../../src/api/description/placed-meanings.ts";
import { notificationEvents } from "../../../src/domain/delivery/notification.ts";
import { isId } from "../../../src/domain/id.ts";
import { bodySchemas, openapiTypes, parametersOf, resolved } from "../../support/api/described.ts";
import { lint, redocly, spectral } from "../../support/api/lint-openapi.ts";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { inCheckout } from "../../support/checkout.ts";
import { endpointPages } from "../../support/docs/endpoint-pages.ts";
import { routesPage } from "../../support/docs/routes-page.ts";

let api: TestApi;
let document: Required<Document>;

beforeAll(async () => {
  api = await openTestApi();
  document = (await api.get("/openapi.json", null)).json();
});

afterAll(() => api.stop());

test("docs/routes.md is made from the description (vitest -u writes it)", async () => {
  await expect(routesPage(document)).toMatchFileSnapshot(inCheckout("docs", "routes.md"));
});

test("docs/reference is made from the description (vitest -u writes it)", async () => {
  const pages = endpointPages(document);
  const folder = inCheckout("docs", "reference");
  for (const { name, text } of pages)
    await expect(text).toMatchFileSnapshot(join(folder, `${name}.md`));
  expect(readdirSync(folder).sort()).toEqual(pages.map(({ name }) => `${name}.md`).sort());
});

test("every field and parameter of the reference has a meaning", () => {
  const empty = endpointPages(document).flatMap(({ name, text }) =>
    text
      .split("\n")
      .filter((line) => /^\| `.*\|\s+\|$/.test(line))
      .map((line) => `${name} ${line}`),
  );
  expect([...new Set(empty)]).toEqual([]);
});

test("a meaning names its thing: no field is described by a fragment", () => {
  const fragment =
    /^(?:(?:Of|In|To|From|At|As|With|Without|Beside|Instead|Where|Since|Until|It|Its|They|Those|Not|Null|Left|Included)\b|The [\w-]+\.$)/;
  const found = fieldsOf(document).filter(({ description }) => fragment.test(description));
  expect(found.map(({ name, description }) => `${name}: ${description}`)).toEqual([]);
});

test("every line of the table of meanings describes something", () => {
  const said = new Set(fieldsOf(document).map(({ description }) => description));
  const dead = Object.entries({ ...meanings, ...placedMeanings }).filter(
    ([, text]) => !said.has(text),
  );
  expect(dead.map(([name]) => name)).toEqual([]);
});

test("every route of a business names its scope, except those that make and end tokens", () => {
  const unnamed = operationsOf(document)
    .filter(({ operation }) => (operation.security ?? []).some((one) => "apiKey" in one))
    .filter(({ operation }) => operation["x-scope"] === undefined)
    .map(({ method, path }) => `${method} ${path}`);
  expect(unnamed.sort()).toEqual([
    "delete /auth/tokens/{id}",
    "get /auth/tokens",
    "post /auth/token",
  ]);
});

test("the description is OpenAPI 3.1 and names every row of the contract", () => {
  expect(document.openapi).toBe("3.1.0");
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toMatchInlineSnapshot(`
    [
      "DELETE /admin/api-keys/{id}",
      "DELETE /admin/statements/{id}",
      "DELETE /admin/wallets/{id}",
      "DELETE /api-keys/{id}",
      "DELETE /auth/token",
      "DELETE /auth/tokens/{id}",
      "DELETE /webhooks/{id}",
      "GET /",
      "GET /admin/alerts",
      "GET /admin/audit",
      "GET /admin/audit/verify",
      "GET /admin/businesses",
      "GET /admin/businesses/{id}",
      "GET /admin/businesses/{id}/api-keys",
      "GET /admin/businesses/{id}/sightings",
      "GET /admin/businesses/{id}/statements",
      "GET /admin/businesses/{id}/transactions",
      "GET /admin/businesses/{id}/wallets",
      "GET /admin/chains/{name}/endpoints",
      "GET /admin/chains/{name}/lag",
      "GET /admin/health",
      "GET /admin/ledger/check",
      "GET /admin/ledger/reconciliations",
      "GET /admin/notifications",
      "GET /admin/notifications/{id}",
      "GET /admin/outbox",
      "GET /admin/search",
      "GET /admin/status",
      "GET /admin/transactions/{id}",
      "GET /admin/wallets/{id}",
      "GET /admin/webhooks",
      "GET /admin/webhooks/{id}/recoveries",
      "GET /admin/webhooks/{id}/recoveries/{recovery}",
      "GET /api-keys",
      "GET /audit",
      "GET /auth/tokens",
      "GET /balance",
      "GET /chains",
      "GET /health",
      "GET /health/live",
      "GET /health/ready",
      "GET /notifications",
      "GET /notifications/counts",
      "GET /notifications/feed",
      "GET /notifications/{id}",
      "GET /open-matters",
      "GET /reconciliations",
      "GET /reconciliations/{reconciliation_id}",
      "GET /search",
      "GET /sightings",
      "GET /statements",
      "GET /statements/all",
      "GET /statements/making",
      "GET /statements/{statement_id}",
      "GET /totals",
      "GET /transactions",
      "GET /transactions/counts",
      "GET /transactions/{transaction_id}",
      "GET /wallets",
      "GET /wallets/{wallet_id}",
      "GET /wallets/{wallet_id}/balances",
      "GET /webhooks",
      "GET /webhooks/all",
      "GET /webhooks/origins",
      "GET /webhooks/{id}/recoveries",
      "GET /webhooks/{id}/recoveries/{recovery}",
      "PATCH /admin/businesses/{id}",
      "PATCH /admin/webhooks/{id}",
      "PATCH /webhooks/{id}",
      "POST /admin/api-keys/{id}/rotate",
      "POST /admin/businesses",
      "POST /admin/businesses/{id}/api-keys",
      "POST /admin/businesses/{id}/console-link",
      "POST /admin/businesses/{id}/resume",
      "POST /admin/businesses/{id}/suspend",
      "POST /admin/businesses/{id}/verify",
      "POST /admin/businesses/{id}/wallets",
      "POST /admin/chains/{name}/reset",
      "POST /admin/chains/{name}/rewind",
      "POST /admin/chains/{name}/settle",
      "POST /admin/notifications/{id}/redeliver",
      "POST /admin/reconcile",
      "POST /admin/wallets/{id}/archive",
      "POST /admin/wallets/{id}/backfill",
      "POST /admin/webhooks/{id}/disable",
      "POST /admin/webhooks/{id}/enable",
      "POST /admin/webhooks/{id}/recover",
      "POST /api-keys",
      "POST /auth/token",
      "POST /notifications/{id}/redeliver",
      "POST /reconciliations",
      "POST /wallets",
      "POST /webhooks",
      "POST /webhooks/{id}/recover",
      "POST /webhooks/{id}/rotate-secret",
      "POST /webhooks/{id}/rotate-secret/finish",
      "POST /webhooks/{id}/test",
      "PUT /admin/wallets/{id}/thresholds",
      "PUT /wallets/{wallet_id}/thresholds",
    ]
  `);
});

test("each operation lists the conflicts of its own route", () => {
  const conflicts = operationsOf(document).map(({ method, path, operation }) => {
    const response = operation.responses["409"];
    const said = response === undefined ? "" : resolved(document, response).description;
    const codes = [...said.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code);
    return [
      `${method} ${path}`,
      codes.filter((code) => !code.startsWith("idempotency_")).join(" "),
    ] as const;
  });
  expect(Object.fromEntries(conflicts.filter(([, codes]) => codes !== ""))).toMatchInlineSnapshot(`
    {
      "get /notifications/feed": "cursor_unknown",
      "get /statements": "limit_reached",
      "post /admin/businesses/{id}/api-keys": "limit_reached",
      "post /admin/businesses/{id}/wallets": "wallet_exists",
      "post /admin/notifications/{id}/redeliver": "delivery_in_flight webhook_inactive",
      "post /admin/webhooks/{id}/recover": "recovery_running webhook_inactive",
      "post /api-keys": "limit_reached",
      "post /notifications/{id}/redeliver": "delivery_in_flight webhook_inactive",
      "post /reconciliations": "reconciliation_running",
      "post /wallets": "address_refused limit_reached wallet_exists",
      "post /webhooks": "limit_reached",
      "post /webhooks/{id}/recover": "recovery_running webhook_inactive",
    }
  `);
});

test("every schema in it is JSON Schema that compiles, and every reference leads somewhere", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false });
  ajv.addSchema(document, "api");
  // Most operations share their refusals: each text is compiled once.
  const compiled = new Set<string>();
  for (const { method, path, operation } of operationsOf(document)) {
    const responses = Object.keys(operation.responses);
    expect(responses, `${method} ${path}`).toEqual(expect.arrayContaining(["400", "500"]));
    expect(responses.filter((status) => !/^[2-5]\d\d$/.test(status))).toEqual([]);
    for (const schema of schemasOf(operation)) {
      const absolute = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
      if (compiled.has(absolute)) continue;
      expect(() => ajv.compile(JSON.parse(absolute)), `${method} ${path}`).not.toThrow();
      compiled.add(absolute);
    }
  }
});

function schemasOf(operation: Operation): object[] {
  const responses = Object.values(operation.responses).map((one) => resolved(document, one));
  return [
    ...parametersOf(document, operation).map(({ schema }) => schema),
    ...bodySchemas(document, operation),
    ...responses.flatMap((one) =>
      "content" in one ? Object.values(one.content ?? {}).map(({ schema }) => schema) : [],
    ),
  ];
}

test("every endpoint says which credentials open it, but those open to everybody", () => {
  const open = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).some(({ security }) => security?.length === 0) ? [path] : [],
  );
  expect(open).toEqual(["/", "/health/live", "/health/ready", "/health"]);
});

describe("linters find nothing but what is wrong", () => {
  test.each([
    ["Redocly", redocly],
    ["Spectral", spectral],
  ])("%s", async (_name, linter) => {
    // One operation without its name shows that the linter looks. To look takes it ten seconds.
    const balance = document.paths["/balance"];
    const { operationId: _, ...nameless } = balance?.["get"] ?? {};
    const paths = { ...document.paths, "/balance": { ...balance, get: nameless } };
    expect(await lint({ ...document, paths }, linter)).toEqual([
      expect.stringMatching(/^operation-operationId: .*balance/),
    ]);
  });
});

test("every operation has a name of its own, and a tag with a text", () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const names = operations.map(({ operationId }) => operationId ?? "");
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+$/);
  const known = document.tags.map(({ name }) => name);
  for (const { tags = [] } of operations) expect(known).toEqual(expect.arrayContaining(tags));
  for (const { description } of document.tags) expect(description).toMatch(/\.$/);
});

test("every event is described, with a body that its schema allows", () => {
  expect(Object.keys(document.webhooks)).toEqual(Object.keys(notificationEvents));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "api");
  for (const [event, item] of Object.entries(document.webhooks)) {
    const media = item["post"]?.requestBody?.content["application/json"];
    const check = ajv.compile({ $ref: `api${media?.schema.$ref}` });
    expect([event, check(media?.example), check.errors]).toEqual([event, true, null]);
    expect(check({ ...Object(media?.example), event: "other" })).toBe(false);
  }
});

test("every field has an example that says something", () => {
  const without = placesOf(document).filter(({ value }) => value === noExample);
  // Give it `examples`, or its name a line in src/api/description/examples.ts.
  expect(without.map(({ path }) => path)).toEqual([]);
});

test("ids of different things have different examples", () => {
  const kinds = new Map<string, Set<string>>();
  for (const { value } of placesOf(document))
    for (const [name, field] of Object.entries(Reflect.get(Object(value), "properties") ?? {})) {
      const [kind] = /^(business|delivery|key|session|wallet|webhook)_id$/.exec(name) ?? [];
      const [example] = Reflect.get(Object(field), "examples") ?? [];
      // The id of a signing key is none.
      if (kind === undefined || !isId(String(example))) continue;
      kinds.set(kind, new Set([...(kinds.get(kind) ?? []), String(example)]));
    }
  expect([...kinds.keys()]).toEqual(expect.arrayContaining(["business_id", "webhook_id"]));
  const all = [...kinds.values()].flatMap((examples) => [...examples]);
  expect(all).toHaveLength(kinds.size);
  expect(new Set(all).size).toBe(kinds.size);
});

test("no object is described twice, and nothing is described that nobody refers to", () => {
  const places = new Map<string, string[]>();
  for (const { value, path } of placesOf(document)) {
    if (Object.keys(Reflect.get(Object(value), "properties") ?? {}).length < 4) continue;
    const text = JSON.stringify(value);
    places.set(text, [...(places.get(text) ?? []), path]);
  }
  expect([...places.values()].filter(({ length }) => length > 1)).toEqual([]);
  const names = Object.keys(document.components.schemas);
  expect(names.filter((name) => /Input$/.test(name))).toEqual([]);
});

/** The fields and parameters of the document that have a description. */
function fieldsOf(of: Document): { name: string; description: string }[] {
  return placesOf(of).flatMap(({ value }) => {
    const { properties = {}, name, description, in: place } = Object(value);
    const inside = Object.entries(properties).map(([field, one]) => ({
      name: field,
      ...Object(one),
    }));
    return [...inside, ...(place === undefined ? [] : [{ name, description }])].filter(
      (one) => typeof one.description === "string",
    );
  });
}

/** Every value in the document, at every depth. */
function placesOf(value: unknown, path = "#"): { value: unknown; path: string }[] {
  const parts = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [{ value, path }, ...parts.flatMap(([name, one]) => placesOf(one, `${path}/${name}`))];
}

test("the types of the typed client are those of the description (vitest -u writes them)", async () => {
  await expect(await openapiTypes(document)).toMatchFileSnapshot(
    "../../../console/src/wire/generated/api-paths.ts",
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
  expect(page.body).toContain("<title>Chainbell API</title>");
  expect(page.body).not.toMatch(/favicon|>Swagger/);
  const initializer = await api.get("/docs/static/swagger-initializer.js", null);
  expect(initializer.body).toContain('"validatorUrl":null');
});
