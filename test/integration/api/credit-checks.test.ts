import { randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { encodeLineCursor } from "../../../src/domain/credits/credit-check.ts";
import { pruneCreditChecks } from "../../../src/ledger/credits/prune-checks.ts";
import { abandonCredits, receiveCredits } from "../../../src/ledger/credits/receive-credits.ts";
import { finishCredits, settleCredits } from "../../../src/ledger/credits/settle-credits.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertKey } from "../../support/api/test-api.ts";
import { plantWallets } from "../../support/credits/write-planted.ts";
import { insertBusiness, insertTransaction } from "../../support/ledger/ledger-fixtures.ts";
import { waitFor } from "../../support/wait-for.ts";

const api = eachTestApi();

const day = "from=2026-01-02&to=2026-01-03";
const header = "transaction_id,asset,amount,reference,credited_at";

async function send(
  rows: readonly string[],
  asked: { query?: string; headers?: Record<string, string>; key?: string; columns?: string } = {},
) {
  return api.web.inject({
    method: "POST",
    url: `/reconciliations?${asked.query ?? day}`,
    headers: { "x-api-key": asked.key ?? api.key, "content-type": "text/csv", ...asked.headers },
    payload: `${[asked.columns ?? header, ...rows].join("\n")}\n`,
  });
}

async function deposit(walletId: string, amountAtomic = 10n ** 18n): Promise<string> {
  const blockTime = new Date("2026-01-02T12:00:00Z");
  const id = await insertTransaction(api.db, { walletId, amountAtomic, blockTime });
  const completedAt = new Date("2026-01-02T12:02:00Z");
  await api.db.transaction.update({ where: { id }, data: { completedAt } });
  return id;
}

async function walletId(): Promise<string> {
  const [wallet] = await plantWallets(api.db, api.businessId, 1);
  return wallet?.id ?? "";
}

const rowOf = (id: string, reference: string, amount = "1") =>
  `${id},ETH,${amount},${reference},2026-01-02T12:02:03Z`;

async function linesOf(id: string, query = "") {
  return (await api.get(`/reconciliations/${id}?${query}`)).json().data;
}

test("a run is answered with its counts and sums, and each line with its cause and the next step", async () => {
  const wallet = await walletId();
  const [one, two] = [await deposit(wallet), await deposit(wallet, 25n * 10n ** 17n)];
  const rows = [
    rowOf(one, "c-1"),
    "what, is this",
    rowOf(one, "c-2", "0.5"),
    `${one},DOGE,7,c-3,2026-01-02T12:02:03Z`,
  ];
  const answer = await send(rows);
  expect(answer.statusCode).toBe(201);
  const { data: run } = answer.json();
  expect(run).toMatchObject({
    credits: 4,
    format: "csv",
    from: "2026-01-02T00:00:00.000Z",
    to: "2026-01-03T00:00:00.000Z",
    counts: { matches: 1, malformed: 1, credited_twice: 2, not_credited: 1, reversed: 0 },
    assets: [
      { asset: "ETH", credits: 2, credited: "1.5", received: "3.5", difference: "-2" },
      { asset: null, credits: 1, credited: null },
    ],
  });
  const lines = await linesOf(run.id);
  expect(lines).toMatchObject([
    { line: 2, verdict: "matches", cause: null, next_step: null, received: { amount: "1" } },
    {
      line: 3,
      verdict: "malformed",
      text: "what, is this",
      problem: "expected 5 cells, there are 2",
      problem_code: "cells",
      problem_values: { expected: 5, found: 2 },
    },
    {
      line: 4,
      verdict: "credited_twice",
      cause: "other_reference",
      reference: "c-2",
      amount: "0.5",
    },
    { line: 5, verdict: "credited_twice" },
    { line: null, verdict: "not_credited", cause: "not_notified", transaction_id: two },
  ]);
  expect(lines[2].next_step).toContain("Take this credit back");
  expect(await linesOf(run.id, "verdict=malformed")).toHaveLength(1);
  const list = (await api.get("/reconciliations")).json();
  expect(list.data).toEqual([run]);
  expect((await api.get("/audit")).json().data[0]).toMatchObject({
    action: "credit.check",
    subject: run.id,
  });
});

test("the right amount keeps its transaction, whichever credit was first", async () => {
  const id = await deposit(await walletId());
  const early = `${id},ETH,2,c-1,2026-01-02T12:02:01Z`;
  const { data: run } = (await send([early, rowOf(id, "c-2")])).json();
  expect(await linesOf(run.id)).toMatchObject([
    { reference: "c-1", verdict: "credited_twice" },
    { reference: "c-2", verdict: "matches" },
  ]);
});

const hashOf = async (id: string) =>
  (await api.db.transaction.findUniqueOrThrow({ where: { id } })).txHash;

test("a credit with an id and the hash of another transaction names neither of them", async () => {
  const wallet = await walletId();
  const [one, two] = [await deposit(wallet), await deposit(wallet)];
  const txHash = await hashOf(two);
  const columns = "transaction_id,tx_hash,asset,amount,reference,credited_at";
  const row = `${one},${txHash.toUpperCase().replace("X", "x")},ETH,1,c-1,2026-01-02T12:02:03Z`;
  const { data: run } = (await send([row], { columns })).json();
  expect(run).toMatchObject({
    counts: { not_received: 1, not_credited: 2 },
    assets: [{ asset: "ETH", credits: 1, credited: "1", received: "2", difference: "-1" }],
  });
  const lines = await linesOf(run.id);
  expect(lines).toMatchObject([
    {
      line: 2,
      verdict: "not_received",
      cause: "other_hash",
      transaction_id: one,
      tx_hash: txHash,
      received: { asset: "ETH", amount: "1" },
    },
    { line: null, verdict: "not_credited" },
    { line: null, verdict: "not_credited" },
  ]);
  const uncredited = [lines[1].transaction_id, lines[2].transaction_id];
  expect(new Set(uncredited)).toEqual(new Set([one, two]));
  expect(lines[0].likely_cause).toContain("has another hash");
});

test("a credit with an id and its hash is of that transaction, and of no other of the hash", async () => {
  const wallet = await walletId();
  const [one, twin] = [await deposit(wallet), await deposit(wallet)];
  const txHash = await hashOf(one);
  await api.db.transaction.update({ where: { id: twin }, data: { txHash } });
  const columns = "transaction_id,tx_hash,wallet_id,asset,amount,reference,credited_at";
  const rows = ["c-1", "c-2"].map(
    (name) => `${one},${txHash},${wallet},ETH,1,${name},2026-01-02T12:02:03Z`,
  );
  const { data: run } = (await send(rows, { columns })).json();
  expect(await linesOf(run.id)).toMatchObject([
    { reference: "c-1", verdict: "matches" },
    { reference: "c-2", verdict: "credited_twice" },
    { line: null, verdict: "not_credited", transaction_id: twin },
  ]);
});

test("money that one wallet of the business paid another is no credit that was forgotten", async () => {
  const { db, businessId } = api;
  const [one, ended, other] = await plantWallets(db, businessId, 3);
  const [stranger] = await plantWallets(db, await insertBusiness(db, "Others Ltd"), 1);
  await db.$executeRaw`
    UPDATE wallet SET removed_at = now(), removed_change_id = added_change_id WHERE id = ${ended?.id}::uuid`;
  const causes = [];
  for (const from of [one, ended, stranger]) {
    const id = await deposit(other?.id ?? "");
    await db.transaction.update({ where: { id }, data: { fromAddress: from?.address ?? "" } });
    const { data: run } = (await send([])).json();
    const lines: { transaction_id: string; cause: string }[] = await linesOf(run.id);
    causes.push(lines.find((line) => line.transaction_id === id)?.cause);
  }
  expect(causes).toEqual(["own_transfer", "own_transfer", "not_notified"]);
});

test("what was received is confirmed money alone, also where a credit says another amount", async () => {
  const wallet = await walletId();
  const [confirmed, pending] = [await deposit(wallet), await deposit(wallet)];
  await api.db.transaction.update({
    where: { id: pending },
    data: { status: "pending", completedAt: null },
  });
  const rows = [rowOf(confirmed, "c-1", "0.5"), rowOf(pending, "c-2", "0.25")];
  const { data: run } = (await send(rows)).json();
  expect(run).toMatchObject({
    counts: { other_amount: 2 },
    assets: [{ asset: "ETH", credited: "0.75", received: "1", difference: "-0.25" }],
  });
});

test("the next run shows only what is new, what has changed and what is gone", async () => {
  const wallet = await walletId();
  const ids = [await deposit(wallet), await deposit(wallet), await deposit(wallet)];
  const [one = "", two = "", three = ""] = ids;
  const { data: first } = (
    await send([rowOf(one, "c-1", "2"), rowOf(two, "c-2", "20"), "nonsense"])
  ).json();
  const all = await linesOf(first.id, "changes=true");
  expect(all.map(({ change }: { change: string }) => change)).toEqual(["new", "new", "new", "new"]);
  const { data: second } = (
    await send([
      rowOf(one, "c-1", "10"),
      rowOf(two, "c-2", "20"),
      "nonsense",
      rowOf(three, "c-3"),
      rowOf(three, "c-4"),
    ])
  ).json();
  const changes = await linesOf(second.id, "changes=true");
  expect(changes).toMatchObject([
    { reference: "c-1", verdict: "other_amount", cause: "decimals", change: "changed" },
    { reference: "c-4", verdict: "credited_twice", change: "new" },
    { line: null, verdict: "not_credited", transaction_id: three, change: "gone" },
  ]);
  // A page at a time it is the same.
  const pages = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const next = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: { data: unknown[]; next_cursor: string | null } = (
      await api.get(`/reconciliations/${second.id}?changes=true&limit=1${next}`)
    ).json();
    pages.push(...page.data);
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(changes);
  // Another day does not say that yesterday's findings are gone.
  const { data: third } = (await send([], { query: "from=2026-01-03&to=2026-01-04" })).json();
  expect(await linesOf(third.id, "changes=true")).toEqual([]);
});

test("a cursor with a number that no line can have is refused as no cursor", async () => {
  const { data: run } = (await send([rowOf(await deposit(await walletId()), "c-1")])).json();
  const at = (number: number) => `cursor=${encodeLineCursor(number)}`;
  for (const number of [2 ** 31, 999_999_999_999]) {
    const answer = await api.get(`/reconciliations/${run.id}?${at(number)}`);
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, "invalid_request"]);
  }
  expect(await linesOf(run.id, at(2 ** 31 - 1))).toEqual([]);
});

