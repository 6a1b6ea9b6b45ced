import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { listBusinesses } from "../../../../src/ledger/businesses/businesses.ts";
import { requireDiskSpace } from "../../../../src/ledger/postgres/disk-space.ts";
import { reaching } from "../../../../src/ledger/postgres/reaching.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import { runSql } from "../../../support/ledger/databases.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { createBusiness } from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
const unavailable = { code: "database_unavailable" };

describe("a server that can do nothing for anybody", () => {
  // As a full disk, exhausted memory and a replica answer to a write.
  it.each(["53100", "53200", "25006", "25P03"])("is out of reach when it says %s", async (code) => {
    await ledger.db.$executeRawUnsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}', MESSAGE = 'could not extend file'; END $$`);
    await ledger.db.$executeRawUnsafe(
      "CREATE TRIGGER refuse BEFORE INSERT ON business FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    const insert = "INSERT INTO business (id, name) VALUES (gen_random_uuid(), 'x')";
    await expect(createBusiness(ledger.db, { name: "x", isVerified: true })).rejects.toMatchObject(
      unavailable,
    );
    await expect(reaching(() => ledger.db.$executeRawUnsafe(insert))).rejects.toMatchObject(
      unavailable,
    );
    const { $executeRaw } = statementsOf(ledger.db);
    const text = Object.assign([insert], { raw: [insert] });
    await expect($executeRaw(text)).rejects.toMatchObject(unavailable);
    await expect(inTransaction(ledger.db, (tx) => tx.$executeRaw(text))).rejects.toMatchObject(
      unavailable,
    );
  });
});

describe("a database that takes no logins", () => {
  it("is out of reach", async () => {
    const name = new URL(ledger.url).pathname.slice(1);
    const close = (takes: boolean) =>
      runSql(inject("postgresAdminUrl"), `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${takes}`);
    await close(false);
    const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
    try {
      await expect(listBusinesses(db, { limit: 1, afterId: null })).rejects.toMatchObject(
        unavailable,
      );
    } finally {
      await close(true);
      await db.$disconnect();
    }
  });
});

describe("a disk that is full", () => {
  it("is noticed by a process that only reads, by name", async () => {
    await requireDiskSpace(ledger.db);
    // Found before PostgreSQL's own by connections that are made from now on.
    await runSql(
      ledger.url,
      `CREATE SCHEMA full_disk;
       CREATE FUNCTION full_disk.generate_series(int, int) RETURNS SETOF int LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not write to file'; END $$;
       ALTER DATABASE ${new URL(ledger.url).pathname.slice(1)} SET search_path = full_disk, pg_catalog, public`,
    );
    const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
    const asked = requireDiskSpace(db).finally(() => db.$disconnect());
    await expect(asked).rejects.toMatchObject({
      ...unavailable,
      message: expect.stringMatching(/disk .* is full/),
    });
  });
});

describe("a server that lets nobody in any more", () => {
  let role: string;
  let db: Database;

  beforeEach(async () => {
    role = `limited_${randomBytes(6).toString("hex")}`;
    await runSql(
      inject("postgresAdminUrl"),
      `CREATE ROLE ${role} LOGIN PASSWORD 'right' CONNECTION LIMIT 0`,
    );
    const url = new URL(ledger.url);
    [url.username, url.password] = [role, "right"];
    db = openDatabase({ databaseUrl: url.href, poolSize: 2 });
  });

  afterEach(async () => {
    await db.$disconnect();
    await runSql(inject("postgresAdminUrl"), `DROP ROLE ${role}`);
  });

  it.each([
    ["it has no connection left", "CONNECTION LIMIT 0"],
    ["the login was taken away", "NOLOGIN"],
    ["the password is another one", "PASSWORD 'another' CONNECTION LIMIT 5"],
  ])("is out of reach when %s", async (_why, change) => {
    await runSql(inject("postgresAdminUrl"), `ALTER ROLE ${role} ${change}`);
    await expect(listBusinesses(db, { limit: 1, afterId: null })).rejects.toMatchObject(
      unavailable,
    );
    await expect(statementsOf(db).$queryRaw`SELECT 1`).rejects.toMatchObject(unavailable);
    await expect(inTransaction(db, (tx) => tx.$queryRaw`SELECT 1`)).rejects.toMatchObject(
      unavailable,
    );
  });
});
