import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { client } from "../support/api/api-client.ts";
import { type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { type RpcProxy, startRpcProxy } from "../support/chain/rpc-proxy.ts";
import { type Receiver, startReceiver } from "../support/delivery/receiver.ts";
import { createCheckedDatabase } from "../support/ledger/checked-database.ts";
import type { TestDatabase } from "../support/ledger/postgres.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";

const names = ["sound", "hanging", "swapped", "reorganising"] as const;
type Name = (typeof names)[number];
const timeoutMs = 30_000;

/** A chain, and the endpoint through which the daemon sees it. */
type TestChain = { anvil: Anvil; proxy: RpcProxy };

describe("a daemon of four chains", () => {
  let chains: Record<Name, TestChain>;
  let database: TestDatabase;
  let receiver: Receiver;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let ends: (() => Promise<void>)[];

  beforeEach(async () => {
    ends = [];
    const started = [];
    for (const [index, name] of names.entries()) started.push([name, await startChain(index)]);
    chains = Object.fromEntries(started);
    database = await createCheckedDatabase();
    ends.push(database.drop);
    receiver = await startReceiver();
    ends.push(receiver.stop);
    daemon = await startDaemon(
      deploymentOf({
        databaseUrl: database.url,
        redisUrl: inject("redisUrl"),
        chains: names.map((name, index) => ({
          name,
          chainId: 31_337 + index,
          rpcUrl: chains[name].proxy.url,
          confirmations: 2,
        })),
        receiverPorts: [receiver.port],
      }),
    );
    ends.push(daemon.stop);
    await untilStatus("every chain to be started", (shown) =>
      shown.every(({ position }) => position !== null),
    );
  });

  afterEach(async () => {
    for (const end of ends.toReversed()) await end();
  });

  async function startChain(index: number): Promise<TestChain> {
    const anvil = await startAnvil({ args: ["--chain-id", String(31_337 + index)] });
    ends.push(anvil.stop);
    const proxy = await startRpcProxy(anvil.rpcUrl);
    ends.push(proxy.stop);
    return { anvil, proxy };
  }

  type Shown = {
    name: Name;
    position: number | null;
    stopped: { code: string } | null;
    endpoints: { last_error: string | null }[] | null;
  }[];

  const untilStatus = (what: string, holds: (shown: Shown) => boolean) =>
    waitFor(async () => holds((await daemon.admin.get("/admin/status")).chains), {
      what,
      timeoutMs,
    });

  /** A business with the same address on every chain, and its notifications, by chain. */
  async function customer() {
    const made = await createCustomer({ ...daemon, blockchain: "sound", addresses: [], receiver });
    await daemon.admin.post(`/admin/businesses/${made.businessId}/wallets`, {
      wallets: names.map((blockchain) => ({ blockchain, address: wallet })),
    });
    const api = client(daemon.url, { "x-api-key": made.key });
    const notified = (name: Name): string[] =>
      receiver.requests
        .map((request) => verified(request, made.secret).data)
        .filter(({ blockchain }) => blockchain === name)
        .map(({ amount }) => amount);
    const untilNotified = (name: Name, count: number) =>
      waitForCount(() => notified(name).length, count, { what: `those of ${name}`, timeoutMs });
    return { api, notified, untilNotified };
  }

  async function deposit(name: Name, units: number): Promise<void> {
    const { anvil } = chains[name];
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: BigInt(units) * 10n ** 18n });
    await anvil.mine(2);
  }

  it("finds, confirms and notifies on the healthy one while the others hang, change and reorganise", async () => {
    const { api, notified, untilNotified } = await customer();
    for (const name of names) await deposit(name, 1);
    for (const name of names) await untilNotified(name, 1);

    const other = await startAnvil({ args: ["--chain-id", "31339", "--timestamp", "1"] });
    ends.push(other.stop);
    chains.hanging.proxy.misbehave(() => "hang");
    chains.swapped.proxy.retarget(other.rpcUrl);
    for (let units = 2; units <= 11; units += 1) {
      await deposit("sound", units);
      await chains.reorganising.anvil.reorg(2);
    }
    await untilNotified("sound", 11);
    await untilStatus(
      "the swapped chain to be stopped, and the hanging one's endpoint to fail",
      (shown) =>
        shown.every(
          ({ name, stopped, endpoints }) =>
            (stopped !== null) === (name === "swapped") &&
            (name !== "hanging" || endpoints?.[0]?.last_error === "it took too long"),
        ),
    );

    await deposit("hanging", 2);
    await deposit("reorganising", 2);
    chains.hanging.proxy.misbehave(null);
    chains.swapped.proxy.retarget(chains.swapped.anvil.rpcUrl);
    await deposit("swapped", 2);
    for (const name of ["hanging", "swapped", "reorganising"] as const)
      await untilNotified(name, 2);

    // A wallet is left out of the balance until its opening has been read, which nobody waits for.
    await waitFor(async () => (await api.call("GET", "/balance")).body.syncing_wallets === 0, {
      what: "every opening to be read",
      timeoutMs,
    });
    expect((await api.call("GET", "/balance")).body.assets).toEqual({ ETH: 66 + 3 + 3 + 3 });
    const sound = notified("sound").map(Number);
    expect(sound.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const name of ["hanging", "swapped", "reorganising"] as const)
      expect(notified(name).map(Number).sort()).toEqual([1, 2]);
  });
});