test("a finding that is new is shown beside an older one of the same reference", async () => {
  const wallet = await walletId();
  const [one = "", two = ""] = [await deposit(wallet), await deposit(wallet)];
  await send([rowOf(one, "customer-7", "0.5"), rowOf(two, "customer-7")]);
  const rows = [rowOf(one, "customer-7", "0.5"), rowOf(two, "customer-7", "0.5")];
  const { data: run } = (await send(rows)).json();
  expect(await linesOf(run.id, "changes=true")).toMatchObject([
    { line: 3, transaction_id: two, verdict: "other_amount", cause: "less", change: "changed" },
  ]);
});

test("a repeated request with its key is answered again, and another body is refused", async () => {
  const id = await deposit(await walletId());
  const headers = { "idempotency-key": "monday" };
  const first = await send([rowOf(id, "c-1")], { headers });
  const again = await send([rowOf(id, "c-1")], { headers });
  expect([again.statusCode, again.headers["idempotency-replayed"]]).toEqual([201, "true"]);
  expect(again.body).toBe(first.body);
  const other = await send([rowOf(id, "c-2")], { headers });
  expect([other.statusCode, other.json().error.code]).toEqual([422, "idempotency_key_reused"]);
  expect((await api.get("/reconciliations")).json().data).toHaveLength(1);
  // What the refused ones had received hinders nobody, and is forgotten.
  expect((await send([rowOf(id, "c-3")])).statusCode).toBe(201);
  for (let pruned = 1; pruned > 0; ) pruned = await pruneCreditChecks(api.db, { limit: 1 });
  expect(await api.db.creditCheck.count()).toBe(2);
});

