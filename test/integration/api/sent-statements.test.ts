import { expect, onTestFinished, test } from "vitest";
import { createOpenStreams } from "../../../src/api/http/open-streams.ts";
import { createApiServer } from "../../../src/api/server.ts";
import { type Browser, entered } from "../../support/api/browser.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertKey } from "../../support/api/test-api.ts";
import { revokeApiKey } from "../../support/ledger/steps.ts";
import { waitFor } from "../../support/wait-for.ts";

const api = eachTestApi();

/** Serves a stored statement whose lines are these, over a connection. */
async function serving(texts: () => AsyncIterable<string>) {
  await api.get("/statements?month=2026-10");
  const [{ id }] = (await api.get("/statements/all")).json().data;
  let open = 0;
  const streams = createOpenStreams((change) => {
    open += change;
  });
  const deps = { ...api.deps, streams, readStatementTexts: texts };
  const server = createApiServer(deps, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.stop());
  await server.start();
  const ask = (method = "GET", key = api.key) =>
    fetch(`${server.address().url}/statements/${id}`, { method, headers: { "x-api-key": key } });
  /** Asks on a page of the console. */
  const askAs = ({ cookie }: Pick<Browser, "cookie">) =>
    fetch(`${server.address().url}/console/api/statements/${id}`, { headers: { cookie } });
  return { ask, askAs, open: () => open, server };
}

test("nothing of a statement is read for a request that wants the headers alone", async () => {
  let isRead = false;
  const { ask } = await serving(async function* () {
    isRead = true;
    yield "{}\n";
  });
  const head = await ask("HEAD");
  const type = "application/x-ndjson; charset=utf-8";
  expect([head.status, head.headers.get("content-type"), isRead]).toEqual([200, type, false]);
  expect(await (await ask()).text()).toBe("{}\n");
  expect(isRead).toBe(true);
});

test("a statement that is being sent is a stream, and ends with its key or its server", async () => {
  const { ask, open, server } = await serving(async function* () {
    for (;;) yield "{}\n".repeat(20_000);
  });
  const timeoutMs = 15_000;
  const key = await insertKey(api, api.businessId);
  const answer = await ask("GET", key);
  await waitFor(() => open() === 1, { what: "the answer to begin", timeoutMs });
  const keys = await api.db.apiKey.findMany({ where: { businessId: api.businessId } });
  await revokeApiKey(api.db, keys.find(({ prefix }) => key.startsWith(prefix))?.id ?? "");
  await waitFor(() => open() === 0, { what: "the answer to end", timeoutMs });
  await expect(answer.text()).rejects.toThrow();
  const other = await ask();
  await server.stop();
  await expect(other.text()).rejects.toThrow();
});

test.each([
  ["its session", (one: Browser) => one.ask("DELETE", "/session")],
  ["the key of its session", revokeKeys],
  ["its business", () => api.admin("POST", `/businesses/${api.businessId}/suspend`)],
])(
  "a statement that is sent to a page ends with %s",
  async (_what, end) => {
    const { askAs, open } = await serving(async function* () {
      for (;;) yield "{}\n".repeat(20_000);
    });
    const timeoutMs = 15_000;
    const ended = await entered(api, { api_key: await insertKey(api, api.businessId) });
    const answer = await askAs(ended);
    expect(answer.status).toBe(200);
    await waitFor(() => open() === 1, { what: "the answer to begin", timeoutMs });
    await end(ended);
    await waitFor(() => open() === 0, { what: "the answer to end", timeoutMs });
    await expect(answer.text()).rejects.toThrow();
  },
  60_000,
);

async function revokeKeys(): Promise<void> {
  const keys = await api.db.apiKey.findMany({ where: { businessId: api.businessId } });
  for (const { id } of keys) await revokeApiKey(api.db, id);
}

test("a statement that fails before its first line is answered by the error", async () => {
  const { ask } = await serving(() => ({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error("The database is gone.")),
    }),
  }));
  const answer = await ask();
  expect([answer.status, answer.headers.get("transfer-encoding")]).toEqual([500, null]);
  expect(await answer.json()).toMatchObject({ error: { code: "internal_error" } });
});
