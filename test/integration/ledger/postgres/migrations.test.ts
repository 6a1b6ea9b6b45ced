import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { findLaterGeneration } from "../../../../src/ledger/installation/generation.ts";
import { migrate, readMigrationState } from "../../../../src/ledger/installation/migrate.ts";
import { generation, readGeneration } from "../../../../src/ledger/postgres/generation.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { databaseUrl, overTcp, runSql } from "../../../support/ledger/databases.ts";
import { deployMigrations, schemaDiff } from "../../../support/ledger/schema-engine.ts";
import { startTcpProxy } from "../../../support/process/tcp-proxy.ts";
import { waitFor } from "../../../support/wait-for.ts";

const connectionTo = (connectionString: string) => new pg.Client({ connectionString });

/** Takes back one migration, which nothing else rests on; answers its name. */
async function withoutLagHistory(url: string): Promise<string> {
  const name = "20261122134700_chain_lag";
  await runSql(url, `DROP TABLE chain_lag`);
  await runSql(url, `DELETE FROM "_prisma_migrations" WHERE migration_name = '${name}'`);
  return name;
}

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

  it("of a later generation end what a process asks, and say so", async () => {
    await migrate({ databaseUrl: url });
    const db = openDatabase({ databaseUrl: url, poolSize: 1 });
    try {
      expect(await findLaterGeneration(db)).toBeNull();
      await runSql(url, `UPDATE installation SET generation = ${generation + 1}`);
      const tooNew = { code: "database_too_new", facts: { generation: generation + 1 } };
      // Over the connection that it has, and over a new one.
      expect(await findLaterGeneration(db)).toMatchObject(tooNew);
      const another = openDatabase({ databaseUrl: url, poolSize: 1 });
      try {
        const refusal = await another.wallet.count().catch((error: unknown) => error);
        expect(String(refusal)).toContain("A newer release has migrated the database");
        expect(await findLaterGeneration(another)).toMatchObject(tooNew);
      } finally {
        await another.$disconnect();
      }
    } finally {
      await db.$disconnect();
    }
  });

  it("to a later generation wait for the end of every process of an older release", async () => {
    await migrate({ databaseUrl: url });
    // As an older release left it: of an older generation, and without the last migration.
    const last = await withoutLagHistory(url);
    await runSql(url, `UPDATE installation SET generation = ${generation - 1}`);
    const older = new pg.Client({
      connectionString: overTcp(url).href,
      application_name: "chainbell-queue",
    });
    await older.connect();
    const refused = expect(migrate({ databaseUrl: url })).rejects.toMatchObject({
      code: "older_release_running",
      message: expect.stringMatching(/older release are connected.*: 1 from 127\.0\.0\.1.*End all/),
    });
    await refused.finally(() => older.end());
    await waitFor(async () => (await migrate({ databaseUrl: url })).includes(last), {
      what: "the connection to be gone",
      timeoutMs: 10_000,
    });
  });

  it("within a generation are applied beside processes of an older release", async () => {
    await migrate({ databaseUrl: url });
    const last = await withoutLagHistory(url);
    const older = new pg.Client({ connectionString: url, application_name: "chainbell" });
    await older.connect();
    try {
      expect(await migrate({ databaseUrl: url })).toEqual([last]);
    } finally {
      await older.end();
    }
  });

  it("give a database the generation that this version knows", async () => {
    await migrate({ databaseUrl: url });
    const client = connectionTo(url);
    await client.connect();
    try {
      expect(await readGeneration(client)).toBe(generation);
    } finally {
      await client.end();
    }
  });

  it("that were changed after they were applied are refused by name", async () => {
    await migrate({ databaseUrl: url });
    await runSql(url, `UPDATE "_prisma_migrations" SET checksum = 'other'`);
    await expect(migrate({ databaseUrl: url })).rejects.toMatchObject({ code: "migration_failed" });
  });

  it("that do not get their locks let go of what waits behind them, and are tried again", async () => {
    await migrate({ databaseUrl: url });
    const last = await withoutLagHistory(url);
    const [holder, looker] = [connectionTo(url), connectionTo(url)];
    await Promise.all([holder.connect(), looker.connect()]);
    try {
      await holder.query("BEGIN; UPDATE chain SET head_number = 1");
      await holder.query("LOCK TABLE chain IN ROW EXCLUSIVE MODE");
      const waiting = `SELECT xact_start::text AS since FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      const since = () =>
        looker.query<{ since: string }>(waiting).then(({ rows }) => rows[0]?.since);
      const migrating = migrate({ databaseUrl: url });
      migrating.catch(() => {});
      const first = await waitFor(since, { what: "the lock to be asked for", timeoutMs: 10_000 });
      const isAnother = async () => ![undefined, first].includes(await since());
      await waitFor(isAnother, { what: "it to be asked for again", timeoutMs: 20_000 });
      await holder.query("COMMIT");
      expect(await migrating).toContain(last);
    } finally {
      await Promise.all([holder.end(), looker.end()]);
    }
  });

  describe("while another process migrates", () => {
    let holder: pg.Client;
    let looker: pg.Client;

    beforeEach(async () => {
      [holder, looker] = [connectionTo(url), connectionTo(url)];
      await Promise.all([holder.connect(), looker.connect()]);
      await holder.query("SELECT pg_advisory_lock(7163384643246252908)");
    });

    afterEach(() => Promise.all([holder.end(), looker.end()]));

    /** The server's process that waits to migrate. */
    const waiting = () =>
      waitFor(
        async () => {
          const sql = `SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'advisory'`;
          return (await looker.query<{ pid: number }>(sql)).rows[0]?.pid;
        },
        { what: "the migration to wait", timeoutMs: 10_000 },
      );

    it("lose their connection as a database out of reach, which is tried again", async () => {
      const lost = expect(migrate({ databaseUrl: url })).rejects.toMatchObject({
        code: "database_unavailable",
      });
      await looker.query("SELECT pg_terminate_backend($1)", [await waiting()]);
      await lost;
      await holder.query("SELECT pg_advisory_unlock_all()");
      expect(await migrate({ databaseUrl: url })).toContain("20261121000000_init");
    });

    it("end when the process is asked to end, and nothing is applied", async () => {
      const stopping = new AbortController();
      const ended = expect(
        migrate({ databaseUrl: url, stopping: stopping.signal }),
      ).rejects.toMatchObject({ code: "database_unavailable" });
      await waiting();
      stopping.abort();
      await ended;
      const state = await readMigrationState({ databaseUrl: url });
      expect(state).toMatchObject({ isEmpty: true });
    });
  });

  it("say that the database is out of reach where the connection is lost before them", async () => {
    const proxy = await startTcpProxy(Number(overTcp(url).port));
    try {
      const through = overTcp(url);
      through.port = String(proxy.port);
      proxy.loseAnswer("isThere");
      await expect(readMigrationState({ databaseUrl: through.href })).rejects.toMatchObject({
        code: "database_unavailable",
      });
    } finally {
      await proxy.stop();
    }
  });

  it("would be missed: the check sees a column and an index that are not there", async () => {
    await migrate({ databaseUrl: url });
    await runSql(url, `ALTER TABLE wallet DROP COLUMN label; DROP INDEX transaction_pending_idx`);
    const sql = await schemaDiff(url);
    expect(sql).toContain('ADD COLUMN     "label"');
    expect(sql).toContain("transaction_pending_idx");
  });
});
