import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../support/chain/anvil.ts";
import { shownWallet as wallet } from "../support/chain/cast.ts";
import { deployToken, type TestToken } from "../support/chain/token.ts";
import { type Receiver, startReceiver } from "../support/delivery/receiver.ts";
import { createCheckedDatabase } from "../support/ledger/checked-database.ts";
import type { TestDatabase } from "../support/ledger/postgres.ts";
import { type Customer, createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";

const [payer, other] = ANVIL_ACCOUNTS;

describe("a business on a chain that is reorganised", () => {
  let anvil: Anvil;
  let database: TestDatabase;
  let receiver: Receiver;
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let token: TestToken;
  let customer: Customer;

  beforeEach(async () => {
    anvil = await startAnvil({ args: ["--order", "fifo"] });
    token = await deployToken(anvil);
    await token.mint(payer, 1_000_000n);
    await token.mint(other, 1_000_000n);
    database = await createCheckedDatabase();
    receiver = await startReceiver();
    const chain = { name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 3, tokens: [token.asset] };
    const settings = {
      databaseUrl: database.url,
      redisUrl: inject("redisUrl"),
      chains: [chain],
      receiverPorts: [receiver.port],
    };
    daemon = await startDaemon(deploymentOf(settings));
    await waitFor(
      async () => (await daemon.admin.get("/admin/status")).chains[0].position !== null,
      {
        what: "the chain to be started",
        timeoutMs: 10_000,
      },
    );
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

  afterEach(async () => {
    await daemon.stop();
    await receiver.stop();
    await database.drop();
    await anvil.stop();
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
    const head = await anvil.blockNumber();
    await waitFor(
      async () => {
        const status = await daemon.admin.get("/admin/status");
        return status.chains[0].position === head && status.outbox.waiting === 0;
      },
      { what: "everything to be processed and heard", timeoutMs: 15_000 },
    );
  };

  it("sees a pending deposit that is gone become dropped, without a notification", async () => {
    await token.transfer(payer, wallet, 5n);
    const [pending] = await historyShows("pending");
    await anvil.reorg(1);
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
    await token.transfer(payer, wallet, 5n);
    await anvil.mine(2);
    const [completed] = await historyShows("completed");
    await receiver.waitForCount(1);
    await anvil.reorg(3);
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
    const first = await token.transfer(payer, wallet, 5n);
    await anvil.mine(2);
    const [before] = await historyShows("completed");
    await receiver.waitForCount(1);
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", first);

    // The same signed transaction, now behind another one's log in the same block.
    await anvil.rollback(3);
    await anvil.setAutomine(false);
    await token.send(other, payer, 1n);
    await anvil.sendRaw(raw);
    await anvil.mine(1);
    await anvil.setAutomine(true);
    await anvil.mine(3);
    await settled();
    const receipt = await anvil.receipt(first);
    expect(receipt.logs[0]?.logIndex).toBe("0x1");
    const [after] = await historyShows("completed");
    expect(after.id).toBe(before.id);
    const detail = await customer.api.get(`/transactions/${after.id}`);
    expect(detail).toMatchObject({ log_index: 1, block_hash: receipt.blockHash });
    expect(notified()).toHaveLength(1);
  });

  it("is notified again, under the same transaction id, of a deposit that is included again after its reversal", async () => {
    const hash = await token.transfer(payer, wallet, 5n);
    await anvil.mine(2);
    const [before] = await historyShows("completed");
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await anvil.reorg(3);
    await historyShows("reversed");
    await anvil.sendRaw(raw);
    await historyShows("pending");
    await anvil.mine(2);
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
