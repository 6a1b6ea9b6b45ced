import { gunzipSync, gzipSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { mostOfBusiness } from "../../../src/domain/business/rate-limit.ts";
import { statementPeriod } from "../../../src/domain/evidence/statement-period.ts";
import { checkLedger } from "../../../src/ledger/evidence/check-ledger.ts";
import { makeStatement, pruneStatements } from "../../../src/ledger/evidence/make-statement.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { verifyStatement } from "../../../src/verifying/verify.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import { insertBusiness, newWallet, testChain } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";

const api = eachTestApi();

const dates = { from: "2020-01-01", to: "2100-01-01" };
const always = `from=${dates.from}&to=${dates.to}`;

async function chainOf(name: string, chainId: number, coinDecimals: number) {
  const assets = [
    { code: "ETH", address: "native", decimals: coinDecimals, kind: "exact" },
  ] as const;
  await configureChains(api.db, [{ ...testChain, name, chainId, assets }], "removed");
  return writtenChain(api.db, name);
}

async function walletOf(businessId: string, chainName: string, label: string) {
  const wallet = newWallet({ chainName, label, reference: `customer-${label}` });
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  return { businessId, walletId: added?.id ?? "", address: wallet.address };
}

async function statement(query: string) {
  const answer = await api.get(`/statements?${query}`);
  const texts = answer.body.split(/\r?\n/).slice(0, -1);
  return { status: answer.statusCode, type: answer.headers["content-type"], texts };
}

const linesOf = (texts: readonly string[]): Record<string, unknown>[] =>
  texts.map((text) => JSON.parse(text));

test("a business has a statement of its own wallets alone, over its chains, at the larger decimals", async () => {
  const { businessId } = api;
  const one = await chainOf("one", 901, 18);
  const two = await chainOf("two", 902, 6);
  const mine = await walletOf(businessId, "one", "mine");
  const other = await walletOf(businessId, "two", "other");
  const stranger = await walletOf(await insertBusiness(api.db, "Others Ltd"), "one", "mine");
  for (let block = 0; block < 4; block += 1) {
    await one.commit([mine, stranger, mine]);
    await two.commit([other]);
  }
  const { status, type, texts } = await statement(always);
  expect([status, type]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
  const [key] = await listSigningKeys(api.db);
  const verdict = await verifyStatement(texts, key?.publicKey ?? null);
  expect(verdict).toMatchObject({ entries: 6, holdings: 2, wrong: [] });
  expect(verdict.missing).toContain("one: the end of the period");
  expect(texts.join()).not.toContain(stranger.walletId);
  expect(linesOf(texts).filter(({ line }) => line === "total")).toMatchObject([
    { blockchain: "one", closing: "0.000000000000000004", by_type: { deposit: expect.anything() } },
    { blockchain: "two", closing: "0.000002" },
    { blockchain: null, asset: "ETH", decimals: 18, closing: "0.000002000000000004", entries: 6 },
  ]);
  for (const [filter, entries] of [
    ["label=other", 2],
    ["reference_prefix=customer-m", 4],
    ["reference_prefix=stranger", 0],
    ["blockchain=one", 4],
    [`wallet_id=${other.walletId}`, 2],
    ["asset=USDC", 0],
  ] as const) {
    const part = await statement(`${always}&${filter}`);
    expect(await verifyStatement(part.texts, null)).toMatchObject({ entries, wrong: [] });
  }
  const table = await statement(`${always}&format=csv`);
  expect(table.type).toBe("text/csv; charset=utf-8");
  expect(table.texts).toHaveLength(texts.length + 1);
  expect(table.texts.filter((row) => row.startsWith("entry,"))).toHaveLength(6);
  const accept = "application/vnd.apache.parquet";
  const headers = { "x-api-key": api.key, accept };
  for (const parquet of [
    await api.get(`/statements?${always}&format=parquet`),
    await api.web.inject({ url: `/statements?${always}`, headers }),
  ]) {
    expect(parquet.headers["content-type"]).toBe(accept);
    const { buffer } = Uint8Array.from(parquet.rawPayload);
    expect(await parquetReadObjects({ file: buffer })).toHaveLength(6);
  }
});

test("a statement is refused before its first line, and never of another's wallet", async () => {
  const stranger = await walletOf(await insertBusiness(api.db), "ethereum", "theirs");
  const gone = await api.get(`/statements?${always}&wallet_id=${stranger.walletId}`);
  expect(gone.statusCode).toBe(404);
  expect(gone.json().error.code).toBe("wallet_not_found");
  for (const query of ["", "month=2026-13", "from=2026-01-01", `${always}&asset=DOGE`])
    expect((await statement(query)).status).toBe(400);
  const nowhere = (await api.get("/statements?month=2026-10&time_zone=Nowhere")).json();
  expect(nowhere.error.message).toContain("time_zone");
  const noChain = (await api.get(`/statements?${always}&blockchain=nowhere`)).json();
  expect(noChain.error.code).toBe("chain_not_found");
  expect(linesOf((await statement("month=2026-10")).texts).map(({ line }) => line)).toEqual([
    "statement",
    "count",
    "end",
  ]);
});

const day = "from=2023-11-14&to=2023-11-15";

/** Made a moment after the one before: ids are in the order of time. */
function make(query: string) {
  api.clock.advance(1);
  return api.get(`/statements?${query}`);
}

/** The day of the blocks is over: the next confirmed one is said to be of another. */
async function endDay(chainName: string): Promise<void> {
  await api.db.$executeRaw`
    INSERT INTO cutoff (chain_name, number, hash, time, next_time, seal)
    SELECT c.name, b.number, b.hash, b.time, '2023-11-15T00:00:02Z',
      (SELECT max(s.number) FROM ledger_seal s WHERE s.chain_name = c.name)
    FROM chain c JOIN block b ON b.chain_name = c.name AND b.number = c.confirmed_number
    WHERE c.name = ${chainName}`;
}

async function deposited(): Promise<string> {
  const one = await chainOf("one", 901, 18);
  const mine = await walletOf(api.businessId, "one", "mine");
  for (let block = 0; block < 4; block += 1) await one.commit([mine, mine]);
  await endDay("one");
  return mine.walletId;
}

test("the same statement comes of a day that is over, and by its id in each form", async () => {
  await deposited();
  await api.db.$executeRaw`UPDATE balance SET opening = 0 WHERE opening IS NULL`;
  const first = await make(day);
  const again = await make(day);
  expect(again.body).toBe(first.body);
  const { data } = (await api.get("/statements/all")).json();
  expect(data).toMatchObject([{ final: true, entries: 4, made_via: "api", unknown_openings: 0 }]);
  const [{ id, digest, made_by, chains }] = data;
  expect(linesOf(first.body.trimEnd().split("\n")).at(-1)).toMatchObject({ digest });
  expect(made_by).toBe((await api.db.apiKey.findFirstOrThrow()).id);
  expect(chains).toMatchObject([{ blockchain: "one", closing: { final: true } }]);
  expect((await api.get(`/statements/${id}`)).body).toBe(first.body);
  const table = await api.get(`/statements/${id}?format=csv`);
  expect(table.body).toBe((await make(`${day}&format=csv`)).body);
  const headers = { "x-api-key": api.key, accept: "text/csv" };
  const accepted = await api.web.inject({ url: `/statements/${id}`, headers });
  expect([accepted.body, accepted.headers["vary"]]).toEqual([table.body, "accept"]);
  // Another filter or zone is another statement, and so is one that is asked for anew.
  for (const more of ["&label=mine", "&time_zone=Europe/London", "&anew=true"])
    expect((await make(`${day}${more}`)).body).not.toBe(first.body);
  const page = (await api.get("/statements/all?limit=3")).json();
  const rest = (await api.get(`/statements/all?limit=3&cursor=${page.next_cursor}`)).json();
  expect(rest.data).toMatchObject([{ id, digest }]);
});

test("a statement of days that are not over is a new one each time, and so is one without openings", async () => {
  await deposited();
  const bodies = new Set<string>();
  for (const query of [always, always, day, day]) bodies.add((await make(query)).body);
  expect(bodies.size).toBe(4);
  const { data } = (await api.get("/statements/all")).json();
  expect(data.map(({ final }: { final: boolean }) => final)).toEqual([true, true, false, false]);
  expect(data[0].unknown_openings).toBe(1);
});

test("a wallet that ended before its first balance was read hinders no statement", async () => {
  await deposited();
  const { walletId } = await walletOf(api.businessId, "one", "ended");
  await api.db.$executeRaw`
    UPDATE balance SET opening = 0 WHERE opening IS NULL AND wallet_id <> ${walletId}::uuid`;
  await api.db.$executeRaw`
    UPDATE wallet SET created_at = '2023-11-14', removed_at = '2023-11-14T12:00:00Z', removed_change_id = added_change_id
    WHERE id = ${walletId}::uuid`;
  const first = await make(day);
  const [made] = (await api.get("/statements/all")).json().data;
  expect(made).toMatchObject({ final: true, unknown_openings: 1 });
  expect((await make(day)).body).toBe(first.body);
  const filtered = await make(`${day}&label=ended&blockchain=one`);
  expect((await make(`${day}&label=ended&blockchain=one`)).body).toBe(filtered.body);
  // It is read, as where the wallet has not ended: the statement has it.
  await api.db.$executeRaw`UPDATE balance SET opening = 0 WHERE opening IS NULL`;
  expect((await make(day)).body).not.toBe(first.body);
});

test("a statement waits for the chains of its wallets and assets alone, and for none that was left", async () => {
  const walletId = await deposited();
  const two = await chainOf("two", 902, 6);
  const left = await walletOf(api.businessId, "two", "left");
  for (let block = 0; block < 3; block += 1) await two.commit([]);
  await api.db.$executeRaw`UPDATE balance SET opening = 0 WHERE opening IS NULL`;
  const made = async (more: string) => {
    await make(`${day}${more}`);
    const [{ final, chains }] = (await api.get("/statements/all?limit=1")).json().data;
    return [final, chains.map(({ blockchain }: { blockchain: string }) => blockchain)];
  };
  expect(await made("")).toEqual([false, ["one", "two"]]);
  for (const more of [`&wallet_id=${walletId}`, "&label=mine", "&blockchain=one"])
    expect(await made(more)).toEqual([true, ["one"]]);
  expect(await made("&label=left")).toEqual([false, ["two"]]);
  await api.db.$executeRaw`
    UPDATE wallet SET removed_at = '2023-11-13', removed_change_id = added_change_id WHERE id = ${left.walletId}::uuid`;
  expect(await made("")).toEqual([true, ["one"]]);
  // With money on it, it is waited for.
  await api.db
    .$executeRaw`UPDATE balance SET confirmed = 1 WHERE wallet_id = ${left.walletId}::uuid`;
  expect(await made("&anew=true")).toEqual([false, ["one", "two"]]);
});

test("a business sees how far its statement is while it is made, and nobody else does", async () => {
  const one = await chainOf("one", 901, 18);
  const mine = await walletOf(api.businessId, "one", "mine");
  await one.commit(Array.from({ length: 250 }, () => mine));
  for (let block = 0; block < 2; block += 1) await one.commit([]);
  const stranger = await insertStranger(api);
  const seen: unknown[] = [];
  const heard: number[] = [];
  await makeStatement(api.db, {
    asked: { businessId: api.businessId, period: statementPeriod(dates), filter: {} },
    by: { name: "tester", via: "api" },
    isAnew: true,
    nowMs: api.clock.now(),
    onProgress: (read, expected) => heard.push(read, expected),
    async sign() {
      for (const key of [api.key, stranger.key])
        seen.push((await api.get("/statements/making", key)).json().data);
      return { keyId: "key", value: "value" };
    },
  });
  const underWay = { from: "2020-01-01T00:00:00.000Z", entries: 100, entries_expected: 250 };
  expect(seen).toMatchObject([[underWay], []]);
  expect(heard).toEqual([100, 250, 200, 250, 250, 250]);
  expect((await api.get("/statements/making")).json().data).toEqual([]);
  const given = await api.get(`/statements?${always}`);
  expect(given.headers["chainbell-entries"]).toBe("250");
  // A process that has ended says nothing any more.
  await api.db.$executeRaw`
    UPDATE account_statement SET finished_at = NULL, progress_at = now() - interval '6 minutes'`;
  expect((await api.get("/statements/making")).json().data).toEqual([]);
});

test("a business sees that an operator had a statement made, and operators see who", async () => {
  await deposited();
  await make(day);
  await api.db.$executeRaw`
    UPDATE account_statement SET made_by = 'root', made_via = 'cli'`;
  const [own] = (await api.get("/statements/all")).json().data;
  expect(own).toMatchObject({ made_by: "operator", made_via: "operator" });
  const listed = await api.admin("GET", `/businesses/${api.businessId}/statements`);
  expect(listed.json().data).toMatchObject([{ made_by: "root", made_via: "cli" }]);
});

test("a business is given its own statements alone", async () => {
  await deposited();
  const stranger = await insertStranger(api);
  await make(day);
  const [{ id }] = (await api.get("/statements/all")).json().data;
  expect((await api.get("/statements/all", stranger.key)).json().data).toEqual([]);
  for (const [of, key] of [
    [id, stranger.key],
    ["nothing", api.key],
    [stranger.businessId, api.key],
  ]) {
    const answer = await api.get(`/statements/${of}`, key);
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, "statement_not_found"]);
  }
});

