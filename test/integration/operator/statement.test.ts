import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { writePrices } from "../../../src/ledger/balances/prices.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { inTransaction } from "../../../src/ledger/postgres/transaction.ts";
import { sealFacts } from "../../../src/ledger/transactions/seal-facts.ts";
import { businessSet } from "../../../src/operator/business/set.ts";
import { statementGet } from "../../../src/operator/statement/get.ts";
import { statementList } from "../../../src/operator/statement/list.ts";
import { statementMake } from "../../../src/operator/statement/make.ts";
import { shownStatement } from "../../../src/schema/statement.ts";
import { verifyStatement } from "../../../src/verifying/verify.ts";
import { wallet } from "../../support/chain/cast.ts";
import { eachWatchedChain } from "../../support/chain/each-chain.ts";
import * as timed from "../../support/chain/timed-blocks.ts";
import { eachFolder } from "../../support/each-folder.ts";
import { statementPorts } from "../../support/ledger/statement-ports.ts";

// The chain begins at 22:13:20.
const { anvil, watched } = eachWatchedChain({ blocks: 0, depth: 1, firstTime: 1_700_000_000 });
const chain = { anvil, watched };
const folder = eachFolder();
let files = 0;

const onThatDay = (time: string) => `2023-11-14T${time}Z`;

/** The next block of anvil has a time of that day. */
const nextBlockAt = (time: string) =>
  anvil.setNextBlockTimestamp(Date.parse(onThatDay(time)) / 1000);

const mineAt = (time: string) => timed.mineAt(chain, onThatDay(time));

const depositAt = (time: string, amountAtomic: bigint) =>
  timed.depositAt(chain, onThatDay(time), { to: wallet, amountAtomic });

const sendRawAt = (time: string, raw: string) =>
  timed.inBlockAt(chain, onThatDay(time), () => anvil.sendRaw(raw));

/** Its opening is read before anything is paid to it. */
async function addWallet(): Promise<string> {
  const walletId = await watched.addWallet(wallet);
  await watched.catchUp();
  return walletId;
}

type Line = Record<string, unknown> & { line: string };

type More = { format?: string; wallet?: string; zone?: string; isAnew?: boolean };

async function write(from: string, to: string, more: More = {}) {
  const given = {
    business: watched.businessId,
    from: `2023-11-14T${from}:00Z`,
    to: `2023-11-14T${to}:00Z`,
    out: newFile(),
    ...more,
  };
  const outcome = await statementMake.cli?.run(statementPorts(watched.db), given);
  return { outcome, texts: textsIn(given.out), out: given.out };
}

function newFile(): string {
  files += 1;
  return folder.pathOf(`${files}.jsonl`);
}

const textsIn = (file: string) => readFileSync(file, "utf8").split(/\r?\n/).slice(0, -1);

async function getAgain(id: unknown) {
  const out = newFile();
  await statementGet.cli?.run(statementPorts(watched.db), { id, format: "jsonl", out });
  return textsIn(out);
}

async function listed() {
  const outcome = await statementList.cli?.run(statementPorts(watched.db), {
    business: watched.businessId,
  });
  return shownStatement.array().parse(outcome?.answer);
}

async function verified(texts: readonly string[]) {
  const [key] = await listSigningKeys(watched.db);
  return verifyStatement(texts, key?.publicKey ?? null);
}

const linesOf = (texts: readonly string[]) => texts.map((text): Line => JSON.parse(text));

const depositsIn = (texts: readonly string[]) =>
  linesOf(texts).filter(({ line, type }) => line === "entry" && type === "deposit");

const told = (texts: readonly string[]) =>
  linesOf(texts)
    .filter(({ line }) => ["opening", "entry", "closing"].includes(line))
    .map(({ line, type, amount_atomic, prior_period }) =>
      line === "entry" ? [type, amount_atomic, prior_period] : [line, amount_atomic],
    );

