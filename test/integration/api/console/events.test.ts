import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ApiDeps } from "../../../../src/api/api.ts";
import { type Browser, consoleHost, linkOf, openBrowser } from "../../../support/api/browser.ts";
import {
  adminToken,
  insertStranger,
  openTestApi,
  type TestApi,
  viewerToken,
} from "../../../support/api/test-api.ts";
import {
  insertTransaction,
  moveChainTo,
  newWallet,
} from "../../../support/ledger/ledger-fixtures.ts";
import { insertSighting } from "../../../support/ledger/sightings.ts";
import { addWallets } from "../../../support/ledger/steps.ts";
import { waitFor } from "../../../support/wait-for.ts";

let api: TestApi;
let port: number;
let closers: (() => void)[];
/** Looks at what has changed, and for which businesses the last one was. */
let looks: number;
let askedFor: readonly string[];
/** What happens before changes are read. */
let beforeRead: () => Promise<unknown>;
/** What happens while the open sessions are read. */
let beforeFound: () => Promise<unknown>;
/** What happens before a request's session is found. */
let beforeSession: () => Promise<unknown>;
/** The pause between two looks. */
let pauseMs: number;
/** The admin tokens, which a test may change as SIGHUP does. */
let tokens: ReturnType<ApiDeps["adminTokens"]>;

const timeoutMs = 15_000;

function counted({ console, adminTokens }: ApiDeps): Partial<ApiDeps> {
  tokens = adminTokens();
  if (console === null) throw new Error("There is a console.");
  const { readChanges, findOpen, findSession } = console.ledger;
  const counting: typeof readChanges = async (asked) => {
    askedFor = asked.businessIds;
    await beforeRead();
    const changes = await readChanges(asked);
    looks += 1;
    return changes;
  };
  const finding: typeof findOpen = async (...asked) => {
    const found = await findOpen(...asked);
    await beforeFound();
    return found;
  };
  const entering: typeof findSession = async (...asked) => {
    await beforeSession();
    return findSession(...asked);
  };
  const own = { readChanges: counting, findOpen: finding, findSession: entering };
  const ledger = { ...console.ledger, ...own };
  const counts = { ...console, ledger, eventsPauseMs: pauseMs };
  return { console: counts, adminTokens: () => tokens };
}

beforeEach(async () => {
  closers = [];
  looks = 0;
  beforeRead = async () => {};
  beforeFound = async () => {};
  beforeSession = async () => {};
  await start(50);
});

async function start(ms: number): Promise<void> {
  pauseMs = ms;
  api = await openTestApi(counted);
  await api.web.listen({ host: "127.0.0.1", port: 0 });
  port = (api.web.server.address() as AddressInfo).port;
}

afterEach(async () => {
  for (const close of closers) close();
  await api.stop();
});

type Stream = {
  status: number;
  type: string;
  text: () => string;
  isEnded: () => boolean;
  close: () => void;
};

function listen({ cookie }: Pick<Browser, "cookie">): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { host: consoleHost, cookie, "sec-fetch-site": "same-origin" };
    const asked = request({ host: "127.0.0.1", port, path: "/console/events", headers });
    asked.on("error", reject).on("response", (answer) => {
      const state = { text: "", isEnded: false };
      answer.setEncoding("utf8").on("data", (chunk) => {
        state.text += chunk;
      });
      answer.on("close", () => {
        state.isEnded = true;
      });
      // A stream that is cut off has an error; that it has ended is looked at.
      answer.on("error", () => {});
      const close = () => void asked.destroy();
      closers.push(close);
      resolve({
        status: answer.statusCode ?? 0,
        type: String(answer.headers["content-type"]),
        text: () => state.text,
        isEnded: () => state.isEnded,
        close,
      });
    });
    asked.end();
  });
}

async function open(credential: Parameters<Browser["enter"]>[0]) {
  const browser = openBrowser(api.web);
  await browser.enter(credential);
  const stream = await listen(browser);
  // What is there when a page opens is no change.
  const before = looks;
  await waitFor(() => looks > before, { what: "the first look", timeoutMs });
  return { browser, stream };
}

const saw = (stream: Stream, word: string) =>
  waitFor(() => stream.text().includes(word), { what: `${word} in ${stream.text()}`, timeoutMs });

