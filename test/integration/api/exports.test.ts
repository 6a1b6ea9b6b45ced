import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createOpenStreams } from "../../../src/api/http/open-streams.ts";
import { createApiServer } from "../../../src/api/server.ts";
import { csvCells } from "../../../src/domain/csv.ts";
import { Fault } from "../../../src/domain/fault.ts";
import { idAt } from "../../../src/domain/id.ts";
import { type Owner, ownerOfWork } from "../../../src/runtime/on-behalf.ts";
import { insertKey, insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { eachTest } from "../../support/each-test.ts";
import {
  insertTransaction,
  newWallet,
  randomHash,
  type TransactionFixture,
  testChain,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains, revokeApiKey } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";
import { waitFor } from "../../support/wait-for.ts";

const timeoutMs = 15_000;
const csv = "text/csv";
const jsonLines = "application/x-ndjson";

/** An API that says which pages it reads, for whom, and how many answers are open. */
const api = eachTest(
  async () => {
    const pages: { afterId: string | null; owner: Owner | null }[] = [];
    const replica = { behindMs: 0, answersFrom: Number.POSITIVE_INFINITY };
    const onPage = async (_count: number) => {};
    const seen = { open: 0, failsAfter: Number.POSITIVE_INFINITY, pages, replica, onPage };
    const opened = await openTestApi(({ readLists }) => ({
      streams: createOpenStreams((change) => {
        seen.open += change;
      }),
      async readLists(read, maxStalenessMs = Number.POSITIVE_INFINITY) {
        const { behindMs: stalenessMs, answersFrom } = replica;
        const isOfReplica = pages.length >= answersFrom && stalenessMs <= maxStalenessMs;
        const { answer, served } = await readLists((ledger) =>
          read({
            ...ledger,
            async readRecordedTransactions(asked) {
              pages.push({ afterId: asked.page.afterId, owner: ownerOfWork() });
              await seen.onPage(pages.length);
              if (pages.length > seen.failsAfter) throw new Fault("database_unavailable", "Gone.");
              // The replica has none of the rows yet.
              if (isOfReplica) return { rows: [], nextCursor: null };
              return ledger.readRecordedTransactions(asked);
            },
          }),
        );
        return { answer, served: isOfReplica ? { by: "replica", stalenessMs } : served };
      },
    }));
    return { ...opened, seen };
  },
  (opened) => opened.stop(),
);

async function walletOf(fields: Parameters<typeof newWallet>[0] = {}, of = api.businessId) {
  const wallets = [newWallet(fields)];
  const [added] = await addWallets(api.db, { businessId: of, wallets });
  return added?.id ?? "";
}

/** Rows enough for three pages, the newest last. */
async function fill(walletId: string, count: number): Promise<void> {
  const first = await insertTransaction(api.db, { walletId });
  await api.db.$executeRaw`
    INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal)
    SELECT overlay(id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, sha256(identity || n::text::bytea), chain_name, business_id,
      wallet_id, asset_id, type, direction, n, status, tx_hash, from_address, to_address, block_number, block_hash,
      block_time, ordinal
    FROM transaction, generate_series(1, ${count - 1}::int) n WHERE id = ${first}::uuid`;
}

async function exported(accept: string, query = "", key = api.key) {
  const url = `/transactions?${query}`;
  const headers = { "x-api-key": key, accept };
  const answer = await api.web.inject({ method: "GET", url, headers });
  const lines = answer.body.split(/\r?\n/).filter((line) => line !== "");
  return { status: answer.statusCode, headers: answer.headers, lines, answer };
}

const tx = (fixture: TransactionFixture) => insertTransaction(api.db, fixture);

test("an export has every field of a transaction, as one transaction by itself has them", async () => {
  const walletId = await walletOf({ label: "=shop", reference: "order-17" });
  const txHash = randomHash();
  const id = await tx({ walletId, type: "withdrawal", txHash, usdValue: "12.50" });
  await tx({ walletId, type: "fee", txHash, amountAtomic: 21n });
  await tx({ walletId, type: "fee", txHash, amountAtomic: 22n, status: "dropped" });
  const { data: one } = (await api.get(`/transactions/${id}`)).json();
  const { notifications: _, ...row } = one;
  expect(row).toMatchObject({
    fee: { amount: "0.000000000000000021", asset: "ETH" },
    usd_value: "12.5",
    label: "=shop",
    reference: "order-17",
  });
  const lines = await exported(jsonLines);
  expect(lines.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
  expect(lines.headers.vary).toBe("accept");
  expect(lines.lines.map((line) => JSON.parse(line))).toEqual([row]);
  const table = await exported(csv);
  expect(table.headers["content-type"]).toBe("text/csv; charset=utf-8");
  const [names = "", cells = ""] = table.lines;
  const read = csvCells(cells);
  const shown = new Map(names.split(",").map((name, index) => [name, read?.[index]]));
  expect(Object.fromEntries(shown)).toMatchObject({
    id,
    amount: "0.000000000000000001",
    fee: "0.000000000000000021",
    fee_asset: "ETH",
    usd_value: "12.5",
    label: "'=shop",
    reference: "order-17",
    tx_hash: txHash,
    block_hash: row.block_hash,
    block_number: "100",
    from_address: row.from_address,
    to_address: row.to_address,
    status: "completed",
    confirmed_alone: "false",
    completed_at: "",
  });
  expect(table.answer.body.endsWith("\r\n")).toBe(true);
});

test("a list has further fields where they are asked for, and refuses what is none", async () => {
  const walletId = await walletOf({ label: "shop" });
  await tx({ walletId, usdValue: "3" });
  const usual = (await api.get("/transactions")).json().data[0];
  expect(Object.keys(usual)).not.toContain("label");
  const list = (await api.get("/transactions?include=label,usd_value,fee")).json();
  expect(list.data).toEqual([{ ...usual, label: "shop", usd_value: "3", fee: null }]);
  for (const include of ["colour", "", "label,", "label,toString"]) {
    const refused = await api.get(`/transactions?include=${include}`);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.message).toContain("include");
  }
});

test("in the order of amounts no row comes twice, also if its amount falls meanwhile", async () => {
  await fill(await walletOf(), 1_200);
  const moved = new Set<string>();
  api.seen.onPage = async (count) => {
    if (count !== 2) return;
    // The first row that was sent, and the one at which the second page begins.
    for (const amount of [1_199, 700]) {
      const { id } = await api.db.transaction.findFirstOrThrow({ where: { amount } });
      await api.db.transaction.update({ where: { id }, data: { amount: 0 } });
      moved.add(id);
    }
  };
  const { lines, answer } = await exported(jsonLines, "asset=ETH&sort=amount");
  const rows = lines.map((line): { id: string; amount: string } => JSON.parse(line));
  expect(rows.filter(({ id }) => moved.has(id)).map(({ amount }) => amount)).toEqual([
    "0.000000000000001199",
    "0.0000000000000007",
  ]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(1_200);
  expect(rows).toHaveLength(1_200);
  expect(answer.trailers).toEqual({ "chainbell-counts": "rows=1200, unpriced=1200" });
});

test("an export has every page of its filter, in order, each once, and counts them behind the end", async () => {
  const walletId = await walletOf();
  await fill(walletId, 1_200);
  await tx({ walletId, assetCode: "USDC", usdValue: "1" });
  await tx({ walletId: await walletOf({}, (await insertStranger(api)).businessId) });
  const all = await exported(jsonLines);
  const ids = all.lines.map((line): string => JSON.parse(line).id);
  expect(ids).toHaveLength(1_201);
  expect(ids.toSorted().reverse()).toEqual(ids);
  expect(new Set(ids).size).toBe(1_201);
  expect(all.answer.trailers).toEqual({ "chainbell-counts": "rows=1201, unpriced=1200" });
  // Each page begins where the one before ended, and is read on behalf of the business.
  const owner = { kind: "business", name: api.businessId };
  expect(api.seen.pages).toEqual([
    { afterId: null, owner },
    { afterId: ids[499], owner },
    { afterId: ids[999], owner },
  ]);
  expect((await exported(csv, "asset=USDC")).lines).toHaveLength(2);
  expect((await exported(csv, "status=reversed")).lines).toHaveLength(1);
  const { next_cursor: cursor } = (await api.get("/transactions?limit=500")).json();
  const rest = await exported(jsonLines, `cursor=${cursor}`);
  expect(rest.lines.map((line) => JSON.parse(line).id)).toEqual(ids.slice(500));
  expect(api.seen.open).toBe(0);
});

test("no page of an export is of older data than the page before, whichever server answers", async () => {
  await fill(await walletOf(), 700);
  api.seen.replica.answersFrom = 1;
  api.seen.replica.behindMs = 3_600_000;
  const { lines, answer } = await exported(jsonLines);
  expect(lines).toHaveLength(700);
  expect(answer.trailers).toEqual({ "chainbell-counts": "rows=700, unpriced=700" });
  expect(answer.headers["chainbell-read-from"]).toBe("primary");
  // A replica that has all that the first page had may answer the next ones.
  api.seen.replica.behindMs = 0;
  expect((await exported(jsonLines)).lines).toHaveLength(0);
});

test("an export is refused before its first line, as a page is", async () => {
  const walletId = await walletOf();
  for (const [query, field] of [
    ["asset=DOGE", "asset"],
    ["colour=red", "colour"],
    ["include=fee", "include"],
    [`openings=true&wallet_id=${walletId}`, "openings"],
  ]) {
    const { status, answer } = await exported(csv, query);
    expect(status).toBe(400);
    expect(answer.json().error.message).toContain(field);
  }
  expect((await exported(csv, "", "cb_nobody")).status).toBe(401);
  const headers = { "x-api-key": api.key, accept: csv };
  const head = await api.web.inject({ method: "HEAD", url: "/transactions", headers });
  expect([head.statusCode, head.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
});

test("the notifications of a filter are exported too, with what their bodies say", async () => {
  await configureChains(api.db, [{ ...testChain, name: "one", chainId: 901 }], "removed");
  const chain = await writtenChain(api.db, "one");
  const { businessId } = api;
  const wallet = newWallet({ chainName: "one", reference: "+1" });
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  const walletId = added?.id ?? "";
  await chain.commit([{ businessId, walletId, address: wallet.address }]);
  await chain.commit([]);
  await chain.commit([]);
  const { data } = (await api.get("/notifications")).json();
  expect(data).toHaveLength(1);
  const headers = (accept: string) => ({ "x-api-key": api.key, accept });
  const ask = (accept: string, query = "") =>
    api.web.inject({ method: "GET", url: `/notifications?${query}`, headers: headers(accept) });
  const lines = await ask(jsonLines);
  const ofMoney = { fee: null, usd_value: null, label: null };
  expect(JSON.parse(lines.body)).toEqual({ ...data[0], ...ofMoney });
  expect(lines.trailers).toEqual({ "chainbell-counts": "rows=1" });
  const [names, cells, ...rest] = (await ask(csv)).body.split("\r\n");
  expect(rest).toEqual([""]);
  const { data: body } = data[0].payload;
  expect(names).toMatch(/^id,event,status,transaction_id,.*,attempt_count,webhook_id,.*,payload$/);
  expect(cells).toContain(
    `,confirmed,deposit,"${body.amount}",${body.asset},one,${walletId},'+1,${body.txHash},${body.fromAddress},${body.toAddress},${body.blockNumber},,,,,"{""id"":`,
  );
  expect((await ask(csv, "event=transaction.reversed")).body.split("\r\n")).toHaveLength(2);
});

test("an exported notification has the fee and the value of its transaction, and its wallet's label", async () => {
  const walletId = await walletOf({ label: "+shop" });
  const txHash = randomHash();
  const sent = await tx({ walletId, type: "withdrawal", txHash, usdValue: "12.50" });
  await tx({ walletId, type: "fee", txHash, amountAtomic: 21n });
  const { businessId } = api;
  const state = "confirmed";
  const common = { businessId, state, event: "transaction.withdrawal", body: '{"data":{}}' };
  const second = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
  await api.db.notification.createMany({
    data: [
      { ...common, id: idAt(3), transactionId: sent, createdAt: second(3) },
      { ...common, id: idAt(2), walletId, createdAt: second(2) },
      { ...common, id: idAt(1), createdAt: second(1) },
    ],
  });
  const of = {
    transaction: {
      fee: { amount: "0.000000000000000021", asset: "ETH" },
      usd_value: "12.5",
      label: "+shop",
    },
    wallet: { fee: null, usd_value: null, label: "+shop" },
    nothing: { fee: null, usd_value: null, label: null },
  };
  const { data } = (await api.get("/notifications")).json();
  const [usual] = data;
  expect(Object.keys(usual)).not.toContain("fee");
  const ask = (accept: string, query = "") =>
    api.web.inject({
      method: "GET",
      url: `/notifications?${query}`,
      headers: { "x-api-key": api.key, accept },
    });
  const lines = (await ask(jsonLines)).body.trim().split("\n");
  const rows = [of.transaction, of.wallet, of.nothing].map((own, at) => ({ ...data[at], ...own }));
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  const table = (await ask(csv)).body.split("\r\n");
  expect(table[0]).toMatch(/,label,fee,fee_asset,usd_value,payload$/);
  expect(table[1]).toContain(`,'+shop,"0.000000000000000021",ETH,12.5,`);
  expect(table[2]).toContain(",'+shop,,,,");
  // A list has those that it is asked for, page by page.
  const page = (await api.get("/notifications?include=usd_value&limit=1")).json();
  expect(page.data).toEqual([{ ...usual, usd_value: "12.5" }]);
  const next = await api.get(`/notifications?include=label&limit=1&cursor=${page.next_cursor}`);
  expect(next.json().data).toEqual([{ ...data[1], label: "+shop" }]);
  expect((await api.get("/notifications?include=colour")).statusCode).toBe(400);
  expect((await ask(csv, "include=fee")).json().error.message).toContain("include");
});

async function served() {
  const server = createApiServer(api.deps, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.stop());
  await server.start();
  const { url } = server.address();
  const ask = (key = api.key, signal?: AbortSignal) =>
    fetch(`${url}/transactions`, {
      headers: { "x-api-key": key, accept: jsonLines },
      ...(signal === undefined ? {} : { signal }),
    });
  return { ask, url };
}

/** More than the connection holds for a client that does not read. */
const beyondBuffers = 30_000;

test("nothing is read for a client that does not read, and nothing more once it has left", async () => {
  await fill(await walletOf(), beyondBuffers);
  const { ask } = await served();
  const gone = new AbortController();
  const answer = await ask(api.key, gone.signal);
  const read = () => api.seen.pages.length;
  const inTransaction = () => api.db.$queryRaw`
    SELECT state, query FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
      AND (backend_xmin IS NOT NULL OR xact_start IS NOT NULL)`;
  let before = 0;
  // It has settled when two looks find as many pages, and no page is being read between them.
  await waitFor(
    async () => {
      const isPaused = read() > 0 && read() === before;
      before = read();
      const open = await inTransaction();
      return isPaused && Array.isArray(open) && open.length === 0 && read() === before;
    },
    { what: "the reading to pause with no transaction open", timeoutMs },
  );
  expect(read()).toBeLessThan(beyondBuffers / 500);
  gone.abort();
  await waitFor(() => api.seen.open === 0, { what: "the answer to end", timeoutMs });
  expect(read()).toBeLessThan(beyondBuffers / 500);
  await expect(answer.text()).rejects.toThrow();
});

test("an export breaks off where a page cannot be read, and where its key is revoked", async () => {
  await fill(await walletOf(), beyondBuffers);
  const { ask } = await served();
  api.seen.failsAfter = 2;
  await expect(ask().then((answer) => answer.text())).rejects.toThrow();
  api.seen.failsAfter = Number.POSITIVE_INFINITY;
  const key = await insertKey(api, api.businessId);
  const answer = await ask(key);
  await waitFor(() => api.seen.open === 1, { what: "the answer to begin", timeoutMs });
  const keys = await api.db.apiKey.findMany({ where: { businessId: api.businessId } });
  const newest = keys.find(({ prefix }) => key.startsWith(prefix));
  await revokeApiKey(api.db, newest?.id ?? "");
  await waitFor(() => api.seen.open === 0, { what: "the answer to end", timeoutMs });
  await expect(answer.text()).rejects.toThrow();
});

test("a business has so many exports under way, and another one has its own", async () => {
  await fill(await walletOf(), beyondBuffers);
  const { ask } = await served();
  const gone = new AbortController();
  const open = Array.from({ length: 4 }, () => ask(api.key, gone.signal));
  await Promise.all(open);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: "rate_limited" } });
  expect((await ask((await insertStranger(api)).key)).status).toBe(200);
  gone.abort();
  await waitFor(() => api.seen.open === 0, { what: "the answers to end", timeoutMs });
  await (await ask()).body?.cancel();
});

test("the counts follow the last chunk on the wire", async () => {
  await fill(await walletOf(), 3);
  const { url } = await served();
  const trailers = await new Promise((resolve, reject) => {
    const headers = { "x-api-key": api.key, accept: csv };
    request(`${url}/transactions`, { headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.trailers));
    })
      .on("error", reject)
      .end();
  });
  expect(trailers).toEqual({ "chainbell-counts": "rows=3, unpriced=3" });
});
