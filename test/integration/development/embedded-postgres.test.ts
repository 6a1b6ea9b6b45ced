import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openEmbeddedPostgres } from "../../../src/development/postgres/embedded-postgres.ts";
import { identityOf } from "../../../src/development/process/process-identity.ts";
import {
  otherProcess,
  serverPid,
  temporaryDataDirectory,
} from "../../support/process/data-directory.ts";
import { waitFor } from "../../support/wait-for.ts";

const log = { info: () => undefined, warn: () => undefined };

async function open(dataDir: string) {
  const postgres = await openEmbeddedPostgres({ dataDir, settings: { fsync: "off" }, log });
  onTestFinished(postgres.close);
  return postgres;
}

async function select(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function runs(pid: number | undefined): boolean {
  return pid !== undefined && identityOf(pid) !== undefined;
}

test("the database is UTF-8, sorted by code point, and only reached with the password", async () => {
  const dataDir = temporaryDataDirectory();
  const { databaseUrl } = await open(dataDir);
  const sql = "SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding, ";
  const rows = await select(
    databaseUrl,
    `${sql} datlocale FROM pg_database WHERE datname = current_database()`,
  );

  expect(rows).toEqual([{ name: "chainbell", encoding: "UTF8", datlocale: "C.UTF-8" }]);
  const wrong = new URL(databaseUrl);
  wrong.password = "guess";
  await expect(select(wrong.href, "SELECT 1")).rejects.toThrow("password authentication failed");
  expect(statSync(join(dataDir, "postgres.password")).mode & 0o777).toBe(0o600);
});

test("a second process joins the running database, and the last one to leave stops it", async () => {
  const dataDir = temporaryDataDirectory();
  const first = await open(dataDir);
  const pid = serverPid(dataDir, "postgres");
  const second = await otherProcess("postgres", dataDir);
  expect(second.url).toBe(first.databaseUrl);
  await first.close();
  expect(await select(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  expect(runs(pid)).toBe(true);
  await second.close();

  expect(runs(pid)).toBe(false);
});

test("two processes that start at the same moment share one database", async () => {
  const dataDir = temporaryDataDirectory();
  const [mine, theirs] = await Promise.all([open(dataDir), otherProcess("postgres", dataDir)]);

  expect(theirs.url).toBe(mine.databaseUrl);
});

test("a process that was killed no longer keeps the database alive", async () => {
  const dataDir = temporaryDataDirectory();
  const killed = await otherProcess("postgres", dataDir);
  const pid = serverPid(dataDir, "postgres");
  await killed.kill();
  expect(runs(pid)).toBe(true);
  const next = await open(dataDir);
  expect(serverPid(dataDir, "postgres")).toBe(pid);
  await next.close();

  expect(runs(pid)).toBe(false);
});

test("what a killed database leaves behind does not stop the next start, at the same port", async () => {
  const dataDir = temporaryDataDirectory();
  const first = await open(dataDir);
  await select(first.databaseUrl, "CREATE TABLE kept AS SELECT 1 AS one");
  const pid = serverPid(dataDir, "postgres");
  process.kill(pid ?? 0, "SIGKILL");
  await waitFor(() => !runs(pid), { what: "the database's death", timeoutMs: 5_000 });
  const second = await open(dataDir);

  expect(second.databaseUrl).toBe(first.databaseUrl);
  expect(await select(second.databaseUrl, "SELECT one FROM kept")).toEqual([{ one: 1 }]);
});

test("a database that run.json no longer lists is stopped and started again with its rows", async () => {
  const dataDir = temporaryDataDirectory();
  const other = await otherProcess("postgres", dataDir);
  const pid = serverPid(dataDir, "postgres");
  await select(other.url, "CREATE TABLE kept AS SELECT 1 AS one");
  await other.kill();
  rmSync(join(dataDir, "run.json"));
  const { databaseUrl } = await open(dataDir);

  expect(runs(pid)).toBe(false);
  expect(await select(databaseUrl, "SELECT one FROM kept")).toEqual([{ one: 1 }]);
});

test("a data directory that was removed and made again begins with an empty database", async () => {
  const dataDir = temporaryDataDirectory();
  const first = await open(dataDir);
  await select(first.databaseUrl, "CREATE TABLE gone AS SELECT 1 AS one");
  await first.close();
  rmSync(dataDir, { recursive: true });
  const second = await open(dataDir);

  await expect(select(second.databaseUrl, "SELECT * FROM gone")).rejects.toThrow("does not exist");
});

test("a lock left by a process that died does not stop the next start", async () => {
  const dataDir = temporaryDataDirectory();
  mkdirSync(dataDir, { recursive: true });
  const dead = { pid: 1, startedAt: "another boot:1", nonce: "x" };
  writeFileSync(join(dataDir, "run.lock"), JSON.stringify(dead));

  const { databaseUrl } = await open(dataDir);
  expect(await select(databaseUrl, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("a database that cannot start says so with the end of its log", async () => {
  const dataDir = temporaryDataDirectory();
  const opening = openEmbeddedPostgres({
    dataDir,
    settings: { shared_buffers: "nonsense" },
    log,
  });

  await expect(opening).rejects.toMatchObject({
    code: "embedded_postgres_failed",
    facts: { logTail: expect.stringContaining("shared_buffers") },
  });
  expect(readFileSync(join(dataDir, "run.json"), "utf8")).not.toContain('"token"');
});

test("a postmaster.pid that names another program's process does not stop the next start", async () => {
  const dataDir = temporaryDataDirectory();
  const first = await open(dataDir);
  const [{ data }] = (await select(
    first.databaseUrl,
    "SELECT current_setting('data_directory') AS data",
  )) as [{ data: string }];
  const left = readFileSync(join(data, "postmaster.pid"), "utf8");
  process.kill(serverPid(dataDir, "postgres") ?? 0, "SIGKILL");
  await waitFor(() => !runs(serverPid(dataDir, "postgres")), {
    what: "the database's death",
    timeoutMs: 5_000,
  });
  writeFileSync(join(data, "postmaster.pid"), left.replace(/^\d+/, String(process.pid)));
  const { databaseUrl } = await open(dataDir);

  expect(await select(databaseUrl, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
});
