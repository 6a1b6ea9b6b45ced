import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { inCheckout } from "../../../support/checkout.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import { databaseUrl, runSql } from "../../../support/ledger/databases.ts";
import { randomAddress } from "../../../support/ledger/ledger-fixtures.ts";

const name = `upgraded_${process.pid}`;
const first = "20261122031900_double_entry";
let db: Database;

const sqlOf = (migration: string) =>
  readFileSync(`${inCheckout("prisma", "migrations")}/${migration}/migration.sql`, "utf8");

/** A ledger of the release before seals, with 2,500 entries on one chain and one on another. */
beforeAll(async () => {
  const admin = inject("postgresAdminUrl");
  const url = databaseUrl(admin, name);
  await runSql(admin, `CREATE DATABASE ${name}`);
  const all = readdirSync(inCheckout("prisma", "migrations")).filter((one) => /^\d/.test(one));
  const isBefore = (one: string) => one < first;
  for (const one of all.filter(isBefore).sort()) await runSql(url, sqlOf(one));
  await runSql(url, entriesOf("one", 2_500));
  await runSql(url, entriesOf("two", 1));
  for (const one of all.filter((each) => !isBefore(each)).sort()) await runSql(url, sqlOf(one));
  db = openDatabase({ databaseUrl: url, poolSize: 2 });
});

afterAll(async () => {
  await db.$disconnect();
  await runSql(inject("postgresAdminUrl"), `DROP DATABASE ${name} WITH (FORCE)`);
});

const entriesOf = (chain: string, count: number) => `
  INSERT INTO business (id, name) VALUES (gen_random_uuid(), '${chain}');
  INSERT INTO chain (name, evm_chain_id) VALUES ('${chain}', 1);
  INSERT INTO watch_change (id, chain_name, version) VALUES (gen_random_uuid(), '${chain}', 1);
  INSERT INTO asset (chain_name, code, address, decimals, kind, watch_change_id)
  SELECT '${chain}', 'ETH', 'native', 18, 'exact', id FROM watch_change WHERE chain_name = '${chain}';
  INSERT INTO wallet (id, business_id, chain_name, address, purpose, added_change_id)
  SELECT gen_random_uuid(), b.id, '${chain}', '${randomAddress()}', 'deposit', c.id
  FROM business b, watch_change c WHERE b.name = '${chain}' AND c.chain_name = '${chain}';
  INSERT INTO balance (wallet_id, asset_id, since_change_id, confirmed, opening)
  SELECT w.id, a.id, c.id, ${count}, ${count} FROM wallet w, asset a, watch_change c
  WHERE w.chain_name = '${chain}' AND a.chain_name = '${chain}' AND c.chain_name = '${chain}';
  INSERT INTO ledger_entry (wallet_id, asset_id, kind, amount, block_number)
  SELECT w.id, a.id, 'opening', 1, n FROM wallet w, asset a, generate_series(1, ${count}) n
  WHERE w.chain_name = '${chain}' AND a.chain_name = '${chain}';`;

it("the entries that were there before are on their accounts, and sealed", async () => {
  const { entries, findings, heads } = await checkLedger(db);
  expect(findings).toEqual([]);
  expect(entries).toBe(2_501n);
  expect(heads.map(({ chainName, number }) => [chainName, number])).toEqual([
    ["one", 3n],
    ["two", 1n],
  ]);
});

it("what is written next follows from them", async () => {
  const [balance] = await db.balance.findMany({ take: 1, orderBy: { confirmed: "desc" } });
  if (balance === undefined) throw new Error("There is no balance.");
  const { walletId, assetId } = balance;
  await db.balance.updateMany({ where: { walletId }, data: { confirmed: 0, opening: 0 } });
  await db.ledgerEntry.create({
    data: { walletId, assetId, kind: "opening", amount: "-2500", blockNumber: 3n },
  });
  expect(await checkLedger(db)).toMatchObject({
    findings: [],
    heads: [{ number: 4n }, { number: 1n }],
  });
});
