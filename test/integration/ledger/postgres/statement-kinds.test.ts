import { expect, it, onTestFinished } from "vitest";
import { faultIn } from "../../../../src/domain/fault.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";
import { closeDatabase, openDatabase } from "../../../../src/ledger/postgres/database.ts";
import { longestMs, type StatementKind } from "../../../../src/ledger/postgres/statement-kinds.ts";
import { type Statements, statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction, inTransactionOf } from "../../../../src/ledger/postgres/transaction.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";

const ledger = eachTestLedger();

function open(kind: StatementKind) {
  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1, kind });
  onTestFinished(() => closeDatabase(db));
  return db;
}

const limitOf = (statements: Statements) => statements.$queryRaw<{ setting: string }[]>`
  SELECT setting FROM pg_settings WHERE name = 'statement_timeout'`;

it.each(keysOf(longestMs))("the server ends what is %s, over whatever connection", async (kind) => {
  const limit = [{ setting: String(longestMs[kind]) }];
  expect(await limitOf(statementsOf(open(kind)))).toEqual(limit);
  const other = open(kind === "money" ? "search" : "money");
  expect(await inTransactionOf(other, kind, limitOf)).toEqual(limit);
  // And no longer than the transaction.
  expect(await inTransaction(other, limitOf)).not.toEqual(limit);
});

it("works no more on what it has ended, and says that the database is out of reach", async () => {
  const endless = statementsOf(open("search")).$queryRaw`SELECT pg_sleep(86400) AS abandoned`;
  const fault = faultIn(await endless.catch((error: unknown) => error));
  expect(fault?.code).toBe("database_unavailable");
  expect(fault?.message).toMatch(/took longer/);
  const left = await ledger.db.$queryRaw`
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE '%AS abandoned'`;
  expect(left).toEqual([]);
});
