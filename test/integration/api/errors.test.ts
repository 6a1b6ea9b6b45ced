import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { errorCodes } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorAnswer } from "../../../src/api/answers/error-answer.ts";
import { createApiServer } from "../../../src/api/server.ts";
import { Fault } from "../../../src/domain/fault.ts";
import {
  apiDeps,
  createTestClock,
  insertKey,
  openTestApi,
  type TestApi,
} from "../../support/api/test-api.ts";
import { openDatabase } from "../../support/ledger/database.ts";
import {
  insertBusiness,
  openTestLedger,
  type TestLedger,
} from "../../support/ledger/ledger-fixtures.ts";

let api: TestApi;
let trouble: Error | null = null;
const logged: object[] = [];

beforeAll(async () => {
  api = await openTestApi({
    readHoldings: async () => {
      throw trouble ?? new Error("no trouble was set");
    },
    log: { debug() {}, info() {}, warn() {}, error: (fields) => logged.push(fields) },
  });
});

afterAll(() => api.stop());

function expectErrorForm(response: { body: string; headers: Record<string, unknown> }) {
  const body = JSON.parse(response.body);
  expect(body).toMatchObject({
    success: false,
    error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/\.$/) },
  });
  expect(body.error.doc_url).toBe(`/docs/errors#${body.error.code}`);
  expect(body.request_id).toBe(response.headers["x-request-id"]);
  expect(body.request_id).toMatch(/^[0-9a-f-]{36}$/);
}

function expectRefusal(
  response: Parameters<typeof expectErrorForm>[0] & { statusCode: number },
  status: number,
  code: string,
) {
  expect(response.statusCode).toBe(status);
  expectErrorForm(response);
  expect(JSON.parse(response.body).error.code).toBe(code);
}

const post = (payload: string, type: string) =>
  api.web.inject({
    method: "POST",
    url: "/webhooks",
    headers: { "x-api-key": api.key, "content-type": type },
    payload,
  });

test.each([
  ["GET", "/nothing", 404, "route_not_found"],
  ["GET", "/balance/", 404, "route_not_found"],
  ["GET", "/%zz", 400, "invalid_request"],
  ["POST", "/balance", 405, "method_not_allowed"],
  ["DELETE", "/transactions/x", 405, "method_not_allowed"],
  ["PUT", "/webhooks", 405, "method_not_allowed"],
  ["OPTIONS", "/health", 405, "method_not_allowed"],
  ["TRACE", "/balance", 405, "method_not_allowed"],
  ["TRACE", "/nothing", 404, "route_not_found"],
  ["GET", "/docs/static/%00", 404, "route_not_found"],
  ["GET", "/docs/static/..%2f..%2fpackage.json", 404, "route_not_found"],
] as const)("%s %s is answered %i in the one form", async (method, url, status, code) => {
  const response = await api.web.inject({ method, url, headers: { "content-type": "text/x" } });
  expectRefusal(response, status, code);
});

test.each([
  ["DELETE", "/webhooks", "POST, GET, HEAD"],
  // DELETE has the path /webhooks/:id, which is another one.
  ["DELETE", "/webhooks/all", "GET, HEAD"],
  ["GET", "/webhooks/x?limit=1", "PATCH, DELETE"],
  ["HEAD", "/console/events", "GET"],
  ["PUT", "/%62alance", "GET, HEAD"],
  ["PUT", "http://host.example/balance", "GET, HEAD"],
] as const)("%s %s is refused with the methods that the path has", async (method, url, allow) => {
  const response = await api.web.inject({ method, url });
  expect([response.statusCode, response.headers["allow"]]).toEqual([405, allow]);
});

const refusedBodies = {
  invalid_request: { status: 400, type: "application/json" },
  unsupported_media_type: { status: 415, type: "text/plain" },
  payload_too_large: { status: 413, type: "application/json" },
} as const;

test.each([
  ["invalid_request", "{"],
  ["invalid_request", ""],
  ["invalid_request", '{"__proto__":{"url":1}}'],
  ["unsupported_media_type", "https://a.example"],
  ["payload_too_large", `{"url":"${"x".repeat(100_000)}"}`],
] as const)("is answered %s where the body is %.20s", async (code, body) => {
  const { status, type } = refusedBodies[code];
  expectRefusal(await post(body, type), status, code);
});

test("a form is no media type of this API", async () => {
  const refused = await post("url=x", "application/x-www-form-urlencoded");
  expectRefusal(refused, 415, "unsupported_media_type");
});

test.each([
  { range: "bytes=999999999-" },
  { range: "bytes=-1,0-x" },
  { "if-match": '"x"' },
  { "if-none-match": "*" },
  { "if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT" },
])("a static file with %o is answered whole", async (headers) => {
  const response = await api.web.inject({ url: "/docs/static/swagger-ui.css", headers });
  expect(response.statusCode).toBe(200);
});

