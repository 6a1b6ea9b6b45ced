import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { UnconfirmedTransaction } from "../../../src/domain/evidence/account-statement.ts";
import { statementPeriod } from "../../../src/domain/evidence/statement-period.ts";
import { openStatement } from "../../../src/ledger/evidence/account-statement.ts";
import { listSigningKeys } from "../../../src/ledger/installation/signing-keys.ts";
import { statementMake } from "../../../src/operator/statement/make.ts";
import { verifyStatement } from "../../../src/verifying/verify.ts";
import { verifyFile } from "../../../src/verifying/verify-file.ts";
import { eachFolder } from "../../support/each-folder.ts";
import { eachTest } from "../../support/each-test.ts";
import {
  insertBusiness,
  markSynced,
  newWallet,
  openTestLedger,
} from "../../support/ledger/ledger-fixtures.ts";
import { statementPorts } from "../../support/ledger/statement-ports.ts";
import { addWallets } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";

// What is seen of a period and is not in the closing of its statement.

const folder = eachFolder();
const ledger = eachTest(
  () => openTestLedger(),
  (one) => one.stop(),
);
const always = { from: "2020-01-01", to: "2100-01-01" };

/** Two blocks back are confirmed. */
async function scene() {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const chain = await writtenChain(db, "ethereum");
  const walletOf = async (label: string) => {
    const wallet = newWallet({ label, reference: `customer ${label}` });
    const [added] = await addWallets(db, { businessId, wallets: [wallet] });
    return { businessId, walletId: added?.id ?? "", address: wallet.address };
  };
  const first = await walletOf("first");
  const second = await walletOf("second");
  await markSynced(db, [first.walletId, second.walletId]);
  const paid = (to: typeof first, effectAtomic: bigint) => ({ ...to, effectAtomic });
  return { businessId, chain, first, second, paid };
}

type Line = Record<string, unknown> & { line: string };

let files = 0;

async function write(business: string, more: Record<string, unknown> = {}) {
  files += 1;
  const out = folder.pathOf(`${files}`);
  const given = { business, ...always, format: "jsonl", isAnew: true, out, ...more };
  await statementMake.cli?.run(statementPorts(ledger.db), given);
  return out;
}

const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((text): Line => JSON.parse(text));

const unconfirmedIn = (file: string) => linesOf(file).filter(({ line }) => line === "unconfirmed");

async function verified(file: string, against: string | null = null) {
  const [key] = await listSigningKeys(ledger.db);
  return verifyFile({ file, against, key: key?.publicKey ?? null });
}

test("a statement names what is not confirmed apart, and its closing has none of it", async () => {
  const { businessId, chain, first, second, paid } = await scene();
  await chain.commit([paid(first, 5n)]);
  await chain.commit([paid(first, -2n), paid(second, 7n)]);
  await chain.commit([paid(first, 9n)]);
  const signed = await write(businessId);
  expect(linesOf(signed).filter(({ line }) => line === "closing")).toMatchObject([
    { amount_atomic: "5", label: "first" },
  ]);
  expect(unconfirmedIn(signed)).toMatchObject([
    { amount_atomic: "-2", type: "withdrawal", label: "first" },
    { amount_atomic: "7", type: "deposit", label: "second", reference: "customer second" },
    { amount_atomic: "9", state: "pending", waits_for: "confirmation", asset: "ETH" },
  ]);
  const counted = { entries: 1, unconfirmed: 3 };
  expect(linesOf(signed).find(({ line }) => line === "count")).toMatchObject(counted);
  const table = await write(businessId, { isAnew: false, format: "csv" });
  const missing = ["ethereum: the end of the period"];
  for (const file of [signed, table])
    expect(await verified(file)).toMatchObject({ wrong: [], missing });
  const page = readFileSync(await write(businessId, { format: "html" }), "utf8");
  expect(page).toContain("Not confirmed at the closing: 3.");
  expect(page.match(/<tbody class="unconfirmed">/g)).toHaveLength(3);
  // Confirmed, they are entries, and are named apart no more.
  for (let block = 0; block < 2; block += 1) await chain.commit([]);
  const later = await write(businessId);
  expect(unconfirmedIn(later)).toEqual([]);
  expect(linesOf(later).filter(({ line }) => line === "entry")).toHaveLength(4);
});