test("pages see which of their topics have changed, and nothing of another business", async () => {
  const { key, businessId } = await insertStranger(api);
  const [own, other, operator] = [
    await open({ api_key: api.key }),
    await open({ api_key: key }),
    await open({ admin_token: adminToken }),
  ];
  expect([own.stream.status, own.stream.type]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const [wallet] = await addWallets(api.db, { businessId: api.businessId, wallets: [newWallet()] });
  await insertTransaction(api.db, { walletId: wallet?.id ?? "", status: "pending" });
  await saw(own.stream, '"transactions"');
  await own.browser.ask("POST", "/api/webhooks", { url: "https://a.example/" });
  await saw(own.stream, '"webhook"');
  await saw(operator.stream, '"webhook"');
  await moveChainTo(api.db, "ethereum", 500n);
  await saw(own.stream, '"chains"');
  await saw(operator.stream, '"chains"');
  // Its own coming in is on record.
  expect(other.stream.text().replaceAll('["audit"]', "")).not.toContain('"topics":["');
  await api.admin("PATCH", `/businesses/${businessId}`, { in_flight: 3 });
  await saw(other.stream, '"businesses"');
  expect(own.stream.text()).not.toContain('"businesses"');
});

test("pages of a business and of operators hear of its sightings and of what becomes of them", async () => {
  const { key } = await insertStranger(api);
  await moveChainTo(api.db, "ethereum", 1_000n);
  const [own, other, operator] = [
    await open({ api_key: api.key }),
    await open({ api_key: key }),
    await open({ admin_token: adminToken }),
  ];
  const heard = async (count: number) => {
    for (const { stream } of [own, operator])
      await waitFor(() => stream.text().split('"sightings"').length > count, {
        what: `change ${count} in ${stream.text()}`,
        timeoutMs,
      });
  };
  const businessId = api.businessId;
  const [wallet] = await addWallets(api.db, { businessId, wallets: [newWallet()] });
  if (wallet === undefined) throw new Error("The wallet was added.");
  const { id: walletId, address: toAddress } = wallet;
  const { id } = await insertSighting(api.db, {
    businessId,
    walletId,
    toAddress,
    blockNumber: 900n,
  });
  await heard(1);
  await api.db.chain.update({ where: { name: "ethereum" }, data: { confirmedNumber: 900n } });
  await heard(2);
  await api.db.sighting.update({ where: { id }, data: { symbol: "USDC", reportedAt: new Date() } });
  await heard(3);
  await api.db.sighting.update({ where: { id }, data: { isUndone: true } });
  await heard(4);
  expect(other.stream.text()).not.toContain('"sightings"');
});

test("without an open page the database is not asked, and once for all pages of a business", async () => {
  await openBrowser(api.web).enter({ api_key: api.key });
  expect(looks).toBe(0);
  const { browser } = await open({ api_key: api.key });
  await Promise.all([listen(browser), listen(browser)]);
  await open({ link: await linkOf(api, "viewer") });
  const before = looks;
  await waitFor(() => looks > before, { what: "another look", timeoutMs });
  expect(askedFor).toEqual([api.businessId]);
});

const others = () => tokens.filter(({ token }) => token !== adminToken);

test.each([
  ["was removed", () => others()],
  ["may only look now", () => [...others(), { ...ops(), role: "viewer" as const }]],
  ["has scopes now", () => [...others(), { ...ops(), scopes: ["chains" as const] }]],
])("what an admin token began ends when the token %s", async (_what, changed) => {
  const { browser, stream } = await open({ admin_token: adminToken });
  const other = await open({ admin_token: viewerToken });
  tokens = changed();
  await saw(stream, "event: over");
  await waitFor(stream.isEnded, { what: "the stream's end", timeoutMs });
  expect((await browser.ask("GET", "/session")).statusCode).toBe(401);
  const { data } = (await other.browser.ask("GET", "/sessions")).json();
  expect(data).toMatchObject([{ name: "eve" }]);
  expect(other.stream.isEnded()).toBe(false);
});

const ops = () => ({ name: "ops", token: adminToken, role: "operator" as const, scopes: [] });

test.each([
  ["its session", (browser: Browser) => browser.ask("DELETE", "/session")],
  ["the key that it began with", revokeKey],
  ["its business", () => api.admin("POST", `/businesses/${api.businessId}/suspend`)],
])("a stream ends with %s", async (_what, end) => {
  const { browser, stream } = await open({ api_key: api.key });
  await end(browser);
  await saw(stream, "event: over");
  await waitFor(stream.isEnded, { what: "the stream's end", timeoutMs });
  api.clock.advance(1_100);
  expect((await listen(browser)).status).toBeGreaterThanOrEqual(401);
});

async function revokeKey(): Promise<void> {
  const { data } = (await api.admin("GET", `/businesses/${api.businessId}/api-keys`)).json();
  for (const { id } of data) await api.admin("DELETE", `/api-keys/${id}`);
}

test("a page that is opened while the open sessions are read stays open", async () => {
  const newcomer = openBrowser(api.web);
  const opened = new Promise<Stream>((resolve, reject) => {
    beforeFound = async () => {
      beforeFound = async () => {};
      await newcomer.enter({ admin_token: adminToken });
      await listen(newcomer).then(resolve, reject);
    };
  });
  await open({ api_key: api.key });
  const stream = await opened;
  const seen = looks;
  await waitFor(() => looks > seen + 1, { what: "two more looks", timeoutMs });
  expect([stream.isEnded(), stream.text()]).toEqual([false, expect.not.stringContaining("over")]);
});

test("a page hears of each change after its opening, also where another business's page was there", async () => {
  const { key, businessId } = await insertStranger(api);
  const [wallet] = await addWallets(api.db, { businessId, wallets: [newWallet()] });
  await open({ api_key: api.key });
  const newcomer = openBrowser(api.web);
  await newcomer.enter({ api_key: key });
  let change = () => {};
  const isChanged = new Promise<void>((resolve) => {
    change = resolve;
  });
  let isOpen = false;
  beforeRead = async () => isOpen && isChanged;
  const stream = await listen(newcomer);
  isOpen = true;
  await insertTransaction(api.db, { walletId: wallet?.id ?? "", status: "pending" });
  change();
  await saw(stream, '"transactions"');
});

test("the first page of a business begins at once, however long the pause between two looks", async () => {
  await api.stop();
  await start(3_600_000);
  const { key } = await insertStranger(api);
  for (const own of [api.key, key]) {
    const browser = openBrowser(api.web);
    await browser.enter({ api_key: own });
    expect((await listen(browser)).status).toBe(200);
  }
});

test("a page hears that its changes are looked for", async () => {
  const { stream } = await open({ api_key: api.key });
  await saw(stream, "event: alive");
});

test("nobody has more streams than pages", async () => {
  const { browser } = await open({ api_key: api.key });
  const statuses: number[] = [];
  for (let count = 0; count < 10; count += 1) statuses.push((await listen(browser)).status);
  expect(statuses).toEqual([...Array(9).fill(200), 429]);
});

test("a page that is left before its stream begins does not count as one", async () => {
  const browser = openBrowser(api.web);
  await browser.enter({ api_key: api.key });
  let isAsking = false;
  let hasLeft = false;
  beforeSession = async () => {
    isAsking = true;
    const { server } = api.web;
    const count = () => promisify(server.getConnections.bind(server))();
    await waitFor(async () => (await count()) === 0, { what: "its leaving", timeoutMs });
    hasLeft = true;
  };
  const headers = { host: consoleHost, cookie: browser.cookie, "sec-fetch-site": "same-origin" };
  const left = request({ host: "127.0.0.1", port, path: "/console/events", headers });
  left.on("error", () => {}).end();
  await waitFor(() => isAsking, { what: "the request", timeoutMs });
  left.destroy();
  await waitFor(() => hasLeft, { what: "its leaving", timeoutMs });
  beforeSession = async () => {};
  const statuses: number[] = [];
  for (let count = 0; count < 10; count += 1) statuses.push((await listen(browser)).status);
  expect(statuses).toEqual(Array(10).fill(200));
});

test("an operator has the streams of five sessions, and another operator has some then", async () => {
  const statuses: number[] = [];
  for (let session = 0; session < 6; session += 1) {
    const browser = openBrowser(api.web);
    await browser.enter({ admin_token: adminToken });
    for (let count = 0; count < 10; count += 1) statuses.push((await listen(browser)).status);
  }
  expect(statuses).toEqual([...Array(50).fill(200), ...Array(10).fill(429)]);
  const other = openBrowser(api.web);
  await other.enter({ admin_token: viewerToken });
  expect((await listen(other)).status).toBe(200);
});

test("the server stops although pages are open", async () => {
  const { stream } = await open({ api_key: api.key });
  await api.web.close();
  await waitFor(stream.isEnded, { what: "the stream's end", timeoutMs });
});
