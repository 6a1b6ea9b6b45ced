import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { client } from "../support/api/api-client.ts";
import { spawnDaemon } from "../support/process/daemon.ts";
import type { DaemonProcess } from "../support/process/daemon-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
let database: Client;
let daemons: DaemonProcess[];

beforeEach(async () => {
  daemons = [];
  database = new Client({ connectionString: world.database.url });
  await database.connect();
});

afterEach(async () => {
  await Promise.all(daemons.map((daemon) => daemon.kill()));
  await database.end();
});

/** Held by this test, so that whatever asks for it stands still. */
const gate = 771_001;

/**
 * Where a request stands still: before anything of it is written, or between its commit and its
 * answer.
 */
const gates = `
  CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(${gate}); RETURN NEW; END $$;
  CREATE TRIGGER before_it_is_written BEFORE INSERT ON business FOR EACH ROW
    WHEN (NEW.name = 'unwritten') EXECUTE FUNCTION stand_still();
  CREATE TRIGGER before_it_is_answered BEFORE UPDATE ON idempotency_key FOR EACH ROW
    WHEN (NEW.key = 'unanswered' AND NEW.status IS NOT NULL) EXECUTE FUNCTION stand_still()`;

const standingStill = `
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${gate} AND NOT granted`;

test("a daemon killed while it carries requests out has made each of them once, whoever asks again", async () => {
  const deployment = deploymentIn(world);
  const start = async () => {
    const daemon = await spawnDaemon(deployment);
    daemons.push(daemon);
    return daemon;
  };
  const first = await start();
  await database.query(gates);
  await database.query(`SELECT pg_advisory_lock(${gate})`);

  const create = (url: string, key: string) =>
    client(url, {
      authorization: `Bearer ${deployment.adminToken}`,
      "idempotency-key": key,
    }).call("POST", "/admin/businesses", { name: key });
  const made = async (name: string) =>
    (await database.query("SELECT 1 FROM business WHERE name = $1", [name])).rowCount;

  const answered = await create(first.url, "answered");
  expect(answered.status).toBe(201);
  const lost = Promise.allSettled(["unwritten", "unanswered"].map((key) => create(first.url, key)));
  await waitFor(async () => (await database.query(standingStill)).rowCount === 2, {
    what: "both requests to stand still",
    timeoutMs: 60_000,
  });
  expect([await made("unwritten"), await made("unanswered")]).toEqual([0, 1]);
  await first.kill();
  expect((await lost).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  // PostgreSQL would carry out what it has begun, and the answer would be kept after all.
  await database.query(`SELECT pg_terminate_backend(pid) FROM (${standingStill}) AS waiting`);
  await waitFor(async () => (await database.query(standingStill)).rowCount === 0, {
    what: "the daemon's connections to end",
    timeoutMs: 60_000,
  });
  await database.query("DROP FUNCTION stand_still CASCADE");

  const second = await start();
  const again = await create(second.url, "answered");
  expect([again.status, again.text]).toEqual([201, answered.text]);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  // Whoever claimed them may be at work still, as far as anybody knows, for a minute.
  for (const key of ["unwritten", "unanswered"])
    expect((await create(second.url, key)).body.error.code).toBe("idempotency_key_in_use");
  await database.query("UPDATE idempotency_key SET claimed_until = now() - interval '1 second'");

  const written = await create(second.url, "unwritten");
  expect([written.status, written.body.data.name]).toEqual([201, "unwritten"]);
  expect((await create(second.url, "unwritten")).text).toBe(written.text);
  for (const _ of [1, 2]) {
    const unanswered = await create(second.url, "unanswered");
    expect([unanswered.status, unanswered.body.error.code]).toEqual([
      409,
      "idempotency_answer_lost",
    ]);
  }
  for (const name of ["answered", "unwritten", "unanswered"])
    expect([name, await made(name)]).toEqual([name, 1]);
});
