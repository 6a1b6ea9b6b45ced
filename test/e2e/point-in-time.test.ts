import { expect, it, onTestFinished } from "vitest";
import { consume, type FeedGap } from "../../packages/webhooks/src/feed/consume.ts";
import { checkLedger } from "../../src/ledger/evidence/check-ledger.ts";
import { client } from "../support/api/api-client.ts";
import { startAnvil } from "../support/chain/anvil.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { announcedIds } from "../support/delivery/announced-ids.ts";
import { startReceiver } from "../support/delivery/receiver.ts";
import { eachTest } from "../support/each-test.ts";
import {
  archiveAll,
  type BaseBackup,
  openArchivedCluster,
  restoreBackup,
  startBackup,
  takeBaseBackup,
} from "../support/ledger/base-backup.ts";
import type { Cluster } from "../support/ledger/cluster.ts";
import { databaseUrl } from "../support/ledger/databases.ts";
import { type Customer, createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentOf } from "../support/process/deployment.ts";
import { runCli } from "../support/process/run-cli.ts";
import { createResources } from "../support/resources.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";

/** Deposits at a time. */
const each = 8;

const resources = eachTest(
  async () => createResources(),
  ({ end }) => end(),
);

const restores = [
  { how: "restored to an instant", restore: restoreBackup },
  { how: "started from a backup without recovery.signal", restore: startBackup },
] satisfies { how: string; restore: (backup: BaseBackup, instant: Date) => Promise<Cluster> }[];

it.each(restores)(
  "a database $how announces the rest once more, and nothing under two ids: receivers and consumers of the feed have exactly the ledger",
  async ({ restore }) => {
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
    const consumer = createConsumer(customer.key);
    consumer.follow(first.url);
    await deposit();
    // The daemon works on while the files are copied.
    const depositing = deposit();
    const backup = await takeBaseBackup(lost);
    await depositing;
    await anvil.mine(2);
    await receiver.waitForCount(2 * each);
    // What is being sent at the instant would be sent again a minute later, when its claim ends.
    await delivered(first, 2 * each);
    const instant = await clockOf(first.db);
    await deposit();
    await anvil.mine(2);
    await receiver.waitForCount(3 * each);
    await consumer.hasHandled(3 * each);
    const known = await transactionsOf(customer);
    expect(known).toHaveLength(3 * each);
    await consumer.stop();
    await first.stop();
    await archiveAll(lost);

    const restored = await open(restore(backup, instant), (one) => one.end());
    const deployment = restoredTo(shared, restored);
    const recovery = await runCli(deployment, "restore", "check", "--since", instant.toISOString());
    expect(recovery).toMatchObject({ status: 0, said: { data: { same_ids: true } } });
    const second = await startDaemon(deployment);
    try {
      consumer.follow(second.url);
      // What nobody has heard of before comes too.
      await deposit();
      await anvil.mine(2);
      await delivered(second, 4 * each);
      await consumer.hasHandled(4 * each);
      await consumer.stop();
      const api = client(second.url, { "x-api-key": customer.key });
      const now = await transactionsOf({ api });
      expect(now.slice(-known.length)).toEqual(known);
      expect((await checkLedger(second.db)).findings).toEqual([]);
      const written = await second.db.notification.findMany({ select: { id: true } });
      expect(consumer.handled().sort()).toEqual(written.map(({ id }) => id).sort());
      expect(consumer.gaps().filter((kind) => kind !== "restored")).toEqual([]);
      const idsOf = announcedIds(receiver, customer);
      expect([...idsOf.keys()].sort()).toEqual(now.map(({ id }) => id).sort());
      expect([...idsOf.values()].filter((ids) => ids.size !== 1)).toEqual([]);
    } finally {
      await second.stop();
    }
  },
);

/** A consumer of the feed, whose store leaves out the ids that it has. */
function createConsumer(apiKey: string) {
  const handled = new Set<string>();
  const gaps: FeedGap["kind"][] = [];
  let cursor: string | null = null;
  let stop = async () => {};
  onTestFinished(() => stop());
  return {
    /** Goes on where it was, at this address, until it is stopped. */
    follow(url: string): void {
      const abort = new AbortController();
      const ended = consume({
        url,
        apiKey,
        waitSec: 1,
        signal: abort.signal,
        onGap: ({ kind }) => gaps.push(kind),
        store: {
          read: async () => cursor,
          async commit(page) {
            for (const { id } of page.notifications) handled.add(id);
            cursor = page.cursor;
          },
        },
      });
      stop = () => {
        abort.abort();
        return ended;
      };
    },
    stop: () => stop(),
    handled: () => [...handled],
    gaps: () => gaps,
    hasHandled: (count: number) =>
      waitForCount(() => handled.size, count, {
        what: "notifications of the feed",
        timeoutMs: 60_000,
      }),
  };
}

/** Waits until so many deliveries are on record as done. */
async function delivered({ db }: Awaited<ReturnType<typeof startDaemon>>, count: number) {
  const isSo = async () => (await db.delivery.count({ where: { status: "delivered" } })) === count;
  await waitFor(isSo, { what: "everything to be delivered", timeoutMs: 120_000 });
}

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
