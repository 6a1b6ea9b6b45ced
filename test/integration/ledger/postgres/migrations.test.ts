import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { migrate } from "../../../../src/ledger/installation/migrate.ts";
import { databaseUrl, runSql } from "../../../support/ledger/databases.ts";
import { deployMigrations, schemaDiff } from "../../../support/ledger/schema-engine.ts";

describe("the migrations", () => {
  let name: string;
  let url: string;

  beforeEach(async () => {
    name = `empty_${randomUUID().replaceAll("-", "")}`;
    url = databaseUrl(inject("postgresAdminUrl"), name);
    await runSql(inject("postgresAdminUrl"), `CREATE DATABASE ${name}`);
  });

  afterEach(() =>
    runSql(inject("postgresAdminUrl"), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  );

  it("bring an empty database to what schema.prisma says", async () => {
    expect(await migrate({ databaseUrl: url })).toContain("20261121000000_init");
    expect(await schemaDiff(url)).toBe("");
  });

  it("are not applied again by us, nor by prisma migrate deploy", async () => {
    await migrate({ databaseUrl: url });
    expect(await migrate({ databaseUrl: url })).toEqual([]);
    expect(await deployMigrations(url)).toEqual([]);
  });

  it("that prisma migrate deploy applied are not applied again by us", async () => {
    expect(await deployMigrations(url)).toContain("20261121000000_init");
    expect(await migrate({ databaseUrl: url })).toEqual([]);
    expect(await schemaDiff(url)).toBe("");
  });

  it("are applied once by many processes that start together", async () => {
    const applied = await Promise.all(
      Array.from({ length: 6 }, () => migrate({ databaseUrl: url })),
    );
    const all = applied.flat();
    expect(all.length).toBeGreaterThan(1);
    expect(new Set(all).size).toBe(all.length);
    expect(await migrate({ databaseUrl: url })).toEqual([]);
  });

  it("of a newer version are refused by name", async () => {
    await migrate({ databaseUrl: url });
    await runSql(
      url,
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29990101_later', now())`,
    );
    await expect(migrate({ databaseUrl: url })).rejects.toMatchObject({
      code: "database_too_new",
      message: expect.stringContaining("29990101_later"),
    });
  });

  it("that were changed after they were applied are refused by name", async () => {
    await migrate({ databaseUrl: url });
    await runSql(url, `UPDATE "_prisma_migrations" SET checksum = 'other'`);
    await expect(migrate({ databaseUrl: url })).rejects.toMatchObject({ code: "migration_failed" });
  });

  it("would be missed: the check sees a column and an index that are not there", async () => {
    await migrate({ databaseUrl: url });
    await runSql(url, `ALTER TABLE wallet DROP COLUMN label; DROP INDEX transaction_pending_idx`);
    const sql = await schemaDiff(url);
    expect(sql).toContain('ADD COLUMN     "label"');
    expect(sql).toContain("transaction_pending_idx");
  });
});
