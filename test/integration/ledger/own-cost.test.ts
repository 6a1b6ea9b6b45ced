import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { SessionOrigin, SessionSubject } from "../../../src/domain/console/session.ts";
import { moveBalances, type ThresholdEntries } from "../../../src/ledger/balances/move-balances.ts";
import { beginSession } from "../../../src/ledger/console/sessions.ts";
import { notifyCrossings } from "../../../src/ledger/notifications/notify-crossings.ts";
import { inTransaction, type Tx } from "../../../src/ledger/postgres/transaction.ts";
import { setThresholds } from "../../../src/ledger/watchlist/thresholds.ts";
import { changeWebhook } from "../../../src/ledger/webhooks/change-webhook.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";
import { insertBusiness, newWallet, testChain } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, registerWebhook } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";

// What one business has gathered over time costs no other one anything.

const ledger = eachTestLedger();
let businessId: string;
let stranger: string;
let to: { businessId: string; walletId: string; address: string };

beforeEach(async () => {
  const { db } = ledger;
  [businessId, stranger] = [await insertBusiness(db), await insertBusiness(db, "Other Ltd")];
  const wallet = newWallet();
  const [added] = await addWallets(db, { businessId, wallets: [wallet] });
  to = { businessId, walletId: added?.id ?? "", address: wallet.address };
});

const many = 5_000;

/** The rows of a table that a piece of work reads. */
function readBy(table: string, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  return inTransaction(ledger.db, async (tx) => {
    await work(tx);
    const [row] = await tx.$queryRaw<{ rows: number }[]>`
      SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = ${table}`;
    return row?.rows ?? 0;
  });
}

test("a commit and a change read the thresholds in force, and not those that have ended", async () => {
  const { db } = ledger;
  const chain = await writtenChain(db, testChain.name);
  await db.$executeRaw`UPDATE balance SET opening = 0`;
  await chain.commit([{ ...to, effectAtomic: 10n }]);
  const { id: transactionId, assetId, blockNumber } = await db.transaction.findFirstOrThrow();
  await db.$executeRaw`
    INSERT INTO threshold (wallet_id, asset_id, below, restored_from, since, crossings, ended_at)
    SELECT ${to.walletId}::uuid, ${assetId}, n, n, now(), 1, now() FROM generate_series(1, ${many}::int) n`;
  await db.$executeRaw`ANALYZE threshold`;
  const limit = { assetCode: "ETH", below: "1", restoredFrom: null };
  const read = await readBy("threshold", async (tx) => {
    await setThresholds(tx, { ...to, thresholds: [limit] });
    const entry = { ...to, transactionId, assetId, blockNumber, effectAtomic: 10n ** 18n };
    const touched: ThresholdEntries = [];
    const entries = [{ ...entry, kind: "confirmation" as const }];
    await moveBalances(tx, { entries, pending: [] }, touched);
    await notifyCrossings(tx, testChain.name, touched);
  });
  expect(read).toBeLessThan(100);
  const told = await db.notification.findMany({ where: { state: { in: ["below", "restored"] } } });
  expect(told.map(({ state }) => state).sort()).toEqual(["below", "restored"]);
});

test.each<[whose: string, begun: () => { subject: SessionSubject; origin: SessionOrigin }]>([
  [
    "a business",
    () => ({
      subject: { kind: "business", businessId, role: "viewer" },
      origin: { way: "link", madeBy: "ops", keyId: null },
    }),
  ],
  [
    "an operator",
    () => ({
      subject: { kind: "operator", role: "operator" },
      origin: { way: "admin_token", name: "ops", credential: "c" },
    }),
  ],
])("a session of %s that begins reads none of another business", async (_whose, begun) => {
  const { db } = ledger;
  const at = new Date();
  const expiresAt = new Date(at.getTime() + 3_600_000);
  await db.$executeRaw`
    INSERT INTO console_session (id, digest, business_id, role, way, holder, address, created_at, seen_at, expires_at)
    SELECT gen_random_uuid(), n::text, ${stranger}::uuid, 'viewer', 'link', 'ops', '', ${at}, ${at}, ${expiresAt}
    FROM generate_series(1, ${many}::int) n`;
  await db.$executeRaw`ANALYZE console_session`;
  const session = { id: randomUUID(), digest: "d", address: "203.0.113.7", at, ...begun() };
  const read = await readBy("console_session", (tx) => beginSession(tx, session));
  expect(read).toBeLessThan(100);
});

test("a webhook that is activated reads no line of another business", async () => {
  const { db } = ledger;
  const registration = { url: "https://a.example/", secretCiphertext: "sealed" };
  const ordered = { ...registration, businessId: stranger, isOrdered: true };
  const { webhook: other } = await registerWebhook(db, ordered);
  await db.$executeRaw`
    WITH written AS (
      INSERT INTO notification (id, business_id, state, event, body)
      SELECT gen_random_uuid(), ${stranger}::uuid, 'confirmed', 'transaction.deposit', '{"data":{}}'
      FROM generate_series(1, ${many}::int) RETURNING id
    )
    INSERT INTO delivery (id, notification_id, business_id, webhook_id, wallet_id, is_behind)
    SELECT gen_random_uuid(), id, ${stranger}::uuid, ${other.id}::uuid, ${to.walletId}::uuid, true FROM written`;
  await db.$executeRaw`ANALYZE delivery`;
  const { webhook } = await registerWebhook(db, { ...registration, businessId });
  const name = { businessId, webhookId: webhook.id };
  const read = await readBy("delivery", (tx) => changeWebhook(tx, name, { isActive: true }));
  expect(read).toBeLessThan(100);
});
