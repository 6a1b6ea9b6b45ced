import { rm } from "node:fs/promises";
import pg from "pg";
import { beforeEach, expect, it } from "vitest";
import { openLedger } from "../../../../src/app/environment/open-ledger.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { analyzeUnknown } from "../../../../src/ledger/installation/analyze.ts";
import { eachTest } from "../../../support/each-test.ts";
import { keepingLog } from "../../../support/fault-steps.ts";
import { configure, deploymentOf } from "../../../support/process/deployment.ts";
import { createSeededLedger, keyring } from "../deliveries/seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

/** A large table of which nothing is known, as after a restore. */
beforeEach(async () => {
  const { businessId } = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.sql(
    `INSERT INTO notification (id, business_id, round, state, event, body)
     SELECT gen_random_uuid(), $1, 0, 'confirmed', 'transaction.deposit', repeat('x', 1900) FROM generate_series(1, 5000)`,
    [businessId],
  );
});

const nothing = { analyzed: [], left: [] };

async function whileLocked(work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({ connectionString: ledger.url });
  await holder.connect();
  try {
    await holder.query("BEGIN; LOCK TABLE notification IN SHARE UPDATE EXCLUSIVE MODE");
    await work();
  } finally {
    await holder.end();
  }
}

it("has large tables looked at that nothing is known of, once, and passes over one that is locked", async () => {
  await whileLocked(async () => {
    const { analyzed, left } = await analyzeUnknown(ledger.db);
    expect(analyzed).toEqual([]);
    expect(left).toMatchObject([{ table: "notification", error: { code: "55P03" } }]);
  });
  expect(await analyzeUnknown(ledger.db)).toEqual({ analyzed: ["notification"], left: [] });
  const known = await ledger.sql("SELECT 1 FROM pg_stats WHERE tablename = 'notification'");
  expect(known.length).toBeGreaterThan(0);
  expect(await analyzeUnknown(ledger.db)).toEqual(nothing);
});

it("does not look again at a table that has become empty", async () => {
  await ledger.sql("DELETE FROM notification");
  await analyzeUnknown(ledger.db);
  expect(await analyzeUnknown(ledger.db)).toEqual(nothing);
});

/** As the daemon does before anything else; answers what it has logged of statistics. */
async function start() {
  const { lines, log } = keepingLog();
  const deployment = deploymentOf({
    databaseUrl: ledger.url,
    redisUrl: null,
    roles: "api",
    receiverPorts: [],
    chains: [{ name: "anvil", rpcUrl: "http://127.0.0.1:1", confirmations: 1 }],
  });
  const encryptionKey = Buffer.from(keyring[0].bytes).toString("base64");
  const { folder, environment } = await configure({ ...deployment, encryptionKey }, 0);
  const config = await loadConfig(environment, folder);
  const opened = await openLedger(config, log, { opener: "daemon", patience: null });
  await opened.close();
  await rm(folder, { recursive: true, force: true });
  return lines.filter(({ message }) => /analyzed/.test(message));
}

const looked = { message: "database.analyzed", fields: { tables: ["notification"] } };
const left = {
  message: "database.not_analyzed",
  fields: { table: "notification", error: expect.any(Error) },
};

it("a start goes on where a table is locked, says so once, and the next one looks at it", async () => {
  await whileLocked(async () => expect(await start()).toEqual([left]));
  expect(await start()).toEqual([looked]);
  expect(await start()).toEqual([]);
});

it("a start goes on where looking at a table fails", async () => {
  await ledger.sql(
    "CREATE FUNCTION length_of(body TEXT) RETURNS INTEGER LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN length(body); END'",
  );
  await ledger.sql("CREATE INDEX broken ON notification (length_of(body))");
  await ledger.sql(
    "CREATE OR REPLACE FUNCTION length_of(body TEXT) RETURNS INTEGER LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION $x$broken$x$; END'",
  );
  expect(await start()).toEqual([left]);
  await ledger.sql("DROP INDEX broken");
  expect(await start()).toEqual([looked]);
});