describe("every status that Fastify gives", () => {
  const errors = Object.entries(errorCodes).map(([code, Code]) => ({ code, error: new Code() }));

  test.each(errors)("has its place: $code", ({ error }) => {
    const { status, code } = toErrorAnswer(error);
    expect(status).toBe(error.statusCode);
    if (status !== 500) expect(code).not.toBe("internal_error");
  });

  test.each([402, 409, 418, 422, 451, 499])("or is refused with its own status: %i", (status) => {
    expect(
      toErrorAnswer(Object.assign(new Error("a plugin's"), { statusCode: status })),
    ).toMatchObject({ status, code: "invalid_request" });
  });

  test.each([200, 302, 502, 599])("and what is no refusal is ours: %i", (status) => {
    expect(
      toErrorAnswer(Object.assign(new Error("a plugin's"), { statusCode: status })),
    ).toMatchObject({ status: 500 });
  });
});

describe("a fault inside", () => {
  test("is a 500 that shows no internals, and is logged", async () => {
    trouble = new Error("relation secret_table does not exist");
    const response = await api.get("/balance");
    expect(response.statusCode).toBe(500);
    expectErrorForm(response);
    expect(response.body).not.toContain("secret_table");
    expect(logged.at(-1)).toMatchObject({ error: trouble, requestId: response.json().request_id });
  });

  test("that the operator must fix is a 500 as well", async () => {
    trouble = new Fault("wrong_encryption_key", "CHAINBELL_ENCRYPTION_KEY is another one.");
    const response = await api.get("/balance");
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain("ENCRYPTION");
  });

  test("is a 503 while the database is out of reach", async () => {
    trouble = new Fault("database_unavailable", "The database is out of reach.");
    const response = await api.get("/balance");
    expect(response.statusCode).toBe(503);
    expectErrorForm(response);
  });
});

describe("on a real socket", () => {
  let ledger: TestLedger;
  let key: string;

  beforeAll(async () => {
    ledger = await openTestLedger();
    key = await insertKey(ledger, await insertBusiness(ledger.db));
  });

  afterAll(() => ledger.stop());

  const serve = () =>
    createApiServer(apiDeps(ledger, createTestClock()), { host: "127.0.0.1", port: 0 });

  test("the API listens on a free port until it is stopped", async () => {
    const server = serve();
    expect(server.trouble()).toMatchObject({ message: "not listening" });
    await server.start();
    try {
      const { url } = server.address();
      expect(server.trouble()).toBeNull();
      const response = await fetch(`${url}/balance`, { headers: { "x-api-key": key } });
      expect(response.status).toBe(200);
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(await response.json()).toMatchObject({ success: true, net_worth_usd: 0 });
    } finally {
      await server.stop();
    }
    expect(server.trouble()).toMatchObject({ message: "not listening" });
    await server.stop();
  });

  // An idle connection would be kept for 72 s, and a daemon has 20 for its stop.
  test("it ends although somebody has connected and asked nothing, and finishes what was asked", {
    timeout: 60_000,
  }, async () => {
    let finish: () => void = () => undefined;
    const slow = apiDeps(ledger, createTestClock());
    const asked = new Promise<void>((resolve) => {
      slow.takeTokens = async () => {
        resolve();
        await new Promise<void>((go) => {
          finish = go;
        });
        return { granted: 1, waitMs: 0 };
      };
    });
    const server = createApiServer(slow, { host: "127.0.0.1", port: 0 });
    await server.start();
    const { port, url } = server.address();
    const silent = connect(port, "127.0.0.1");
    await once(silent, "connect");
    const answer = fetch(`${url}/balance`, { headers: { "x-api-key": key } });
    await asked;
    const stopped = server.stop();
    await once(silent, "close");
    finish();
    expect((await answer).status).toBe(200);
    await stopped;
  });

  test("what is not HTTP is answered in the same form", async () => {
    const server = serve();
    await server.start();
    try {
      const socket = connect(server.address().port, "127.0.0.1");
      socket.end("NONSENSE\r\n\r\n");
      const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
      expect(head).toContain("400 Bad Request");
      const requestId = /x-request-id: (.*)/.exec(head)?.[1];
      expectErrorForm({ body, headers: { "x-request-id": requestId } });
    } finally {
      await server.stop();
    }
  });

  test.each([
    ["without a host", "GET /health HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
    [
      "with two hosts",
      "GET /health HTTP/1.1\r\nhost: a\r\nHost: b\r\nconnection: close\r\n\r\n",
      400,
    ],
    [
      "for what lies above",
      "GET /docs/static/%2e%2e HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
      404,
    ],
    ["to be a proxy", "CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n", 405],
    ["with TRACE", "TRACE /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 405],
    [
      "with a method that nobody has",
      "PROPFIND /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
      405,
    ],
  ])("a request %s is answered in the same form", async (_what, request, status) => {
    const server = serve();
    await server.start();
    try {
      const socket = connect(server.address().port, "127.0.0.1");
      socket.write(request);
      const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expectErrorForm({ body, headers: { "x-request-id": /x-request-id: (.*)/.exec(head)?.[1] } });
    } finally {
      await server.stop();
    }
  });

  test("a port that is in use is reported as such", async () => {
    const first = serve();
    await first.start();
    const second = createApiServer(apiDeps(ledger, createTestClock()), {
      host: "127.0.0.1",
      port: first.address().port,
    });
    try {
      await expect(second.start()).rejects.toMatchObject({ code: "port_in_use" });
    } finally {
      await second.stop();
      await first.stop();
    }
  });

  test("an address that is not this machine's is reported with the variable that sets it", async () => {
    // Of the block for documentation (RFC 5737): nobody has it.
    const host = "192.0.2.1";
    const setBy = { host: "OPERATOR_HOST", port: "OPERATOR_PORT" };
    const deps = apiDeps(ledger, createTestClock());
    const server = createApiServer(deps, { host, port: 3002, setBy });
    await expect(server.start()).rejects.toMatchObject({
      code: "port_in_use",
      message:
        "Cannot listen on 192.0.2.1:3002: it is no address of this machine. Set OPERATOR_HOST to one, such as 127.0.0.1.",
    });
    await server.stop();
  });

  test("a database that is out of reach is a 503, not a 500", async () => {
    const closedPort = "postgres://nobody@127.0.0.1:1/none";
    const db = openDatabase({ databaseUrl: closedPort, poolSize: 1 });
    const server = createApiServer(apiDeps({ ...ledger, db }, createTestClock()), {
      host: "127.0.0.1",
      port: 0,
    });
    await server.start();
    try {
      const response = await fetch(`${server.address().url}/balance`, {
        headers: { "x-api-key": key },
      });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: { code: "database_unavailable" } });
    } finally {
      await server.stop();
      await db.$disconnect();
    }
  });
});

