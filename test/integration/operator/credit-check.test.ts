import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAdministration } from "../../../src/app/operator.ts";
import { lineFiles } from "../../../src/bin/cli/line-files.ts";
import { streamFile } from "../../../src/bin/cli/stream-file.ts";
import { creditCheck } from "../../../src/operator/credit/check.ts";
import { fileOf, plantCredits } from "../../support/credits/planted-credits.ts";
import { plantWallets, writePlanted } from "../../support/credits/write-planted.ts";
import {
  insertBusiness,
  openTestLedger,
  type TestLedger,
} from "../../support/ledger/ledger-fixtures.ts";

let ledger: TestLedger;
let folder: string;

beforeAll(async () => {
  ledger = await openTestLedger();
  folder = mkdtempSync(join(tmpdir(), "chainbell-credits-"));
});

afterAll(async () => {
  await ledger.stop();
  rmSync(folder, { recursive: true });
});

async function check(business: string, file: string, more: Record<string, unknown>) {
  if (creditCheck.cli === null) throw new Error("it is a command");
  const by = { name: "tester", via: "cli", address: null } as const;
  const ports = { ...createAdministration(ledger.db, by, null), streamFile, lineFiles };
  return creditCheck.cli.run(ports, { file, business, ...more });
}

test("a file of credits is compared as the business itself would, and what is found is a file", async () => {
  const { db } = ledger;
  const business = await insertBusiness(db);
  const planted = plantCredits(await plantWallets(db, business, 5), { seed: 7, credits: 400 });
  await writePlanted(db, business, planted.transactions);
  const file = join(folder, "credits.jsonl");
  writeFileSync(file, fileOf(planted, "jsonl"));
  const period = { from: planted.from.toISOString(), to: planted.to.toISOString() };
  const out = join(folder, "found.jsonl");
  const first = await check(business, file, { ...period, out });
  expect(first).toMatchObject({
    hasFindings: true,
    answer: { business_id: business, format: "jsonl", credits: planted.lines.length },
  });
  const found = readFileSync(out, "utf8").trimEnd().split("\n");
  const mistakes = planted.lines.filter(({ expected }) => expected.verdict !== "matches");
  expect(found).toHaveLength(mistakes.length + planted.uncredited.size);
  expect(found.map((line) => JSON.parse(line).verdict)).not.toContain("matches");
  // Nothing is new the second time, and it is on record as the operator's.
  const changes = join(folder, "changes.jsonl");
  await check(business, file, { ...period, out: changes, changes: true });
  expect(readFileSync(changes, "utf8")).toBe("");
  const entries = await db.auditEntry.findMany({ where: { action: "credit.check" } });
  expect(entries).toMatchObject([
    { actor: "tester", businessId: business },
    { actor: "tester", businessId: business },
  ]);
});

test("a file that is not there is named, and hinders no other run", async () => {
  const business = await insertBusiness(ledger.db);
  const missing = join(folder, "missing.csv");
  await expect(check(business, missing, {})).rejects.toThrow(/missing\.csv/);
  const file = join(folder, "one.csv");
  writeFileSync(file, "transaction_id,asset,amount,reference,credited_at\n");
  await expect(check(business, file, {})).rejects.toThrow("from must be a time");
  const period = { from: "2026-01-01", to: "2026-01-02" };
  expect((await check(business, file, period)).hasFindings).toBe(false);
});

test("a run whose file cannot be written is none, and hides nothing from the next one", async () => {
  const business = await insertBusiness(ledger.db);
  const file = join(folder, "nonsense.csv");
  writeFileSync(file, "transaction_id,asset,amount,reference,credited_at\nnonsense\n");
  const period = { from: "2026-01-01", to: "2026-01-02", changes: true };
  const taken = join(folder, "taken.jsonl");
  writeFileSync(taken, "mine");
  await expect(check(business, file, { ...period, out: taken })).rejects.toThrow(
    "is there already",
  );
  expect(readFileSync(taken, "utf8")).toBe("mine");
  const free = join(folder, "free.jsonl");
  await check(business, file, { ...period, out: free });
  expect(JSON.parse(readFileSync(free, "utf8"))).toMatchObject({ change: "new" });
});