test("a key needs the scopes read and credits", async () => {
  for (const [scopes, status] of [
    [["read"], 403],
    [["credits"], 403],
    [["webhooks", "notifications"], 403],
    [["read", "credits"], 201],
  ] as const) {
    const key = await insertKey(api, api.businessId, { scopes });
    const answer = await send([], { key });
    expect([scopes, answer.statusCode]).toEqual([scopes, status]);
  }
});

test("a run is refused while another one is under way, and nobody else's is found", async () => {
  const { db, businessId } = api;
  const running = await db.creditCheck.create({
    data: { id: "01a20098-0000-7000-8000-000000000009", businessId, format: "csv" },
  });
  const refused = await send([]);
  expect([refused.statusCode, refused.json().error.code]).toEqual([409, "reconciliation_running"]);
  expect((await api.get(`/reconciliations/${running.id}`)).statusCode).toBe(404);
  // Its process has ended: it says nothing any more.
  const seenAt = new Date(Date.now() - 61_000);
  await db.creditCheck.update({ where: { id: running.id }, data: { seenAt } });
  const { data: run } = (await send([])).json();
  const stranger = await insertKey(api, await insertBusiness(db, "Others Ltd"));
  expect((await api.get(`/reconciliations/${run.id}`, stranger)).statusCode).toBe(404);
  expect((await api.get("/reconciliations", stranger)).json().data).toEqual([]);
});

