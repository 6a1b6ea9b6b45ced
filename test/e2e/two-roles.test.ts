import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { ANVIL_ACCOUNTS } from "../support/chain/anvil.ts";
import { inCheckout } from "../support/checkout.ts";
import { runSql } from "../support/ledger/databases.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon, withDaemon } from "../support/process/daemon.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
const [payer] = ANVIL_ACCOUNTS;
const wallet = "0x00000000000000000000000000000000000a11ce";

/** A role that may what the file says, and nothing else: the URL by which it connects. */
async function makeRole(ownersUrl: string): Promise<string> {
  const name = `daemon_${randomUUID().replaceAll("-", "")}`;
  await runSql(ownersUrl, `CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
  // What it was granted in this database keeps a role.
  onTestFinished(() => runSql(ownersUrl, `DROP OWNED BY ${name}; DROP ROLE ${name}`));
  const rights = await readFile(inCheckout("deploy", "postgres", "daemon-role.sql"), "utf8");
  await runSql(ownersUrl, rights.replaceAll("chainbell_daemon", name));
  return Object.assign(new URL(ownersUrl), { username: name, password: "secret" }).href;
}

const beyondItsRights = [
  ...["ledger_entry", "ledger_seal", "reconciliation_record", "audit_entry"].flatMap((table) => [
    `DELETE FROM ${table}`,
    `TRUNCATE ${table} CASCADE`,
    `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
  ]),
  "UPDATE ledger_entry SET amount = amount + 1",
  "UPDATE audit_entry SET action = 'nothing'",
  "UPDATE audit_place SET hash = ''",
  "DELETE FROM audit_place",
  "DELETE FROM ledger_account",
  "UPDATE _prisma_migrations SET checksum = ''",
  "SET session_replication_role = replica",
  "CREATE TABLE of_its_own (id INTEGER)",
];

it("a daemon works as a role that owns nothing, and cannot change what it has recorded", async () => {
  const ownersUrl = world.database.url;
  const databaseUrl = await makeRole(ownersUrl);
  const { settings, ...keys } = deploymentIn(world);
  const deployment = { ...keys, settings: { ...settings, databaseUrl } };

  await withDaemon(deployment, {}, async (daemon) => {
    const watched = { blockchain: "anvil", addresses: [wallet], receiver: world.receiver };
    const { api, webhookId } = await createCustomer({ ...daemon, ...watched });
    await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await world.receiver.waitForCount(1);
    await api.post(`/webhooks/${webhookId}/rotate-secret`);
    await daemon.admin.post("/admin/reconcile");
    expect((await daemon.admin.get("/admin/audit")).length).toBeGreaterThan(3);
    const ready = await daemon.admin.call("GET", "/health/ready");
    expect(ready.status, ready.text).toBe(200);
  });

  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const sql of beyondItsRights)
      await expect(client.query(sql), sql).rejects.toMatchObject({ code: "42501" });
    expect((await client.query("SELECT 1 FROM ledger_entry")).rowCount).toBeGreaterThan(0);
  } finally {
    await client.end();
  }

  await runSql(
    ownersUrl,
    "DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)",
  );
  await expect(startDaemon(deployment)).rejects.toMatchObject({
    code: "database_refused",
    message: expect.stringContaining("chainbell migrate"),
  });
});
