import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { createCheckedDatabase } from "../support/ledger/checked-database.ts";
import type { TestDatabase } from "../support/ledger/postgres.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { type Deployment, deploymentOf } from "../support/process/deployment.ts";
import { seeDeposit } from "../support/process/see-deposit.ts";
import { waitFor } from "../support/wait-for.ts";

describe("an endpoint that comes back", () => {
  let folder: string;
  let database: TestDatabase;
  let anvil: Anvil;
  let deployment: Deployment;
  let daemon: Awaited<ReturnType<typeof startDaemon>> | null = null;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "chainbell-state-"));
    database = await createCheckedDatabase();
  });

  afterEach(async () => {
    await daemon?.stop();
    daemon = null;
    await anvil.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function begin(statePath?: string) {
    // A genesis block holds its time in seconds: another chain of the same second would be the same
    // chain.
    const earlier = String(Math.floor(Date.now() / 1_000) - 60);
    const args = ["--timestamp", earlier];
    anvil = await startAnvil(statePath === undefined ? { args } : { statePath });
    deployment = deploymentOf({
      databaseUrl: database.url,
      redisUrl: null,
      chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 1 }],
      receiverPorts: [],
    });
    daemon = await startDaemon(deployment);
    const customer = await seeDeposit(daemon, { anvil, wallet, timeoutMs: 15_000 });
    return { daemon, customer };
  }

  const stoppedCode = async () =>
    (await daemon?.admin.get("/admin/status"))?.chains[0].stopped?.code;

  it("as another chain is refused by name while the daemon runs and when it starts; a reset mends it", async () => {
    const { customer } = await begin();
    await anvil.stop();
    anvil = await startAnvil({ port: anvil.port });
    await anvil.mine(10);
    await waitFor(async () => (await stoppedCode()) === "wrong_genesis", {
      what: "the refusal",
      timeoutMs: 30_000,
    });
    expect((await fetch(`${daemon?.url}/health/live`)).status).toBe(200);

    await daemon?.stop();
    daemon = null;
    await expect(startDaemon(deployment)).rejects.toMatchObject({
      code: "wrong_genesis",
      message: expect.stringContaining("chain reset anvil"),
    });

    daemon = await startDaemon({
      ...deployment,
      settings: { ...deployment.settings, roles: "api" },
    });
    await daemon.admin.post("/admin/chains/anvil/reset");
    await daemon.stop();
    daemon = await startDaemon(deployment);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 9n });
    const { client } = await import("../support/api/api-client.ts");
    const api = client(daemon.url, { "x-api-key": customer.key });
    await waitFor(async () => (await api.get("/transactions"))[0]?.status === "completed", {
      what: "a deposit on the new chain",
      timeoutMs: 15_000,
    });
    const history = await api.get("/transactions");
    expect(
      history.map(({ amount, status }: { amount: string; status: string }) => [amount, status]),
    ).toEqual([
      ["0.000000000000000009", "completed"],
      ["0.000000000000000005", "reversed"],
    ]);
    // A deposit can be complete before the wallet's opening is read anew; until then no balance.
    await waitFor(async () => (await api.call("GET", "/balance")).body.syncing_wallets === 0, {
      what: "the opening on the new chain",
      timeoutMs: 15_000,
    });
    const balance = await api.call("GET", "/balance");
    expect(balance.text).toContain('"ETH":0.000000000000000009');
  });

  it("with its state goes on where it was", async () => {
    const statePath = join(folder, "state.json");
    const { customer } = await begin(statePath);
    await anvil.stop();
    anvil = await startAnvil({ port: anvil.port, statePath });
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 9n });
    await waitFor(async () => (await customer.api.get("/transactions")).length === 2, {
      what: "a deposit after the restart",
      timeoutMs: 30_000,
    });
    const statuses = (await customer.api.get("/transactions")).map(
      ({ status }: { status: string }) => status,
    );
    expect(statuses).toEqual(["completed", "completed"]);
    expect(await stoppedCode()).toBeUndefined();
  });
});