test("a refused request has given up its run before it is answered", async () => {
  const body = new PassThrough();
  body.write(`${header}\n`);
  let isAnswered = false;
  const refused = api.web
    .inject({
      method: "POST",
      url: "/reconciliations?from=2026-01-03&to=2026-01-02",
      headers: { "x-api-key": api.key, "content-type": "text/csv" },
      payload: body,
    })
    .then((answer) => {
      isAnswered = true;
      return answer.statusCode;
    });
  await waitFor(async () => (await api.db.creditCheck.count()) === 1, {
    what: "the run",
    timeoutMs: 30_000,
  });
  const wasAnswered = await api.db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM credit_check FOR UPDATE`;
      body.end();
      const giveUp = async () => {
        const waiting = await api.db.$queryRaw<unknown[]>`
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE credit_check%'`;
        return waiting.length > 0;
      };
      await waitFor(giveUp, { what: "the run to be given up", timeoutMs: 30_000 });
      return isAnswered;
    },
    { timeout: 60_000 },
  );
  expect([await refused, wasAnswered]).toEqual([400, false]);
  expect((await send([])).statusCode).toBe(201);
});

test("a file that is none is refused whole, by what is wrong with it", async () => {
  const answers = [
    await send([], { headers: { "content-type": "application/json" } }),
    await send([], { headers: { "content-type": "application/x-ndjson" }, query: "" }),
    await send([], { query: "since=2026-01-02" }),
    await send([], { query: "" }),
    await send([], { query: "from=2026-01-03&to=2026-01-02" }),
    await send([], { query: "from=2026-01-03&to=2026-01-03" }),
    await send([`${randomUUID()},ETH,1,c-1,2026-01-02T12:00:00Z`], { query: "from=2026-01-03" }),
  ];
  expect(answers.map((one) => one.json().error?.message ?? one.statusCode)).toEqual([
    "Send the credits with Content-Type: text/csv or application/x-ndjson.",
    // The header of CSV is a malformed line, and no line has a time.
    "from must be a time, as no line has one; it is missing.",
    "Unknown parameter: since.",
    "from must be a time, as no line has one; it is missing.",
    "to must be a moment after from.",
    "to must be a moment after from.",
    "to must be a moment after from; it is missing.",
  ]);
  expect((await api.get("/reconciliations")).json().data).toEqual([]);
});