describe("a field at fault", () => {
  const get = (url: string) => api.web.inject({ url, headers: { "x-api-key": api.key } });
  const messageOf = async (response: ReturnType<typeof get>) =>
    JSON.parse((await response).body).error.message;
  const limit = "limit must be a whole number from 1 to 500";

  test.each([
    ["/wallets?limit=abc", `${limit}; it is 'abc'.`],
    ["/wallets?limit=0", `${limit}; it is '0'.`],
    ["/wallets?limt=1", "Unknown parameter: limt."],
    [`/wallets?status=${"x".repeat(500)}`, `it is '${"x".repeat(60)}…'.`],
    ["/wallets?status=%1b[31m%E2%80%AE", "it is '\\u001b[31m\\u202e'."],
    ["/transactions?openings=true", "openings must come with wallet_id."],
    ["/statements?from=2026-01-01", "it is missing."],
  ])("%s is named with its value and what it must be", async (url, message) => {
    expect(await messageOf(get(url))).toContain(message);
  });

  test("has its sentence in the details, and so has each other one", async () => {
    const { error } = JSON.parse((await get("/wallets?limit=abc&limt=1&status=x")).body);
    expect(error.details).toEqual([
      {
        field: "status",
        message: "status must be one of syncing, watched, leaving; it is 'x'.",
        code: "invalid",
        values: {},
      },
      { field: "limit", message: `${limit}; it is 'abc'.`, code: "invalid", values: {} },
      { field: "limt", message: "Unknown parameter: limt.", code: "unknown_field", values: {} },
    ]);
  });

  const secret = "s3cret-that-nobody-sees";
  test.each([
    ["a URL", { url: "https://a.example/", filter: `https://user:${secret}@a.example/` }],
    ["headers", { headers: secret }],
    ["a certificate", { client_certificate: secret }],
    ["a key of a certificate", { client_certificate: { certificate: secret, private_key: 5 } }],
  ])("with %s is named without what it holds", async (_title, body) => {
    const { id } = (
      await post(JSON.stringify({ url: "https://a.example/x" }), "application/json")
    ).json().data;
    const response = await api.web.inject({
      method: "PATCH",
      url: `/webhooks/${id}`,
      headers: { "x-api-key": api.key },
      payload: body,
    });
    expect(response.statusCode).toBe(400);
    expect(response.body).not.toContain(secret);
  });
});
