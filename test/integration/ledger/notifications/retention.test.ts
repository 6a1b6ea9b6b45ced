import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { beginRecovery } from "../../../../src/ledger/deliveries/recover.ts";
import { pruneNotifications } from "../../../../src/ledger/notifications/prune-notifications.ts";
import { readFeed } from "../../../../src/ledger/notifications/read-feed.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness, newWallet, testChain } from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, registerWebhook } from "../../../support/ledger/steps.ts";
import { writtenChain } from "../../../support/ledger/written-chain.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { heldOpen, isSomeoneWaiting } from "../deliveries/ordered.ts";

const ledger = eachTestLedger();

const dayMs = 86_400_000;

it("removes no notification that a recovery queues again at the same time", async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const url = "https://a.example/";
  const { webhook } = await registerWebhook(db, { businessId, url, secretCiphertext: "sealed" });
  const since = new Date(Date.now() - 9 * dayMs);
  const insert = async (status: string) => {
    const id = randomUUID();
    await db.notification.create({
      data: {
        id,
        businessId,
        state: "confirmed",
        event: "transaction.deposit",
        body: "{}",
        createdAt: since,
      },
    });
    await db.delivery.create({
      data: { id: randomUUID(), notificationId: id, businessId, webhookId: webhook.id, status },
    });
    return id;
  };
  const recovered = await insert("exhausted");
  await insert("delivered");
  const held = await heldOpen(ledger, (tx) =>
    beginRecovery(tx, { businessId, webhookId: webhook.id }, { since, until: null }),
  );
  const pruned = pruneNotifications(db, { olderThanMs: dayMs, limit: 100 });
  await waitFor(() => isSomeoneWaiting(ledger), {
    what: "retention that waits for the recovery",
    timeoutMs: 10_000,
  });
  await held.commit();
  expect(await pruned).toBe(1);
  const left = await db.delivery.findMany({ select: { notificationId: true, status: true } });
  expect(left).toEqual([{ notificationId: recovered, status: "waiting" }]);
});

it("leaves the feed everything from the oldest that is kept on", async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const wallet = newWallet();
  const [added] = await addWallets(db, { businessId, wallets: [wallet] });
  const chain = await writtenChain(db, testChain.name);
  const to = { businessId, walletId: added?.id ?? "", address: wallet.address };
  for (const deposits of [[to], [to], [to], [to], [], []]) await chain.commit(deposits);
  await db.$executeRaw`
    UPDATE delivery d SET status = 'delivered', delivered_at = now() FROM notification n
    WHERE n.id = d.notification_id AND n.sequence <> 2`;
  await db.$executeRaw`UPDATE delivery SET created_at = now() - interval '9 days'`;
  await db.$executeRaw`UPDATE notification SET created_at = now() - interval '9 days'`;
  expect(await pruneNotifications(db, { olderThanMs: dayMs, limit: 100 })).toBe(1);
  const page = await readFeed(db, { businessId, after: null, filter: null, limit: 50 });
  const places = page.kind === "page" ? page.entries.map(({ place }) => place.sequence) : [];
  expect(places).toEqual([2, 3, 4]);
});