test("a stored statement that is not what was signed breaks off, and is never given whole", async () => {
  await deposited();
  await make(day);
  const [{ id }] = (await api.get("/statements/all")).json().data;
  const [chunk] = await api.db.accountStatementChunk.findMany();
  const text = gunzipSync(chunk?.body ?? "").toString();
  const body = gzipSync(text.replace('"amount_atomic":"1"', '"amount_atomic":"2"'));
  await api.db.accountStatementChunk.updateMany({ data: { body } });
  const answer = await api.get(`/statements/${id}`).catch((error: unknown) => error);
  expect(answer).not.toMatchObject({ statusCode: 200 });
});

test.each([
  ["other lines", gzipSync("{}\n")],
  ["a chunk that no gzip is", Buffer.from("changed")],
  ["no lines", null],
])("the ledger's check names a statement that has %s", async (_, body) => {
  await deposited();
  for (const query of [day, always]) await make(query);
  expect(await statementsFound()).toEqual([]);
  const [statement] = await api.db.accountStatement.findMany({ orderBy: { id: "desc" } });
  const where = { statementId: statement?.id ?? "" };
  if (body === null) await api.db.accountStatementChunk.deleteMany({ where });
  else await api.db.accountStatementChunk.updateMany({ where, data: { body } });
  const businessId = statement?.businessId;
  expect(await statementsFound()).toEqual([{ kind: "statement", businessId, ...where }]);
});