test("a line with what PostgreSQL cannot store is malformed, and the others are answered", async () => {
  const id = await deposit(await walletId());
  const columns = "transaction_id,address,asset,amount,reference,credited_at";
  const nul = `${id},0x1\0,ETH,1,c-1,2026-01-02T12:02:03Z`;
  const good = `${id},,ETH,1,c-2,2026-01-02T12:02:03Z`;
  const table = await send([nul, good], { columns });
  expect(table.json().data?.counts).toMatchObject({ malformed: 1, matches: 1 });
  const long = `${"a".repeat(39)}\u{1F600}`;
  const unpaired = `{"transaction_id":"${id}","address":"\\ud83d","asset":"ETH","amount":"1","reference":"c-3","credited_at":"2026-01-02T12:02:03Z"}`;
  const lines = await send([unpaired], {
    columns: JSON.stringify({ [long]: "1" }),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(lines.json().data?.counts).toMatchObject({ malformed: 2 });
  expect(await linesOf(lines.json().data.id, "verdict=malformed")).toMatchObject([
    { problem_code: "unknown_field", problem_values: { field: long } },
    { problem_code: "address", problem_values: { address: "\uFFFD" } },
  ]);
});

test("a run that was given up for its silence is not finished without its first lines", async () => {
  const { db, businessId } = api;
  async function* bytes() {
    yield Buffer.from(`${header}\n${"nonsense\n".repeat(1_000)}`);
    await db.$executeRaw`UPDATE credit_check SET seen_at = now() - interval '3 minutes'`;
    expect(await pruneCreditChecks(db, { limit: 1 })).toBe(1);
    yield Buffer.from("nonsense\n".repeat(1_000));
  }
  const sent = { businessId, format: "csv", bytes: bytes() } as const;
  await expect(receiveCredits(db, sent)).rejects.toThrow("given up after a long silence");
  // Nor one that is given up when it has all but its end.
  async function* short() {
    yield Buffer.from(`${header}\nnonsense\n`);
  }
  const received = await receiveCredits(db, { ...sent, bytes: short() });
  const settled = await settleCredits(db, received, { from: new Date(0), to: new Date(1) });
  await abandonCredits(db, received.checkId);
  const finishing = inTransaction(db, (tx) => finishCredits(tx, settled));
  await expect(finishing).rejects.toThrow("send the credits again");
  expect((await api.get("/reconciliations")).json().data).toEqual([]);
});

test("beyond what is kept the oldest runs go, with their lines", async () => {
  const runs = [];
  for (let run = 0; run < 3; run += 1) runs.push((await send(["nonsense", "more"])).json().data.id);
  const [oldest = ""] = runs;
  const createdAt = new Date(Date.now() - 91 * 86_400_000);
  await api.db.creditCheck.update({ where: { id: oldest }, data: { createdAt } });
  expect(await pruneCreditChecks(api.db, { limit: 1 })).toBe(1);
  // Nobody is shown a part of it.
  expect((await api.get(`/reconciliations/${oldest}`)).statusCode).toBe(404);
  for (let pruned = 1; pruned > 0; ) pruned = await pruneCreditChecks(api.db, { limit: 10 });
  expect(await api.db.creditCheck.count()).toBe(2);
  expect(await api.db.creditLine.count()).toBe(4);
});
