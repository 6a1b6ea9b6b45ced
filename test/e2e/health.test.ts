import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { freePort } from "../../src/development/process/free-port.ts";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { createTestDatabase, type TestDatabase } from "../support/ledger/postgres.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";

describe("a daemon whose endpoint is down", () => {
  let database: TestDatabase;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
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