test("the filter of a statement holds for what is not confirmed, and its period too", async () => {
  const { businessId, chain, first, second, paid } = await scene();
  await chain.commit([paid(first, 5n), paid(second, 7n)]);
  const amounts = async (more: Record<string, unknown>) =>
    unconfirmedIn(await write(businessId, more)).map(({ amount_atomic }) => amount_atomic);
  expect(await amounts({})).toEqual(["5", "7"]);
  expect(await amounts({ label: "second" })).toEqual(["7"]);
  expect(await amounts({ wallet: first.walletId })).toEqual(["5"]);
  expect(await amounts({ reference: "customer s" })).toEqual(["7"]);
  expect(await amounts({ asset: "USDC" })).toEqual([]);
  expect(await amounts({ to: "2023-11-14" })).toEqual([]);
});

test("what waits for its proof is named apart, however many blocks are confirmed since", async () => {
  const { businessId, chain, first, paid } = await scene();
  await chain.commit([paid(first, 5n)]);
  await ledger.db.$executeRaw`UPDATE transaction SET unproven = true`;
  for (let block = 0; block < 4; block += 1) await chain.commit([]);
  expect(unconfirmedIn(await write(businessId))).toMatchObject([
    { amount_atomic: "5", waits_for: "proof" },
  ]);
});

test("what is confirmed while a statement is made is in its closing or named apart", async () => {
  const { businessId, chain, first, paid } = await scene();
  await chain.commit([paid(first, 5n)]);
  await chain.commit([paid(first, 7n)]);
  const asked = { businessId, period: statementPeriod(always), filter: {} };
  const opened = await openStatement(ledger.db, asked);
  for (let block = 0; block < 2; block += 1) await chain.commit([]);
  const held: bigint[] = [];
  for await (const { holding } of opened.parts) held.push(holding.closingAtomic);
  const apart: UnconfirmedTransaction[] = [];
  for await (const some of opened.unconfirmed) apart.push(...some);
  expect(held).toEqual([]);
  expect(apart.map(({ amountAtomic, status }) => [amountAtomic, status])).toEqual([
    [5n, "completed"],
    [7n, "completed"],
  ]);
});

test("more of them than one statement reads are all named, once", async () => {
  const { businessId, chain, first, paid } = await scene();
  const many = Array.from({ length: 450 }, (_, place) => paid(first, BigInt(place + 1)));
  await chain.commit(many);
  const named = unconfirmedIn(await write(businessId)).map(({ amount_atomic }) => amount_atomic);
  expect(named).toHaveLength(450);
  expect(new Set(named).size).toBe(450);
});

test("the verifier finds what was changed of it", async () => {
  const { businessId, chain, first, paid } = await scene();
  await chain.commit([paid(first, 5n), paid(first, 7n)]);
  const texts = readFileSync(await write(businessId), "utf8")
    .trimEnd()
    .split("\n");
  const place = texts.findIndex((text) => text.includes('"line":"unconfirmed"'));
  const own = texts[place] ?? "";
  for (const [changed, what] of [
    [texts.toSpliced(place, 1), "it counts 2 transactions that are not confirmed; there are 1"],
    [texts.toSpliced(place, 0, own), "stands twice, or out of order"],
    [texts.with(place, own.replace('"amount_atomic":"5"', '"amount_atomic":"6"')), "is not 6"],
    [texts.with(place, own.replace('"confirmation"', "null")), "waits for nothing"],
  ] as const)
    expect((await verifyStatement(changed, null)).wrong.join()).toContain(what);
});
