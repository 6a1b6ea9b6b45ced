import { randomUUID } from "node:crypto";
import type { Attempt } from "../../../../src/domain/delivery/attempt.ts";
import type { ClaimedDelivery } from "../../../../src/domain/delivery/claim.ts";
import { lockChain } from "../../../../src/ledger/chain/chain-state.ts";
import { beginClaims } from "../../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { giveBackClaim } from "../../../../src/ledger/deliveries/give-back-claim.ts";
import { recordAttempts } from "../../../../src/ledger/deliveries/record-attempts.ts";
import { findWronglyDue } from "../../../../src/ledger/evidence/check-due.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { notify } from "../../../../src/ledger/notifications/notify.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction, type Tx } from "../../../../src/ledger/postgres/transaction.ts";
import { readTransactionsThat } from "../../../../src/ledger/transactions/move-transactions.ts";
import { gate } from "../../../support/gate.ts";
import {
  insertBusiness,
  insertTransaction,
  newWallet,
  type TestLedger,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, addWebhook, registerWebhook } from "../../../support/ledger/steps.ts";
import { limits } from "./seed.ts";

export type Outcome = "accepted" | "retry" | "exhausted";

/** A send: the wallet, and the place of its deposit among those of the wallet, from 0. */
export type Sent = { send: ClaimedDelivery; walletId: string; place: number };

export type Ordered = Awaited<ReturnType<typeof openOrdered>>;

/** Has a transaction look at its lines now, and hold their locks until it ends. */
export const lookNow = (tx: Tx) => tx.$executeRaw`SET CONSTRAINTS ALL IMMEDIATE`;

/** True if a connection waits for a lock of another one. */
export async function isSomeoneWaiting({ db }: Pick<TestLedger, "db">): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return rows.length > 0;
}

/** Runs statements in a transaction, which is committed by `commit`. */
export async function heldOpen(
  { db }: Pick<TestLedger, "db">,
  statements: (tx: Tx) => Promise<unknown>,
) {
  const [written, committed] = [gate(), gate()];
  const over = inTransaction(db, async (tx) => {
    await statements(tx);
    written.open();
    await committed.isOpen;
  });
  await Promise.race([written.isOpen, over]);
  const commit = () => {
    committed.open();
    return over;
  };
  return { commit };
}

/** A business with wallets, and a dispatcher with many slots. */
export async function openOrdered({ db }: Pick<TestLedger, "db">, wallets: number) {
  const businessId = await insertBusiness(db);
  await addWallets(db, { businessId, wallets: Array.from({ length: wallets }, () => newWallet()) });
  const rows = await db.wallet.findMany({ where: { businessId }, orderBy: { id: "asc" } });
  const walletIds = rows.map(({ id }) => id);
  await db.dispatcher.create({ data: { id: randomUUID(), slots: 1_000, seenAt: new Date() } });
  /** The deposits of each wallet in the order of the ledger, by transaction. */
  const places = new Map<string, { walletId: string; place: number }>();
  const counts = new Map<string, number>();
  const registration = (url: string) => ({ businessId, url, secretCiphertext: `sealed ${url}` });
  /** Of a receiver that is known to answer. */
  const known = async (id: string) => {
    await db.webhook.update({ where: { id }, data: { answeredAt: new Date() } });
    return id;
  };

  /** Confirmed deposits to wallets, written and announced as by one block. */
  async function deposit(to: string[], before?: (tx: Tx) => Promise<void>): Promise<void> {
    const ids: string[] = [];
    for (const [ordinal, walletId] of to.entries())
      ids.push(await insertTransaction(db, { walletId, status: "completed", ordinal }));
    await inTransaction(db, async (tx) => {
      const [chain] = await tx.$queryRaw<{ name: string }[]>`
          SELECT chain_name AS name FROM transaction WHERE id = ${ids[0]}::uuid`;
      await lockChain(tx, chain?.name ?? "");
      const confirmed = await readTransactionsThat(tx, Prisma.sql`id = ANY(${ids}::uuid[])`);
      await notify(tx, { confirmed });
      await before?.(tx);
      for (const { id, walletId } of confirmed) {
        const place = counts.get(walletId) ?? 0;
        places.set(id, { walletId, place });
        counts.set(walletId, place + 1);
      }
    });
  }

  return {
    db,
    businessId,
    walletIds,
    counts,

    first: async (url = "https://first.example/", order = {}) =>
      known((await registerWebhook(db, { ...registration(url), ...order })).webhook.id),

    add: async (url: string, order = {}) =>
      known((await addWebhook(db, { ...registration(url), ...order, most: 16 })).webhook.id),

    deposit: (...to: string[]) => deposit(to),

    /** The same, committed once `before` is over. */
    depositAfter: (before: (tx: Tx) => Promise<void>, ...to: string[]) => deposit(to, before),

    /** Claims what is due and begins to send it. */
    async begin(inFlight = 1_000): Promise<Sent[]> {
      // On a busy machine a test takes longer than a dispatcher may be silent.
      await db.dispatcher.updateMany({ data: { seenAt: new Date() } });
      const claims = await claimDeliveries(db, { ...limits, inFlight });
      const tokens = claims.map(({ token }) => token);
      const sends = await beginClaims(statementsOf(db).$queryRaw, { tokens, leaseLeftMs: 20_000 });
      // A webhook that was paused in between begins none of its claims.
      await giveBackClaim(db, { tokens });
      return sends
        .map((send) => ({ send, ...placeOf(send, places) }))
        .sort((a, b) => Number(a.send.deliveryId > b.send.deliveryId) - 0.5);
    },

    record: async (sent: readonly Sent[], outcome: Outcome, delayMs = 60_000) =>
      recordAttempts(
        db,
        sent.map(({ send }) => attemptOf(send, outcome, delayMs)),
      ),

    /** What `ledger check` finds of what is due. */
    wrong: () => findWronglyDue(db),
  };
}

function placeOf(
  { transactionId }: ClaimedDelivery,
  places: ReadonlyMap<string, { walletId: string; place: number }>,
) {
  return places.get(transactionId ?? "") ?? { walletId: "unknown", place: -1 };
}

function attemptOf(send: ClaimedDelivery, outcome: Outcome, delayMs: number): Attempt {
  return {
    ...send,
    startedAt: new Date(),
    latencyMs: 12,
    result: {
      kind: "answered",
      statusCode: outcome === "accepted" ? 200 : 500,
      retryAfterMs: null,
      response: "",
    },
    outcome: outcome === "accepted" ? "accepted" : "retry",
    next: outcome === "exhausted" ? { kind: "exhausted" } : { kind: "retry", delayMs },
  };
}
