import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generation } from "../../../../src/ledger/postgres/generation.ts";
import { inCheckout } from "../../../support/checkout.ts";
import { type Catalogue, readCatalogue, troubleFor } from "../../../support/ledger/catalogue.ts";
import { runSql } from "../../../support/ledger/databases.ts";
import { createEmptyDatabase, createTestDatabase } from "../../../support/ledger/postgres.ts";
import { release } from "../../../support/release/release.ts";
import { createResources } from "../../../support/resources.ts";

const databases = createResources();
let released: Catalogue;
let today: pg.Client;

beforeAll(async () => {
  const { open } = databases;
  const old = await open(createEmptyDatabase(), ({ drop }) => drop());
  const folder = inCheckout("prisma", "migrations");
  const all = readdirSync(folder).filter((one) => /^\d/.test(one));
  // After a release of another generation nothing was promised yet: these are its first migrations.
  const isPromised = release.generation === generation;
  const promised = all.filter((one) => !isPromised || one <= release.lastMigration);
  for (const one of promised.sort())
    await runSql(old.url, readFileSync(`${folder}/${one}/migration.sql`, "utf8"));
  const reader = await open(connected(old.url), (client) => client.end());
  released = await readCatalogue(reader);
  const { url } = await open(createTestDatabase(), ({ drop }) => drop());
  today = await open(connected(url), (client) => client.end());
});

afterAll(databases.end);

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

/** What the release would meet after these statements, on top of all migrations of today. */
async function troubleAfter(sql: string): Promise<string[]> {
  await today.query("BEGIN");
  try {
    await today.query(sql);
    return troubleFor(released, await readCatalogue(today));
  } finally {
    await today.query("ROLLBACK");
  }
}

it("is the newest one of the changelog, or the one before while nothing has come after the newest", () => {
  const changelog = readFileSync(inCheckout("CHANGELOG.md"), "utf8");
  const [unreleased = "", ...released] = changelog.split(/^## /m).slice(1);
  const versions = released.map((section) => /^\[([^\]]+)\]/.exec(section)?.[1]);
  const isReleaseItself = !unreleased.includes("\n- ");
  expect(unreleased).toMatch(/^\[Unreleased\]/);
  expect(versions.slice(0, isReleaseItself ? 2 : 1)).toContain(release.version);
});

describe("a release of the same generation can run beside this one, because migrations", () => {
  it("take nothing away that its statements use, and ask them for nothing new", async () => {
    expect(released.size).toBeGreaterThan(20);
    expect(await troubleAfter("SELECT 1")).toEqual([]);
  });

  it.each([
    ["ALTER TABLE attempt DROP COLUMN response", "attempt: column response is gone"],
    ["DROP TABLE price", "price: the table is gone"],
    [
      "ALTER TABLE attempt ALTER latency_ms TYPE bigint",
      "attempt: column latency_ms was integer and is bigint",
    ],
    ["ALTER TABLE wallet ALTER label SET NOT NULL", "wallet: column label may no longer be null"],
    [
      "ALTER TABLE delivery ALTER attempts DROP DEFAULT",
      "delivery: column attempts has lost its default",
    ],
    [
      "ALTER TABLE webhook ADD COLUMN colour text NOT NULL",
      "webhook: added column colour must be given a value",
    ],
    [
      "ALTER TABLE wallet ADD CONSTRAINT wallet_named CHECK (label <> '')",
      "wallet: there is a new condition wallet_named: CHECK ((label <> ''::text))",
    ],
    [
      "ALTER TABLE transaction DROP CONSTRAINT transaction_status, ADD CONSTRAINT transaction_status CHECK (status IN ('pending', 'completed', 'reversed'))",
      "transaction: condition transaction_status allowed 'dropped'",
    ],
    [
      "DROP INDEX notification_created_at_id_idx",
      "notification: index notification_created_at_id_idx is gone",
    ],
    [
      "CREATE UNIQUE INDEX wallet_one ON wallet (business_id)",
      "wallet: index wallet_one refuses rows that were allowed",
    ],
  ])("would be refused: %s", async (sql, trouble) => {
    expect(await troubleAfter(sql)).toEqual([trouble]);
  });
});
