import { expect, onTestFinished, test } from "vitest";
import type { ApiDeps } from "../../../src/api/api.ts";
import { createOpenStreams } from "../../../src/api/http/open-streams.ts";
import { createApiServer } from "../../../src/api/server.ts";
import { listenForOutbox } from "../../../src/ledger/notifications/outbox-signal.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createWakes } from "../../../src/runtime/wakes.ts";
import { insertKey, insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { eachTest } from "../../support/each-test.ts";
import { insertBusiness, newWallet, testChain } from "../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  configureChains,
  revokeApiKey,
  suspendBusiness,
} from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";
import { waitFor, waitForCount } from "../../support/wait-for.ts";

const timeoutMs = 15_000;

/** An API that hears what is written, as a daemon's does, and how often it reads the feed. */
const api = eachTest(
  async () => {
    const notified = createWakes();
    const reads = { count: 0 };
    let open = 0;
    const opened = await openTestApi(({ readFeed }) => ({
      followNotified: notified.follow,
      streams: createOpenStreams((change) => {
        open += change;
      }),
      readFeed: (asked) => {
        reads.count += 1;
        return readFeed(asked);
      },
    }));
    return { ...opened, notified, reads, openAnswers: () => open };
  },
  (opened) => opened.stop(),
);

/** Serves the API on a port, and hears what is written. */
async function served() {
  let isHeard = false;
  const listening = listenForOutbox({
    databaseUrl: api.url,
    onSignal(named) {
      isHeard = true;
      api.notified.tell(named);
    },
    onPooled: () => {},
    onError: () => {},
    clock: systemClock,
  });
  onTestFinished(() => listening.stop());
  await listening.start();
  await waitFor(() => isHeard, { what: "the listener", timeoutMs });
  return serving();
}

