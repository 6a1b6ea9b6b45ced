import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createApiServer } from "../../../src/api/server.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertTransaction, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";

const api = eachTestApi();

type Version = "1.0" | "1.1";

/** How an answer ended: all that was read, and the code of the connection's error. */
type Ended = { head: string; body: string; error: string | null };

/**
 * Asks by a version of HTTP.
 * @param onRead called with all that has been read, after each part of it
 */
async function ask(
  version: Version,
  path: string,
  { deps = api.deps, onRead = (_text: string) => {}, accept = "*/*" } = {},
): Promise<Ended> {
  const server = createApiServer(deps, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.stop());
  await server.start();
  const { host, port } = server.address();
  const socket = connect(port, host).setEncoding("utf8");
  // An old client may wish to keep the connection. The end of an answer without a length ends it.
  const connection = version === "1.0" ? "keep-alive" : "close";
  const headers = { host: "a", "x-api-key": api.key, accept, connection };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${path} HTTP/${version}\r\n${lines.join("\r\n")}\r\n\r\n`);
  let text = "";
  let error: string | null = null;
  socket.on("data", (part: string) => {
    text += part;
    onRead(text);
  });
  await new Promise<void>((resolve) => {
    socket.on("error", (thrown: Error & { code?: string }) => {
      error = thrown.code ?? thrown.message;
    });
    socket.on("close", () => resolve());
  });
  const end = text.indexOf("\r\n\r\n");
  return { head: text.slice(0, end), body: text.slice(end + 4), error };
}

const stored = "{}\n".repeat(50_000);

/** Asks for a statement, which may break off once the client has read all of `stored`. */
async function statement(version: Version, isWhole: boolean): Promise<Ended> {
  await api.get("/statements?month=2026-10");
  const [{ id }] = (await api.get("/statements/all")).json().data;
  let tellRead = () => {};
  const isRead = new Promise<void>((resolve) => {
    tellRead = resolve;
  });
  async function* readStatementTexts() {
    yield stored;
    if (isWhole) return;
    await isRead;
    throw new Error("The database is gone.");
  }
  const onRead = (text: string) => {
    if (text.includes(stored)) tellRead();
  };
  return ask(version, `/statements/${id}`, { deps: { ...api.deps, readStatementTexts }, onRead });
}

const ok = /^HTTP\/1\.1 200 /;
const lastChunk = /\r\n0\r\n\r\n$/;

test("a client of HTTP/1.1 sees by the last chunk whether a statement is whole", async () => {
  const whole = await statement("1.1", true);
  expect(whole).toMatchObject({ head: expect.stringMatching(ok), error: null });
  expect(whole.head).toMatch(/transfer-encoding: chunked/i);
  expect(whole.body).toMatch(lastChunk);
  const broken = await statement("1.1", false);
  expect(broken.head).toMatch(ok);
  expect(broken.body).not.toMatch(lastChunk);
});

test("a client of HTTP/1.0 gets a statement without chunks, and a reset where it broke off", async () => {
  const whole = await statement("1.0", true);
  expect(whole).toMatchObject({ head: expect.stringMatching(ok), body: stored, error: null });
  expect(whole.head).toMatch(/connection: close/i);
  expect(whole.head).not.toMatch(/transfer-encoding|trailer/i);
  expect(await statement("1.0", false)).toMatchObject({
    head: expect.stringMatching(ok),
    error: "ECONNRESET",
  });
});

test("a client of HTTP/1.0 gets an export without chunks and counts", async () => {
  const { db, businessId } = api;
  const [added] = await addWallets(db, { businessId, wallets: [newWallet()] });
  const id = await insertTransaction(db, { walletId: added?.id ?? "" });
  const of = { accept: "application/x-ndjson" };
  const { head, body, error } = await ask("1.0", "/transactions", of);
  expect(error).toBeNull();
  expect(head).toMatch(ok);
  expect(head).not.toMatch(/transfer-encoding|trailer|chainbell-counts/i);
  expect(JSON.parse(body)).toMatchObject({ id });
  const chunked = await ask("1.1", "/transactions", of);
  expect(chunked.body).toMatch(/\r\n0\r\nchainbell-counts: rows=1, unpriced=1\r\n\r\n$/);
});