describe("a statement", () => {
  it("has what the journal has between two cutoffs, and the next one begins where it ends", async () => {
    const walletId = await addWallet();
    await depositAt("22:14:00", 5n);
    await depositAt("22:29:59", 7n);
    await depositAt("22:30:00", 11n);
    await mineAt("22:46:00");
    const first = await write("22:00", "22:30");
    expect(told(first.texts)).toEqual([
      ["opening", "0"],
      ["opening", "0", false],
      ["deposit", "5", false],
      ["deposit", "7", false],
      ["closing", "12"],
    ]);
    const second = await write("22:30", "22:45", { wallet: walletId });
    expect(told(second.texts)).toEqual([
      ["opening", "12"],
      ["deposit", "11", false],
      ["closing", "23"],
    ]);
    const [, chain] = linesOf(first.texts);
    const { hash } = await anvil.block(2);
    expect(chain?.["closing"]).toMatchObject({ block: 2, block_hash: hash, final: true });
    expect(linesOf(second.texts)[1]?.["opening"]).toEqual(chain?.["closing"]);
    expect(await verified(second.texts)).toEqual({
      entries: 1,
      holdings: 1,
      wrong: [],
      missing: [],
    });
    expect(first.outcome).toMatchObject({ answer: { final: true, entries: 3 } });
  });

  it("has a deposit that is reversed after its period as a line of a prior period", async () => {
    await addWallet();
    const before = await anvil.snapshot();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const first = await write("22:00", "22:30");
    await anvil.revert(before);
    for (const time of ["22:14:10", "22:31:30", "22:46:00", "22:47:00"]) await mineAt(time);
    // What was said of the first period is said of it again, also in a new statement.
    const anew = await write("22:00", "22:30", { isAnew: true });
    expect(told(anew.texts)).toEqual(told(first.texts));
    const second = await write("22:30", "22:45");
    expect(told(second.texts)).toEqual([
      ["opening", "5"],
      ["deposit", "-5", true],
      ["closing", "0"],
    ]);
    expect(linesOf(second.texts).find(({ line }) => line === "entry")).toMatchObject({
      kind: "reversal",
      transaction_id: linesOf(first.texts).find(({ type }) => type === "deposit")?.[
        "transaction_id"
      ],
    });
    expect(await verified(second.texts)).toMatchObject({ wrong: [] });
  });

  it("has no hash and time of another block where a deposit is confirmed again in one", async () => {
    await addWallet();
    const before = await anvil.snapshot();
    await depositAt("22:29:50", 5n);
    await mineAt("22:31:00");
    const first = await write("22:00", "22:30");
    const [own] = depositsIn(first.texts);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", own?.["tx_hash"]);
    await anvil.revert(before);
    for (const time of ["22:29:55", "22:31:30", "22:32:00"]) await mineAt(time);
    await sendRawAt("22:33:00", raw);
    for (const time of ["22:46:00", "22:47:00"]) await mineAt(time);
    const again = await anvil.block(4);
    const anew = await write("22:00", "22:30", { isAnew: true });
    const second = await write("22:30", "22:45");
    const of = { block: own?.["block"], transaction_id: own?.["transaction_id"] };
    const unknown = { ...of, block_hash: null, time: null };
    expect(own).toMatchObject({ time: "2023-11-14T22:29:50.000Z", block_hash: expect.any(String) });
    expect(again.hash).not.toBe(own?.["block_hash"]);
    expect(depositsIn(anew.texts)).toMatchObject([{ ...unknown, kind: own?.["kind"] }]);
    expect(depositsIn(second.texts)).toMatchObject([
      { ...unknown, kind: "reversal", prior_period: true },
      {
        ...of,
        block: 4,
        block_hash: again.hash,
        time: "2023-11-14T22:33:00.000Z",
        prior_period: false,
      },
    ]);
    for (const { texts } of [first, anew, second])
      expect(await verified(texts)).toMatchObject({ wrong: [], missing: [] });
  });

  it("has no hash and time of a deposit's block that moved with its amount", async () => {
    await addWallet();
    const before = await anvil.snapshot();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const [own] = depositsIn((await write("22:00", "22:30")).texts);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", own?.["tx_hash"]);
    await anvil.revert(before);
    await nextBlockAt("22:14:10");
    await anvil.mine(1);
    await nextBlockAt("22:14:20");
    await anvil.sendRaw(raw);
    await nextBlockAt("22:31:30");
    await anvil.mine(1);
    await mineAt("22:46:00");
    const anew = await write("22:00", "22:30", { isAnew: true });
    const moved = { ...own, block_hash: null, time: null };
    expect(depositsIn(anew.texts)).toEqual([moved]);
    expect(await verified(anew.texts)).toMatchObject({ wrong: [], missing: [] });
    const page = await write("22:00", "22:30", { format: "html" });
    expect(page.texts.join()).toContain("hash and time of the block unknown");
    expect(depositsIn((await write("22:30", "22:45")).texts)).toEqual([]);
  });

  it("has no hash of a block that another one of its number replaced", async () => {
    await addWallet();
    const before = await anvil.snapshot();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const [own] = depositsIn((await write("22:00", "22:30")).texts);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", own?.["tx_hash"]);
    await anvil.revert(before);
    await nextBlockAt("22:14:10");
    await anvil.sendRaw(raw);
    await nextBlockAt("22:31:30");
    await anvil.mine(1);
    await mineAt("22:46:00");
    const block = Number(own?.["block"]);
    expect((await anvil.block(block)).hash).not.toBe(own?.["block_hash"]);
    const anew = await write("22:00", "22:30", { isAnew: true });
    expect(depositsIn(anew.texts)).toEqual([{ ...own, block_hash: null, time: null }]);
    expect(await verified(anew.texts)).toMatchObject({ wrong: [], missing: [] });
  });

  it("says of a value which price it goes by, and of an entry what came of it", async () => {
    await addWallet();
    const price = { chainName: "anvil", assetCode: "ETH", usd: "2000", asOfMs: 1_700_000_000_000 };
    const read = { source: "http", freshUntilMs: null, proof: "answered", anchor: null } as const;
    const before = await anvil.snapshot();
    await depositAt("22:14:00", 5n);
    await writePrices(watched.db, [{ ...price, ...read }]);
    await depositAt("22:15:00", 10n ** 18n);
    await mineAt("22:31:00");
    const first = await write("22:00", "22:30");
    const unpriced = { usd_value: null, price_source: null, price_as_of: null };
    expect(depositsIn(first.texts)).toMatchObject([
      { ...unpriced, state: "completed", since_block: null },
      { usd_value: "2000", price_source: "http", price_as_of: "2023-11-14T22:13:20.000Z" },
    ]);
    expect(linesOf(first.texts).find(({ line }) => line === "count")).toMatchObject({
      unpriced: 1,
    });
    await anvil.revert(before);
    for (const time of ["22:14:10", "22:15:10", "22:31:30", "22:46:00", "22:47:00"])
      await mineAt(time);
    const anew = await write("22:00", "22:30", { isAnew: true });
    expect(depositsIn(anew.texts)).toMatchObject([{ state: "reversed" }, { state: "reversed" }]);
    await watched.db.$executeRaw`
      UPDATE transaction SET type = 'adjustment', since_number = 1 WHERE amount = 5`;
    const page = await write("22:00", "22:30", { isAnew: true, format: "html" });
    const table = await write("22:00", "22:30", { format: "csv" });
    expect(page.texts.join("\n")).toContain("of what moved above block 1");
    expect(page.texts.join("\n")).toContain("price http of 2023-11-14T22:13:20.000Z");
    expect(page.texts.join("\n")).toContain("reversed since");
    expect(table.texts[0]).toContain(",state,since_block,price_source,price_as_of,more");
    expect(table.texts.join("\n")).toContain(",reversed,1,,,");
  });

  it("of a period that is over is given again as it was that day, whatever is different since", async () => {
    const walletId = await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const first = await write("22:00", "22:30");
    await watched.db.wallet.update({ where: { id: walletId }, data: { label: "another" } });
    await watched.db.$executeRaw`UPDATE transaction SET usd_value = 12.5`;
    const head = { legal_name: "Example Trading Limited", address: "1 Example Street\nLondon" };
    await businessSet.perform(statementPorts(watched.db), {
      id: watched.businessId,
      legalName: head.legal_name,
      address: head.address,
      name: undefined,
      notifyPending: undefined,
      inFlight: undefined,
      rate: undefined,
    });
    const again = await write("22:00", "22:30");
    expect(again.texts).toEqual(first.texts);
    expect(again.outcome).toMatchObject({ answer: { made_by: "tester", made_via: "cli" } });
    const anew = await write("22:00", "22:30", { isAnew: true });
    expect(anew.texts.join()).toContain('"label":"another"');
    expect(told(anew.texts)).toEqual(told(first.texts));
    expect(linesOf(first.texts)[0]).toMatchObject({ business_legal_name: null });
    expect(linesOf(anew.texts)[0]).toMatchObject({
      business_legal_name: head.legal_name,
      business_address: head.address,
    });
    // From now on the newer one is that of the period, and both are listed and kept.
    expect((await write("22:00", "22:30")).texts).toEqual(anew.texts);
    const kept = await listed();
    expect(kept.map(({ digest }) => digest)).toEqual(
      [anew, first].map(({ texts }) => linesOf(texts).at(-1)?.["digest"]),
    );
    expect(await getAgain(kept[1]?.id)).toEqual(first.texts);
    expect(await verified(await getAgain(kept[0]?.id))).toMatchObject({ wrong: [] });
  });

  it("is the same one however its wallet and its time zone are spelled", async () => {
    const wallet = await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const first = await write("22:00", "22:30", { wallet, zone: "Europe/Berlin" });
    const again = await write("22:00", "22:30", {
      wallet: wallet.toUpperCase(),
      zone: "europe/BERLIN",
    });
    expect(again.texts).toEqual(first.texts);
    expect(linesOf(first.texts)[0]).toMatchObject({
      filter: { wallet_id: wallet },
      time_zone: "Europe/Berlin",
    });
    // Some releases of Node leave an alias as it is.
    const alias = await write("22:00", "22:30", { zone: "Asia/Kolkata" });
    expect((await write("22:00", "22:30", { zone: "asia/kolkata" })).texts).toEqual(alias.texts);
    const utc = await write("22:00", "22:30");
    expect((await write("22:00", "22:30", { zone: "Etc/UTC" })).texts).toEqual(utc.texts);
    expect(await listed()).toHaveLength(3);
  });

  it("has every entry where the seal of its end has sealed an older one again", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await depositAt("22:15:00", 7n);
    const [oldest] = await watched.db.transaction.findMany({ where: { amount: 5 } });
    await inTransaction(watched.db, (tx) => sealFacts(tx, "anvil", [oldest?.id ?? ""]));
    await mineAt("22:31:00");
    const { texts } = await write("22:00", "22:30");
    expect(depositsIn(texts).map(({ amount_atomic }) => amount_atomic)).toEqual(["5", "7"]);
    expect(told(texts).at(-1)).toEqual(["closing", "12"]);
  });

  it("is one, however many ask for it at once", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const all = await Promise.all([1, 2, 3, 4].map(() => write("22:00", "22:30")));
    expect(new Set(all.map(({ texts }) => texts.join("\n"))).size).toBe(1);
    expect(await listed()).toHaveLength(1);
    expect(await watched.db.accountStatement.count()).toBe(1);
  });

  it("of a period that is not over ends with the last confirmed block, and says so", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:14:30");
    const { texts, outcome } = await write("22:00", "23:00");
    expect(outcome).toMatchObject({ answer: { final: false } });
    expect(told(texts).at(-1)).toEqual(["closing", "5"]);
    expect(linesOf(texts)[1]?.["closing"]).toMatchObject({ block: 2, final: false });
    expect((await verified(texts)).missing).toEqual(["anvil: the end of the period"]);
  });

  it("is added up page by page where a wallet has more entries than one statement reads", async () => {
    const walletId = await addWallet();
    await depositAt("22:14:00", 5n);
    await watched.db.$executeRaw`
      INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, transaction_id, kind, amount, block_number
      FROM ledger_entry, generate_series(1, 4500) WHERE transaction_id IS NOT NULL`;
    await mineAt("22:31:00");
    const { texts, outcome } = await write("22:00", "22:30", { wallet: walletId });
    expect(await verified(texts)).toMatchObject({ entries: 4_502, wrong: [] });
    expect(told(texts).at(-1)).toEqual(["closing", "22505"]);
    // Each chunk that is stored has whole lines.
    const chunks = await watched.db.accountStatementChunk.findMany({ orderBy: { number: "asc" } });
    expect(chunks.length).toBeGreaterThan(10);
    const stored = chunks.map(({ body }) => gunzipSync(body).toString());
    expect(stored.every((text) => text.endsWith("\n") && text.length < 300_000)).toBe(true);
    expect(stored.join("")).toBe(`${texts.join("\n")}\n`);
    expect(outcome).toMatchObject({ answer: { entries: 4_502, holdings: 1 } });
  });

  it("is refused by its verifier after any change", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const { texts } = await write("22:00", "22:30");
    expect(await verified(texts)).toMatchObject({ wrong: [] });
    for (const place of texts.keys()) {
      const without = texts.filter((_, index) => index !== place);
      expect((await verified(without)).wrong).not.toEqual([]);
      const twice = texts.toSpliced(place, 0, texts[place] ?? "");
      expect((await verified(twice)).wrong).not.toEqual([]);
      const digits = texts.with(place, (texts[place] ?? "").replace(/\d(?=\D*$)/, "x"));
      expect((await verified(digits)).wrong).not.toEqual([]);
    }
    // Also where its digest was made to fit, it does not add up.
    const changed = texts.map((text) =>
      text.replaceAll('"amount_atomic":"5"', '"amount_atomic":"6"'),
    );
    expect((await verified(changed)).wrong.join()).toContain("is not 6 with 18 decimals");
  });

  it("is a table with the same rows as CSV", async () => {
    await addWallet();
    await depositAt("22:14:00", 5n);
    await mineAt("22:31:00");
    const { texts } = await write("22:00", "22:30");
    const { texts: rows } = await write("22:00", "22:30", { format: "csv" });
    expect(rows[0]).toMatch(/^line,blockchain,wallet_id,/);
    expect(rows.slice(1).map((row) => row.split(",")[0])).toEqual(
      linesOf(texts).map(({ line }) => line),
    );
    // In quotes: a spreadsheet keeps 15 digits of a number.
    expect(rows.filter((row) => row.includes(',"0.000000000000000005",'))).toHaveLength(2);
  });
});