async function statementsFound() {
  const { findings } = await checkLedger(api.db);
  return findings.filter(({ kind }) => kind === "statement");
}

test("what is not finished or not over is forgotten with time, and nothing else", async () => {
  await deposited();
  for (const query of [day, always]) await make(query);
  await make(always);
  const [unfinished, interim, final] = await api.db.accountStatement.findMany({
    orderBy: { id: "desc" },
  });
  await api.db.$executeRaw`
    UPDATE account_statement SET finished_at = NULL WHERE id = ${unfinished?.id}::uuid`;
  const kept = async () => (await api.db.accountStatement.findMany()).map(({ id }) => id).sort();
  const age = (days: number) =>
    api.db
      .$executeRaw`UPDATE account_statement SET made_at = now() - ${days}::int * interval '1 day'`;
  await age(0);
  expect(await pruneStatements(api.db, { limit: 9 })).toBe(0);
  await age(2);
  expect(await pruneStatements(api.db, { limit: 9 })).toBe(1);
  expect(await kept()).toEqual([final?.id, interim?.id].sort());
  await age(401);
  expect(await pruneStatements(api.db, { limit: 9 })).toBe(1);
  expect(await kept()).toEqual([final?.id]);
  expect(await api.db.accountStatementChunk.count()).toBe(1);
});

