import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { faultIn } from "../../../../src/domain/fault.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";
import { closeDatabase, openDatabase } from "../../../../src/ledger/postgres/database.ts";
import { modelsOf } from "../../../../src/ledger/postgres/models.ts";
import { longestMs, type StatementKind } from "../../../../src/ledger/postgres/statement-kinds.ts";
import { type Statements, statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import {
  inSnapshot,
  inTransaction,
  inTransactionOf,
} from "../../../../src/ledger/postgres/transaction.ts";
import { overTcp } from "../../../support/ledger/databases.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness } from "../../../support/ledger/ledger-fixtures.ts";
import { hasPgBouncer, startPgBouncer } from "../../../support/ledger/pgbouncer.ts";
import { startTcpProxy } from "../../../support/process/tcp-proxy.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();

function open(kind: StatementKind, databaseUrl = ledger.url) {
  const db = openDatabase({ databaseUrl, poolSize: 1, kind });
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
  expect(await abandoned()).toEqual([]);
});

const abandoned = () => ledger.db.$queryRaw<object[]>`
  SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'active' AND query LIKE '%AS abandoned'`;

async function startBouncer(): Promise<string> {
  const bouncer = await startPgBouncer(ledger.url, "transaction");
  onTestFinished(bouncer.stop);
  return bouncer.url;
}

describe.runIf(hasPgBouncer)("behind a pooler that gives each transaction a session", () => {
  it("each kind keeps its own limit, whoever had the session before", async () => {
    const url = await startBouncer();
    // The pooler gives all of them the session that was used last.
    const opened = keysOf(longestMs).map((kind) => ({ kind, db: open(kind, url) }));
    for (const { db } of opened) await statementsOf(db).$queryRaw`SELECT 1`;
    for (const { kind, db } of opened) {
      const limit = [{ setting: String(longestMs[kind]) }];
      expect(await limitOf(statementsOf(db))).toEqual(limit);
      expect(await inTransaction(db, limitOf)).toEqual(limit);
      expect(await inSnapshot(db, limitOf)).toEqual(limit);
      expect(await inTransactionOf(db, "request", limitOf)).toEqual([
        { setting: String(longestMs.request) },
      ]);
    }
  });

  it("leaves no limit behind, and has what Prisma asks under its own", async () => {
    const url = await startBouncer();
    const db = open("search", url);
    await modelsOf(db).business.count();
    await statementsOf(db).$queryRaw`SELECT 1`;
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query("SHOW statement_timeout");
    expect(rows).toEqual([{ statement_timeout: "0" }]);
    await ledger.db.$executeRaw`
      CREATE FUNCTION limit_of_writer() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.name := current_setting('statement_timeout'); RETURN NEW; END $$`;
    await ledger.db.$executeRaw`
      CREATE TRIGGER limit_of_writer BEFORE UPDATE ON business
      FOR EACH ROW EXECUTE FUNCTION limit_of_writer()`;
    const id = await insertBusiness(ledger.db);
    const { name } = await modelsOf(db).business.update({ where: { id }, data: { name: "any" } });
    expect(name).toBe("2s");
  });

  it("a statement by itself that fails is undone, and the connection is as good as before", async () => {
    const statements = statementsOf(open("money", await startBouncer()));
    await expect(statements.$queryRaw`SELECT 1 / 0`).rejects.toMatchObject({ code: "22012" });
    expect(await statements.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });
});

const ways = hasPgBouncer ? (["directly", "through a pooler"] as const) : (["directly"] as const);

it.each(ways)("the server ends what a lost process has asked for (%s)", async (way) => {
  const url = overTcp(way === "directly" ? ledger.url : await startBouncer());
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const db = open("maintenance", url.href);
  const endless = statementsOf(db).$queryRaw`SELECT pg_sleep(86400) AS abandoned`;
  const lost = expect(endless).rejects.toMatchObject({ code: "database_unavailable" });
  await waitFor(async () => (await abandoned()).length === 1, {
    what: "the statement",
    timeoutMs: 10_000,
  });
  // As the system does for a process that was killed.
  await proxy.stop();
  await lost;
  await waitFor(async () => (await abandoned()).length === 0, {
    what: "its end",
    timeoutMs: 10_000,
  });
});