/** The same, but nobody tells it of anything. */
async function serving(own: Partial<ApiDeps> = {}) {
  const server = createApiServer({ ...api.deps, ...own }, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.stop());
  await server.start();
  const { url } = server.address();
  const ask = (query: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${url}/notifications/feed?${query}`, {
      headers: { "x-api-key": api.key, ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  return { ask, stop: server.stop };
}

const linesIn = (text: string) => text.split("\n").filter((line) => line !== "");

const openAnswers = () => api.openAnswers();
const isFollowed = () => api.notified.followed().length > 0;
const waiting = () => waitFor(isFollowed, { what: "somebody who waits", timeoutMs });

async function committed() {
  const chain = await chainOf("one", 901);
  const wallet = await walletOf(api.businessId, "one");
  return async (deposits = 1, effectAtomic = 1n) => {
    await chain.commit(Array.from({ length: deposits }, () => ({ ...wallet, effectAtomic })));
    await chain.commit([]);
    await chain.commit([]);
  };
}

async function walletOf(businessId: string, chainName: string) {
  const wallet = newWallet({ chainName });
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  return { businessId, walletId: added?.id ?? "", address: wallet.address };
}

async function chainOf(name: string, chainId: number) {
  await configureChains(api.db, [{ ...testChain, name, chainId }], "removed");
  return writtenChain(api.db, name);
}

async function feed(query = "") {
  const answer = await api.get(`/notifications/feed?${query}`);
  const lines = answer.body.split("\n").filter((line) => line !== "");
  const cursor = String(answer.headers["chainbell-cursor"]);
  return { status: answer.statusCode, type: answer.headers["content-type"], cursor, lines };
}

const stored = async (businessId: string, chainName: string) =>
  (
    await api.db.$queryRaw<{ body: string }[]>`
      SELECT body FROM notification WHERE business_id = ${businessId}::uuid AND chain_name = ${chainName}
      ORDER BY sequence`
  ).map(({ body }) => body);

test("the feed gives each stream's bodies byte for byte in order, and nobody else's", async () => {
  const { businessId } = api;
  const [one, two] = [await chainOf("one", 901), await chainOf("two", 902)];
  const mine = { one: await walletOf(businessId, "one"), two: await walletOf(businessId, "two") };
  const others = await walletOf(await insertBusiness(api.db, "Others Ltd"), "one");
  const empty = await feed();
  expect(empty).toMatchObject({
    status: 200,
    lines: [],
    type: "application/x-ndjson; charset=utf-8",
  });
  for (let block = 0; block < 5; block += 1) {
    await one.commit([mine.one, others, mine.one]);
    await two.commit([mine.two]);
  }
  const expected = { one: await stored(businessId, "one"), two: await stored(businessId, "two") };
  expect([expected.one.length, expected.two.length]).toEqual([6, 3]);
  const found: string[] = [];
  let cursor = empty.cursor;
  for (;;) {
    const page = await feed(`after=${cursor}&limit=2`);
    if (page.cursor === cursor) break;
    found.push(...page.lines);
    cursor = page.cursor;
  }
  const of = (name: string) => found.filter((line) => JSON.parse(line).data.blockchain === name);
  expect(of("one")).toEqual(expected.one);
  expect(of("two")).toEqual(expected.two);
  expect(found.length).toBe(9);
  expect((await feed("blockchain=two")).lines).toEqual(expected.two);
  expect(await feed("blockchain=two,one")).toMatchObject({ lines: found, cursor });
  expect((await feed(`wallet_id=${mine.two.walletId}`)).lines).toEqual(expected.two);
  const none = await feed("event=transaction.reversed");
  expect([none.lines, none.cursor]).toEqual([[], cursor]);
  expect((await feed("after=nonsense")).status).toBe(400);
});

test("a cursor that the database does not have is refused with the one to go on from, and so is an expired one", async () => {
  const { businessId, db } = api;
  const chain = await chainOf("one", 901);
  const wallet = await walletOf(businessId, "one");
  for (let block = 0; block < 6; block += 1) await chain.commit([wallet]);
  const first = await feed("limit=2");
  const all = await feed();
  expect(all.lines.length).toBe(4);
  // Each answer would repeat chains that the database never had, with each event of a stream.
  const more = (name: string) => {
    const places = JSON.parse(Buffer.from(all.cursor, "base64url").toString());
    const text = JSON.stringify({ ...places, [name]: [1, "0".repeat(32)] });
    return `after=${Buffer.from(text).toString("base64url")}`;
  };
  for (const query of [more("never"), `${more("never")}&blockchain=one`])
    expect(await feed(query)).toMatchObject({ status: 409, cursor: all.cursor });
  expect((await feed(more("\u0000"))).status).toBe(400);
  // As after a restore to before the last one, which then was another.
  await db.$executeRaw`UPDATE notification SET digest = decode(repeat('ab', 16), 'hex') WHERE sequence = 4`;
  const unknown = await feed(`after=${all.cursor}`);
  expect(unknown.status).toBe(409);
  expect((await feed(`after=${unknown.cursor}`)).lines.length).toBe(4);
  await db.$executeRaw`
    INSERT INTO pruned_stream SELECT business_id, chain_name, sequence, digest FROM notification WHERE sequence = 3`;
  const expired = await feed(`after=${first.cursor}`);
  expect(expired.status).toBe(410);
  const rest = await feed(`after=${expired.cursor}`);
  expect(rest.lines.map((line) => JSON.parse(line).sequence)).toEqual([4]);
});

const keyIdOf = async (businessId: string) =>
  (
    await api.db.$queryRaw<{ id: string }[]>`
      SELECT id FROM api_key WHERE business_id = ${businessId}::uuid ORDER BY id DESC LIMIT 1`
  )[0]?.id ?? "";

test("a request that waits is answered by what comes, or with its cursor when the time is over", async () => {
  const { ask } = await served();
  const commit = await committed();
  const none = await ask("wait=1");
  expect([none.status, await none.text()]).toEqual([200, ""]);
  const cursor = none.headers.get("chainbell-cursor") ?? "";
  const first = ask(`wait=30&after=${cursor}`);
  await waiting();
  const readBefore = api.reads.count;
  // Others' notifications wake nobody else.
  const stranger = await insertStranger(api);
  api.notified.tell([stranger.businessId]);
  expect(api.reads.count).toBe(readBefore);
  await commit();
  const answered = await first;
  expect(linesIn(await answered.text())).toEqual(await stored(api.businessId, "one"));
  const next = answered.headers.get("chainbell-cursor");
  expect(next).not.toBe(cursor);
  expect((await ask(`wait=30&after=${cursor}`)).status).toBe(200);
  expect(api.notified.followed()).toEqual([]);
  for (const query of ["wait=31", "wait=-1", "wait=1.5", "wait=x"])
    expect((await ask(query)).status).toBe(400);
});

test("what a filter leaves out ends no wait, and the cursor is behind it", async () => {
  const { ask } = await served();
  const commit = await committed();
  const waits = ask("wait=30&event=transaction.withdrawal");
  await waiting();
  const { count } = api.reads;
  await commit();
  await waitFor(() => api.reads.count > count, { what: "the feed to be read again", timeoutMs });
  await commit(1, -1n);
  const answered = await waits;
  const [, withdrawal] = await stored(api.businessId, "one");
  expect(linesIn(await answered.text())).toEqual([withdrawal]);
  const cursor = answered.headers.get("chainbell-cursor");
  expect((await feed(`after=${cursor}`)).lines).toEqual([]);
});

test("a waiting request ends with its key and with its business, and where its caller is gone", async () => {
  const { ask } = await served();
  await committed();
  const other = await insertStranger(api);
  const gone = new AbortController();
  const abandoned = ask("wait=30", {}, gone.signal).catch(() => "abandoned");
  await waiting();
  gone.abort();
  expect(await abandoned).toBe("abandoned");
  await waitFor(() => !isFollowed(), { what: "nobody to wait", timeoutMs });
  const [revoked, suspended] = [
    ask("wait=30", { "x-api-key": await insertKey(api, api.businessId) }),
    ask("wait=30", { "x-api-key": other.key }),
  ];
  await waitFor(() => api.notified.followed().length === 2, { what: "both to wait", timeoutMs });
  await revokeApiKey(api.db, await keyIdOf(api.businessId));
  await suspendBusiness(api.db, other.businessId);
  for (const [answer, code] of [
    [await revoked, "key_revoked"],
    [await suspended, "business_suspended"],
  ] as const) {
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code } });
  }
});

test("a server that stops answers what waits, with its cursor, and ends its streams", async () => {
  const { ask, stop } = await served();
  const commit = await committed();
  await commit();
  const { cursor } = await feed();
  const stream = eventsIn(await ask("", { accept: "text/event-stream" }));
  await stream.sees(1);
  const waits = ask(`wait=30&after=${cursor}`);
  await waitFor(() => openAnswers() === 2, { what: "both to be held", timeoutMs });
  await stop();
  const answered = await waits;
  expect([
    answered.status,
    answered.headers.get("chainbell-cursor"),
    await answered.text(),
  ]).toEqual([200, cursor, ""]);
  await stream.ends();
  expect([openAnswers(), api.notified.followed()]).toEqual([0, []]);
});

test("a stream that nobody tells of news says that it lives, and finds them then", async () => {
  const { ask } = await serving({ feedSilenceMs: 500 });
  const commit = await committed();
  const stream = eventsIn(await ask("", { accept: "text/event-stream" }));
  await waiting();
  await commit();
  await waitFor(() => stream.text().includes(": keep-alive\n\n"), {
    what: "a sign of life",
    timeoutMs: 60_000,
  });
  await stream.sees(1);
  expect(stream.events().map(({ data }) => data)).toEqual(await stored(api.businessId, "one"));
});

test("a request that waits counts as answered when it began to wait", async () => {
  const { ask } = await served();
  await committed();
  await ask("wait=2");
  const ofFeed = /chainbell_api_request_seconds_bucket\{le="1",.*feed.*\} (\d+)/;
  await waitFor(async () => ofFeed.exec(await api.deps.metrics.text())?.[1] === "1", {
    what: "the metric",
    timeoutMs,
  });
});

test("a stream gives each body as an event whose id is the cursor, and goes on from the last one that was seen", async () => {
  const { ask } = await served();
  const commit = await committed();
  await commit(2);
  const headers = { accept: "text/event-stream" };
  const opened = await ask("", headers);
  expect([opened.status, opened.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ]);
  const stream = eventsIn(opened);
  await stream.sees(2);
  await commit();
  await stream.sees(3);
  const bodies = await stored(api.businessId, "one");
  expect(stream.events().map(({ data }) => data)).toEqual(bodies);
  const [first] = stream.events();
  const again = eventsIn(await ask("", { ...headers, "last-event-id": first?.id ?? "" }));
  await again.sees(2);
  expect(again.events().map(({ data }) => data)).toEqual(bodies.slice(1));
  expect((await ask("", { ...headers, "last-event-id": "nonsense" })).status).toBe(400);
  expect((await ask("wait=1", headers)).status).toBe(400);
  await revokeApiKey(api.db, await keyIdOf(api.businessId));
  await stream.ends();
  await again.ends();
});

test("a stream whose events are all left out says where it is, and ends where its cursor is none any more", async () => {
  const { ask } = await served();
  const commit = await committed();
  await commit();
  const headers = { accept: "text/event-stream" };
  const stream = eventsIn(await ask("event=transaction.reversed", headers));
  await waitFor(() => stream.text().includes("id: "), { what: "its cursor", timeoutMs });
  const cursor = /id: (\S+)/.exec(stream.text())?.[1] ?? "";
  expect([stream.events(), (await feed(`after=${cursor}`)).lines]).toEqual([[], []]);
  await waitFor(isFollowed, { what: "the stream to wait", timeoutMs });
  await api.db.$executeRaw`UPDATE notification SET digest = decode(repeat('ab', 16), 'hex')`;
  api.notified.tell("everybody");
  await stream.ends();
  expect((await ask("", { ...headers, "last-event-id": cursor })).status).toBe(409);
});

test("streams and waiting requests count together against what a business may have open", async () => {
  const { ask } = await served();
  await committed();
  const gone = new AbortController();
  const open = Array.from({ length: 100 }, (_, index) =>
    ask("wait=30", {}, gone.signal).catch(() => index),
  );
  await waitForCount(openAnswers, 100, { what: "all to wait", timeoutMs });
  const refused = await ask("", { accept: "text/event-stream" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("15");
  expect((await ask("")).status).toBe(200);
  const other = await insertStranger(api);
  expect((await ask("wait=1", { "x-api-key": other.key })).status).toBe(200);
  gone.abort();
  await Promise.all(open);
});

test("from after a notification, of its chain alone", async () => {
  const { businessId } = api;
  const [one, two] = [await chainOf("one", 901), await chainOf("two", 902)];
  const wallets = {
    one: await walletOf(businessId, "one"),
    two: await walletOf(businessId, "two"),
  };
  for (let block = 0; block < 5; block += 1) {
    await one.commit([wallets.one]);
    await two.commit([wallets.two]);
  }
  const bodies = await stored(businessId, "one");
  const { id } = JSON.parse(bodies[0] ?? "");
  expect((await feed(`after_id=${id}`)).lines).toEqual(bodies.slice(1));
  expect((await feed(`after_id=${id}&blockchain=two`)).status).toBe(404);
  expect((await feed(`after_id=${id}&blockchain=two,one`)).lines).toEqual(bodies.slice(1));
  const stranger = await insertStranger(api);
  const others = await api.get(`/notifications/feed?after_id=${id}`, stranger.key);
  expect(others.statusCode).toBe(404);
  const { cursor } = await feed();
  expect((await feed(`after_id=${id}&after=${cursor}`)).status).toBe(400);
});

type SentEvent = { id: string; data: string };

/** The events of a stream as they come. */
function eventsIn(answer: Response) {
  const state = { text: "", isOver: false };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? [])
      state.text += decoder.decode(chunk, { stream: true });
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      state.isOver = true;
    });
  const events = () =>
    [...state.text.matchAll(/id: (\S+)\ndata: (.*)\n\n/g)].map(
      ([, id = "", data = ""]): SentEvent => ({ id, data }),
    );
  return {
    text: () => state.text,
    events,
    sees: (count: number) =>
      waitForCount(() => events().length, count, { what: "events", timeoutMs }),
    ends: () => waitFor(() => state.isOver, { what: "the end of the stream", timeoutMs }),
  };
}