test("a business with as many statements as are stored is refused another one, and loses none", async () => {
  await deposited();
  await api.db.$executeRaw`UPDATE balance SET opening = 0 WHERE opening IS NULL`;
  const first = await make(day);
  await api.db.$executeRaw`
    INSERT INTO account_statement (id, business_id, made_at, made_by, made_via, period_from, period_to, time_zone,
      filter, chains, is_final)
    SELECT gen_random_uuid(), ${api.businessId}::uuid, now(), 'ops', 'cli', '2020-01-01', '2020-01-02', 'UTC', '{}', '[]',
      true FROM generate_series(1, ${mostOfBusiness.storedStatements - 2}::int)`;
  expect((await make(always)).statusCode).toBe(200);
  const refused = await make(`${day}&anew=true`);
  expect([refused.statusCode, refused.json().error.code]).toEqual([409, "limit_reached"]);
  expect((await make(day)).body).toBe(first.body);
  const stored = { where: { businessId: api.businessId } };
  expect(await api.db.accountStatement.count(stored)).toBe(mostOfBusiness.storedStatements);
  const [{ id }] = (await api.get("/statements/all")).json().data;
  await api.admin("DELETE", `/statements/${id}`);
  expect((await make(`${day}&anew=true`)).statusCode).toBe(200);
  // An operator closes its month all the same.
  const asked = { businessId: api.businessId, period: statementPeriod(dates), filter: {} };
  const sign = async () => ({ keyId: "key", value: "value" });
  const by = { name: "ops", via: "cli" } as const;
  const given = { asked, by, isAnew: true, nowMs: api.clock.now(), sign };
  expect(await makeStatement(api.db, given)).toMatchObject({ businessId: api.businessId });
});

test("a business whose statements have as many entries as are stored is refused another one", async () => {
  await deposited();
  await make(day);
  await api.db
    .$executeRaw`UPDATE account_statement SET entries = ${mostOfBusiness.storedEntries - 4}`;
  expect((await make(`${day}&anew=true`)).statusCode).toBe(200);
  const refused = await make(`${day}&anew=true`);
  expect([refused.statusCode, refused.json().error.code]).toEqual([409, "limit_reached"]);
});

test("an operator removes a statement, and the audit trail keeps its digest", async () => {
  await deposited();
  await make(day);
  const [{ id, digest }] = (await api.get("/statements/all")).json().data;
  const listed = await api.admin("GET", `/businesses/${api.businessId}/statements`);
  expect(listed.json().data).toMatchObject([{ id, digest }]);
  const removed = await api.admin("DELETE", `/statements/${id}`);
  expect(removed.json().data).toMatchObject({ id, digest });
  expect((await api.get(`/statements/${id}`)).statusCode).toBe(404);
  const entries = await api.db.auditEntry.findMany({ where: { action: "statement.remove" } });
  expect(entries).toMatchObject([{ subject: id, businessId: api.businessId, details: { digest } }]);
});
