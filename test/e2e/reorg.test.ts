import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { ANVIL_ACCOUNTS, startAnvil } from "../support/chain/anvil.ts";
import { deployToken } from "../support/chain/token.ts";
import { type Receiver, startReceivers } from "../support/delivery/receiver.ts";
import { allTests } from "../support/each-test.ts";
import { createCheckedDatabase } from "../support/ledger/checked-database.ts";
import { type Customer, createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";

const [payer, other] = ANVIL_ACCOUNTS;

/** A daemon on a chain with a token, and a receiver for each test. */
async function startScene() {
  const { open, end } = createResources();
  try {
    const anvil = await open(startAnvil({ args: ["--order", "fifo"] }), (one) => one.stop());
    const token = await deployToken(anvil);
    await token.mint(payer, 1_000_000n);
    await token.mint(other, 1_000_000n);
    const database = await open(createCheckedDatabase(), (one) => one.drop());
    const receivers = await open(startReceivers(4), (all) => all.stop());
    const chain = { name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 3, tokens: [token.asset] };
    const settings = {
      databaseUrl: database.url,
      redisUrl: inject("redisUrl"),
      chains: [chain],
      receiverPorts: receivers.ports,
    };
    const daemon = await open(startDaemon(deploymentOf(settings)), (one) => one.stop());
    await waitFor(
      async () => (await daemon.admin.get("/admin/status")).chains[0].position !== null,
      { what: "the chain to be started", timeoutMs: 10_000 },
    );
    return { anvil, token, daemon, receivers, end };
  } catch (error) {
    await end();
    throw error;
  }
}

describe("a business on a chain that is reorganised", () => {
  const scene = allTests(startScene, (one) => one.end());
  /** Of a business of its own for each test. */
  let wallet: string;
  let receiver: Receiver;
  let customer: Customer;

  beforeEach(async () => {
    const { anvil, daemon } = scene;
    wallet = `0x${randomBytes(20).toString("hex")}`;
    receiver = scene.receivers.take();
    customer = await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [wallet],
      receiver,
    });
    // Before anything is reorganised, see Anvil's `reorg`.
    await anvil.mine(3);
    await waitFor(
      async () => (await customer.api.call("GET", "/balance")).body.syncing_wallets === 0,
      { what: "the opening balance to be read", timeoutMs: 10_000 },
    );
  });

  const history = () => customer.api.get("/transactions");
  const historyShows = (...statuses: string[]) =>
    waitFor(
      async () => {
        const shown = await history();
        const seen = shown.map((row: { status: string }) => row.status);
        if (JSON.stringify(seen) !== JSON.stringify(statuses))
          throw new Error(JSON.stringify(seen));
        return shown;
      },
      { what: `the history to show ${statuses.join(", ")}`, timeoutMs: 15_000 },
    );
  const notified = () => receiver.requests.map((request) => verified(request, customer.secret));
  /** Once the daemon has processed everything there is, and everything due has been heard. */
  const settled = async () => {
    const head = await scene.anvil.blockNumber();
    await waitFor(
      async () => {
        const status = await scene.daemon.admin.get("/admin/status");
        return status.chains[0].position === head && status.outbox.waiting === 0;
      },
      { what: "everything to be processed and heard", timeoutMs: 15_000 },
    );
  };

  it("sees a pending deposit that is gone become dropped, without a notification", async () => {
    await scene.token.transfer(payer, wallet, 5n);
    const [pending] = await historyShows("pending");
    await scene.anvil.reorg(1);
    const [dropped] = await historyShows("dropped");
    expect(dropped.id).toBe(pending.id);
    await settled();
    expect(notified()).toEqual([]);
    expect((await customer.api.call("GET", "/balance")).body).toMatchObject({
      assets: {},
      pending: {},
    });
  });

  it("sees a completed deposit that is gone become reversed, with the notification that it undoes", async () => {
    await scene.token.transfer(payer, wallet, 5n);
    await scene.anvil.mine(2);
    const [completed] = await historyShows("completed");
    await receiver.waitForCount(1);
    await scene.anvil.reorg(3);
    const [reversed] = await historyShows("reversed");
    await receiver.waitForCount(2);
    const [confirmation, reversal] = notified();
    expect(reversed.id).toBe(completed.id);
    expect(confirmation).toMatchObject({
      event: "transaction.deposit",
      data: { status: "confirmed" },
    });
    expect(reversal).toMatchObject({
      event: "transaction.reversed",
      data: {
        status: "reversed",
        transactionId: completed.id,
        reversesNotificationId: confirmation.id,
      },
    });
    expect((await customer.api.call("GET", "/balance")).body.assets).toEqual({});
  });

  it("gets no notification when the new branch has the same transactions at other log indexes", async () => {
    const first = await scene.token.transfer(payer, wallet, 5n);
    await scene.anvil.mine(2);
    const [before] = await historyShows("completed");
    await receiver.waitForCount(1);
    const raw = await scene.anvil.rpc<string>("eth_getRawTransactionByHash", first);

    // The same signed transaction, now behind another one's log in the same block.
    await scene.anvil.rollback(3);
    await scene.anvil.setAutomine(false);
    await scene.token.send(other, payer, 1n);
    await scene.anvil.sendRaw(raw);
    await scene.anvil.mine(1);
    await scene.anvil.setAutomine(true);
    await scene.anvil.mine(3);
    await settled();
    const receipt = await scene.anvil.receipt(first);
    expect(receipt.logs[0]?.logIndex).toBe("0x1");
    const [after] = await historyShows("completed");
    expect(after.id).toBe(before.id);
    const detail = await customer.api.get(`/transactions/${after.id}`);
    expect(detail).toMatchObject({ log_index: 1, block_hash: receipt.blockHash });
    expect(notified()).toHaveLength(1);
  });

  it("is notified again, under the same transaction id, of a deposit that is included again after its reversal", async () => {
    const hash = await scene.token.transfer(payer, wallet, 5n);
    await scene.anvil.mine(2);
    const [before] = await historyShows("completed");
    const raw = await scene.anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await scene.anvil.reorg(3);
    await historyShows("reversed");
    await scene.anvil.sendRaw(raw);
    await historyShows("pending");
    await scene.anvil.mine(2);
    const [after] = await historyShows("completed");
    expect(after.id).toBe(before.id);
    await receiver.waitForCount(3);
    await settled();
    const events = notified();
    expect(events.map(({ event }) => event)).toEqual([
      "transaction.deposit",
      "transaction.reversed",
      "transaction.deposit",
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    expect(new Set(events.map(({ data }) => data.transactionId))).toEqual(new Set([before.id]));
    expect((await customer.api.call("GET", "/balance")).body.assets).toEqual({ TST: 0.000005 });
  });
});
