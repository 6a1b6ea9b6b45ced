import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { client } from "../support/api/api-client.ts";
import { ether, payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import type { Deployment } from "../support/process/deployment.ts";
import { runCli } from "../support/process/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

describe("an operator who asks whether ledger and chain agree", () => {
  const world = eachWorld();
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = deploymentIn(world);
    daemon = await startDaemon(deployment);
  });

  afterEach(async () => {
    await daemon.stop();
  });

  const shown = async () => (await daemon.admin.get("/admin/status")).chains[0];

  async function ask(...args: string[]) {
    const { status, said } = await runCli(deployment, ...args);
    return { status, data: said.data };
  }

  it("is answered by HTTP, command line, status and metrics alike, and no balance is touched", async () => {
    const { api, wallets } = await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [wallet],
      receiver: null,
    });
    await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await world.anvil.mine(2);
    const balance = async () => (await api.call("GET", "/balance")).body.assets;
    await waitFor(async () => (await balance()).ETH === 1, {
      what: "the deposit",
      timeoutMs: 15_000,
    });
    const agreeing = await ask("reconcile");
    expect(agreeing).toEqual({
      status: 0,
      data: { compared: 1, discrepancies: 0, not_shown: 0, differences: [] },
    });

    await world.anvil.setBalance(wallet, 3n * ether);
    await world.anvil.mine(2);
    const head = await world.anvil.blockNumber();
    await waitFor(async () => (await shown()).confirmed === head, {
      what: "the head to be confirmed",
      timeoutMs: 15_000,
    });
    const walletId = wallets[0].wallet_id;
    const report = await daemon.admin.post("/admin/reconcile", { wallet_id: walletId });
    const difference = {
      blockchain: "anvil",
      wallet_id: walletId,
      asset: "ETH",
      ledger: "1",
      chain: "3",
      difference: "2",
      outcome: "discrepancy",
    };
    expect(report).toMatchObject({ compared: 1, discrepancies: 1, differences: [difference] });
    expect(await shown()).toMatchObject({ discrepancies: 1 });
    const { foundAt } = await daemon.db.discrepancy.findFirstOrThrow();
    expect((await daemon.admin.get("/admin/alerts")).alerts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "ChainbellLedgerDiffers", since: foundAt.toISOString() }),
      ]),
    );
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toContain('chainbell_chain_discrepancies{chain="anvil"} 1\n');
    expect(await ask("reconcile", "--wallet", walletId)).toMatchObject({
      status: 3,
      data: { differences: [difference] },
    });
    expect(await balance()).toEqual({ ETH: 1 });

    const admin = client(daemon.url, { authorization: `Bearer ${deployment.adminToken}` });
    const unknown = { wallet_id: "01900000-0000-7000-8000-000000000000" };
    expect((await admin.call("POST", "/admin/reconcile", unknown)).status).toBe(404);
  });

  it("finds it in the daemon's log, which compares when it starts", async () => {
    await waitFor(async () => (await shown()).reconciled_at !== null, {
      what: "the first comparison",
      timeoutMs: 20_000,
    });
    expect(await shown()).toMatchObject({ discrepancies: 0 });
  });

  it("is answered what somebody has changed in the ledger itself, by HTTP and command line alike", async () => {
    await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [wallet],
      receiver: null,
    });
    const { db } = daemon;
    await waitFor(async () => (await db.balance.count({ where: { opening: null } })) === 0, {
      what: "the opening",
      timeoutMs: 15_000,
    });
    const { status, data } = await ask("ledger", "check");
    expect(status).toBe(0);
    expect(data).toMatchObject({ entries: 1, findings: [], heads: [{ number: 1 }] });
    expect(await daemon.admin.get("/admin/ledger/check")).toEqual(data);
    await db.balance.updateMany({ data: { confirmed: 7 } });
    const changed = await ask("ledger", "check");
    expect(changed.status).toBe(3);
    expect(changed.data.findings.map(({ kind }: { kind: string }) => kind)).toEqual([
      "not_zero",
      "balance",
    ]);
    expect(await daemon.admin.get("/admin/ledger/check")).toEqual(changed.data);
    await db.balance.updateMany({ data: { confirmed: 0 } });
  });
});
