import { expect, it } from "vitest";
import { checkLedger } from "../../src/ledger/evidence/check-ledger.ts";
import { client } from "../support/api/api-client.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { announcedIds } from "../support/delivery/announced-ids.ts";
import { startReceiver } from "../support/delivery/receiver.ts";
import { eachTest } from "../support/each-test.ts";
import {
  archiveAll,
  openArchivedCluster,
  restoreBackup,
  takeBaseBackup,
} from "../support/ledger/base-backup.ts";
import type { Cluster } from "../support/ledger/cluster.ts";
import { databaseUrl } from "../support/ledger/databases.ts";
import { type Customer, createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { runCli } from "../support/process/run-cli.ts";
import { createResources } from "../support/resources.ts";

/** Deposits at a time. */
const each = 8;

const resources = eachTest(
  async () => createResources(),
  ({ end }) => end(),
);

it("a database restored to an instant announces the rest once more, and nothing under two ids", async () => {
  const { open } = resources;
  const anvil = await open(startAnvil({}), (one) => one.stop());
  const receiver = await open(startReceiver(), (one) => one.stop());
  const lost = await open(openArchivedCluster(), (one) => one.end());
  const shared = deploymentOf({
    databaseUrl: databaseUrl(lost.adminUrl, "chainbell"),
    // The queue is in PostgreSQL, and so in the backup.
    redisUrl: null,
    chains: [{ name: "anvil", rpcUrl: anvil.rpcUrl, confirmations: 2 }],
    receiverPorts: [receiver.port],
  });
  const deposit = async () => {
    for (let sent = 0; sent < each; sent += 1) {
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
    }
  };

  const first = await startDaemon(shared);
  const addresses = [wallet];
  const customer = await createCustomer({ ...first, blockchain: "anvil", addresses, receiver });
  await deposit();
  // The daemon works on while the files are copied.
  const depositing = deposit();
  const backup = await takeBaseBackup(lost);
  await depositing;
  await anvil.mine(2);
  await receiver.waitForCount(2 * each);
  const instant = await clockOf(first.db);
  await deposit();
  await anvil.mine(2);
  await receiver.waitForCount(3 * each);
  const known = await transactionsOf(customer);
  expect(known).toHaveLength(3 * each);
  await first.stop();
  await archiveAll(lost);

  const restored = await open(restoreBackup(backup, instant), (one) => one.end());
  const deployment = restoredTo(shared, restored);
  const recovery = await runCli(deployment, "restore", "check", "--since", instant.toISOString());
  expect(recovery).toMatchObject({ status: 0, said: { data: { same_ids: true } } });
  const second = await startDaemon(deployment);
  try {
    await receiver.waitForCount(4 * each);
    const api = client(second.url, { "x-api-key": customer.key });
    expect(await transactionsOf({ api })).toEqual(known);
    expect((await checkLedger(second.db)).findings).toEqual([]);
  } finally {
    await second.stop();
  }
  const idsOf = announcedIds(receiver, customer);
  expect([...idsOf.keys()].sort()).toEqual(known.map(({ id }) => id).sort());
  expect([...idsOf.values()].filter((ids) => ids.size !== 1)).toEqual([]);
});

type Shared = ReturnType<typeof deploymentOf>;

function restoredTo(shared: Shared, { adminUrl }: Cluster): Shared {
  const url = databaseUrl(adminUrl, "chainbell");
  return { ...shared, settings: { ...shared.settings, databaseUrl: url } };
}

async function clockOf(db: Awaited<ReturnType<typeof startDaemon>>["db"]): Promise<Date> {
  const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
  return row?.now ?? expect.fail();
}

async function transactionsOf({ api }: Pick<Customer, "api">) {
  const rows: { id: string; tx_hash: string; amount: string; status: string }[] =
    await api.get("/transactions?limit=500");
  return rows.map(({ id, tx_hash, amount, status }) => ({ id, tx_hash, amount, status }));
}
