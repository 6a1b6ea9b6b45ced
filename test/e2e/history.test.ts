import { rm } from "node:fs/promises";
import { beforeEach, expect, it } from "vitest";
import { client } from "../support/api/api-client.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { createCustomer } from "../support/process/customer.ts";
import { runProgram, startDaemon } from "../support/process/daemon.ts";
import { configure, type Deployment } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
let deployment: Deployment;

beforeEach(async () => {
  deployment = deploymentIn(world);
});

async function backfill(walletId: string, fromBlock: number) {
  const of = ["--wallet", walletId, "--from-block", String(fromBlock)];
  const { folder, environment } = await configure(deployment, 0);
  const args = ["backfill", ...of, "--json"];
  const { status, stdout, stderr } = await runProgram("cli", args, environment);
  await rm(folder, { recursive: true });
  expect([status, stderr]).toEqual([0, expect.stringContaining("history")]);
  return JSON.parse(stdout).data;
}

it("is filled in with a progress bar and checked, by a running daemon, and without one by the command itself", async () => {
  for (const amountAtomic of [5n, 7n]) {
    await world.anvil.mine(20);
    await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic });
  }
  await world.anvil.mine(20);
  const daemon = await startDaemon(deployment);
  const { api, key, wallets } = await createCustomer({
    ...daemon,
    blockchain: "anvil",
    addresses: [wallet],
    receiver: null,
  });
  const { wallet_id } = wallets[0];
  const amounts = async (): Promise<string[]> =>
    (await api.call("GET", "/transactions")).body.data.map((one: { amount: string }) => one.amount);
  try {
    await world.anvil.mine(2);
    const asked = { wallet_id, from_block: 30, history: "agrees" };
    await waitFor(async () => (await api.call("GET", "/balance")).body.syncing_wallets === 0, {
      what: "the opening balance",
      timeoutMs: 15_000,
    });
    expect(await backfill(wallet_id, 30)).toMatchObject(asked);
    expect(await amounts()).toEqual(["0.000000000000000007"]);
  } finally {
    await daemon.stop();
  }
  expect(await backfill(wallet_id, 1)).toMatchObject({ from_block: 1, history: "agrees" });
  const again = await startDaemon(deployment);
  try {
    const { body } = await client(again.url, { "x-api-key": key }).call("GET", "/transactions");
    expect(body.data).toHaveLength(2);
  } finally {
    await again.stop();
  }
});
