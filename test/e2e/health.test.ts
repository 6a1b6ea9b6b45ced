import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { runSql } from "../support/ledger/databases.ts";
import { createTestDatabase, type TestDatabase } from "../support/ledger/postgres.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { freePort } from "../support/process/free-port.ts";
import { waitFor } from "../support/wait-for.ts";

type Daemon = Awaited<ReturnType<typeof startDaemon>>;

describe("a daemon that could not start again", () => {
  it("shows the operator what is wrong with its file now, what of it is not applied, and what its database lacks", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const chain = { name: "anvil", rpcUrl: "http://127.0.0.1:1", confirmations: 1 };
    const deployment = deploymentOf({
      databaseUrl: database.url,
      redisUrl: null,
      roles: "api",
      receiverPorts: [],
      chains: [chain],
    });
    await (await startDaemon(deployment)).stop();
    const tokens = [{ code: "NEW", address: `0x${"ab".repeat(20)}`, decimals: 6 }];
    const settings = { ...deployment.settings, chains: [{ ...chain, tokens }] };
    const daemon = await startDaemon({ ...deployment, settings });
    onTestFinished(() => daemon.stop());
    expect(await daemon.admin.get("/admin/health")).toMatchObject({
      pending_migrations: [],
      configuration_faults: [],
      configuration_changes: [{ chain: "anvil", asset: "NEW", change: "is watched from now on" }],
    });
    await writeFile(daemon.configPath, JSON.stringify({ chains: [], webhooks: { schedule: 7 } }));
    const newest = "SELECT max(migration_name) FROM _prisma_migrations";
    await runSql(database.url, `DELETE FROM _prisma_migrations WHERE migration_name = (${newest})`);
    const { configuration_faults: faults, ...shown } = await daemon.admin.get("/admin/health");
    expect(faults.map(({ path }: { path: string }) => path)).toContain("webhooks.schedule");
    expect(shown.pending_migrations).toHaveLength(1);
    expect(shown.migrations).not.toContain(shown.pending_migrations[0]);
  });
});

describe("a daemon whose password was changed", () => {
  it("answers operators by the sessions that it has, and is out of reach without them", async () => {
    const database = await createTestDatabase();
    const role = `changed_${randomBytes(6).toString("hex")}`;
    const admin = inject("postgresAdminUrl");
    await runSql(admin, `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'right'`);
    onTestFinished(async () => {
      await database.drop();
      await runSql(admin, `DROP ROLE ${role}`);
    });
    const url = new URL(database.url);
    [url.username, url.password] = [role, "right"];
    const deployment = deploymentOf({
      databaseUrl: url.href,
      redisUrl: null,
      roles: "api",
      receiverPorts: [],
      chains: [{ name: "anvil", rpcUrl: "http://127.0.0.1:1", confirmations: 1 }],
    });
    const daemon = await startDaemon(deployment);
    onTestFinished(() => daemon.stop());
    const headers = { authorization: `Bearer ${deployment.adminToken}` };
    const health = () => fetch(`${daemon.url}/admin/health`, { headers });
    expect((await health()).status).toBe(200);
    await runSql(admin, `ALTER ROLE ${role} PASSWORD 'another'`);
    expect((await health()).status).toBe(200);
    await runSql(
      admin,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
    );
    const refused = await health();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "database_unavailable" } });
  });
});

describe("a daemon whose endpoint is down", () => {
  let database: TestDatabase;
  let daemon: Daemon;
  let anvil: Anvil | null = null;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await daemon.stop();
    await anvil?.stop();
    await database.drop();
  });

  const ready = async () => {
    const response = await fetch(`${daemon.url}/health/ready`);
    return {
      status: response.status,
      body: (await response.json()) as { services: { name: string; trouble: string | null }[] },
    };
  };

  it("stays up, is not ready and says which part, and is ready once the endpoint is back", async () => {
    const port = await freePort();
    const rpcUrl = `http://127.0.0.1:${port}`;
    const chain = { name: "anvil", rpcUrl, confirmations: 1 };
    const settings = {
      databaseUrl: database.url,
      redisUrl: inject("redisUrl"),
      chains: [chain],
      receiverPorts: [],
    };
    daemon = await startDaemon(deploymentOf(settings));
    expect((await fetch(`${daemon.url}/health/live`)).status).toBe(200);
    const { status, troubled } = await waitFor(
      async () => {
        const { status, body } = await ready();
        const troubled = body.services.filter(({ trouble }) => trouble !== null);
        // At first every part that has not worked yet says so.
        const isOne = troubled.length === 1 && troubled[0]?.trouble?.includes("no usable answer");
        return isOne ? { status, troubled } : null;
      },
      { what: "the watcher alone to say what is wrong", timeoutMs: 20_000 },
    );
    expect(status).toBe(503);
    expect(troubled.map(({ name }) => name)).toEqual(["watcher:anvil"]);

    anvil = await startAnvil({ port });
    await waitFor(async () => (await ready()).status === 200, {
      what: "readiness",
      timeoutMs: 30_000,
    });
  });
});
