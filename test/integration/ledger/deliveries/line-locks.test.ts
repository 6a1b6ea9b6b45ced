import { expect, it } from "vitest";
import { newApiKey, recordOfApiKey } from "../../../../src/domain/business/api-key.ts";
import { createApiKey } from "../../../../src/ledger/businesses/api-keys.ts";
import { lockChain } from "../../../../src/ledger/chain/chain-state.ts";
import { beginRecovery } from "../../../../src/ledger/deliveries/recover.ts";
import { findWronglyDue } from "../../../../src/ledger/evidence/check-due.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { notify } from "../../../../src/ledger/notifications/notify.ts";
import { inTransaction, type Tx } from "../../../../src/ledger/postgres/transaction.ts";
import { readTransactionsThat } from "../../../../src/ledger/transactions/move-transactions.ts";
import { changeWebhook } from "../../../../src/ledger/webhooks/change-webhook.ts";
import { gate } from "../../../support/gate.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertTransaction,
  newWallet,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../../../support/ledger/steps.ts";
import { createRandom, type Random } from "../../../support/random.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { heldOpen, isSomeoneWaiting, lookNow, openOrdered } from "./ordered.ts";

const ledger = eachTestLedger();

type Step = (tx: Tx) => Promise<unknown>;

/** A business whose webhook asks for the order, and what happens to its lines. */
type Business = Awaited<ReturnType<typeof openBusiness>>;

async function openBusiness() {
  const world = await openOrdered(ledger, 2);
  const webhookId = await world.first(undefined, { isOrdered: true });
  return { ...world, name: { businessId: world.businessId, webhookId } };
}

/** Two businesses. Lines share 256 locks, and theirs share none. */
async function openTwo(): Promise<[Business, Business]> {
  for (;;) {
    const [first, second] = [await openBusiness(), await openBusiness()];
    const parts = await ledger.db.$queryRaw<unknown[]>`
      SELECT DISTINCT uuid_hash(id) & 255
      FROM unnest(${[first.businessId, second.businessId]}::uuid[]) AS id`;
    if (parts.length === 2) return [first, second];
  }
}

const recovered = (business: Business): Step => {
  const include = ["exhausted" as const, "waiting" as const];
  return (tx) => beginRecovery(tx, business.name, { since: new Date(0), until: null, include });
};

const changed =
  (business: Business, isOrdered: boolean): Step =>
  (tx) =>
    changeWebhook(tx, business.name, { isOrdered });

/** Records of what is under way to these businesses, as the dispatcher writes them together. */
const recorded =
  (status: "delivered" | "exhausted", ...businesses: Business[]): Step =>
  (tx) =>
    tx.$executeRaw`
    WITH held AS (
      SELECT id FROM delivery WHERE claim_token IS NOT NULL
        AND business_id = ANY(${businesses.map(({ businessId }) => businessId)}::uuid[])
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE delivery d SET status = ${status}, wallet_id = NULL, claim_token = NULL, claim_expires_at = NULL, begun_at = NULL
    FROM held WHERE d.id = held.id`;

/** Sees that a commit ends before that of another transaction, and ends that one. */
async function commitsUnhindered(
  commit: Promise<void>,
  held: { commit: () => Promise<void> },
): Promise<void> {
  let isCommitted = false;
  const over = commit.then(() => {
    isCommitted = true;
  });
  try {
    await waitFor(async () => isCommitted || (await isSomeoneWaiting(ledger)), {
      what: "the commit of a block",
      timeoutMs: 10_000,
    });
    expect(isCommitted).toBe(true);
  } finally {
    await Promise.all([held.commit(), over]);
  }
}

it.each([
  ["a recovery", recovered],
  ["a change of the webhook", (business: Business) => changed(business, false)],
  ["a record", (business: Business) => recorded("delivered", business)],
])("holds up no commit that pays another business while %s is not committed", async (_, what) => {
  const [one, other] = await openTwo();
  const [wallet = ""] = one.walletIds;
  // Of one line one was given up, one is under way, and one is behind.
  await one.deposit(wallet, wallet, wallet);
  await one.begin();
  await inTransaction(ledger.db, recorded("exhausted", one));
  await one.begin();
  const held = await heldOpen(ledger, async (tx) => {
    await what(one)(tx);
    await lookNow(tx);
  });
  await commitsUnhindered(other.deposit(other.walletIds[0] ?? ""), held);
  expect(await findWronglyDue(ledger.db)).toEqual([]);
});

it.each([
  ["is activated", { isActive: true }],
  ["is paused", { isActive: false }],
  ["gets another rate", { rate: 5 }],
])("holds up no commit that pays the same business while its webhook %s", async (_, change) => {
  const [one] = await openTwo();
  const held = await heldOpen(ledger, (tx) => changeWebhook(tx, one.name, change));
  await commitsUnhindered(one.deposit(one.walletIds[0] ?? ""), held);
});

it("holds up no commit that pays the same business while it makes a key", async () => {
  const [{ businessId, walletIds, deposit }] = await openTwo();
  const limits = { scopes: [], networks: [], expiresAt: null, maxWallets: null };
  const key = { businessId, label: null, record: recordOfApiKey(newApiKey()), limits };
  const held = await heldOpen(ledger, (tx) => createApiKey(tx, key));
  await commitsUnhindered(deposit(walletIds[0] ?? ""), held);
});

function mixed<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random.upTo(2 ** 32) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

it("holds up no commit that pays the same business while a recovery is under way", async () => {
  const [one] = await openTwo();
  const [wallet = ""] = one.walletIds;
  await one.deposit(wallet, wallet);
  await one.begin();
  await inTransaction(ledger.db, recorded("exhausted", one));
  const held = await heldOpen(ledger, recovered(one));
  await commitsUnhindered(one.deposit(wallet), held);
  const order: number[] = [];
  for (let sent = await one.begin(); sent.length > 0; sent = await one.begin()) {
    order.push(...sent.map(({ place }) => place));
    await one.record(sent, "accepted");
  }
  expect(order).toEqual([0, 1, 2]);
});

const secondChain = { ...testChain, name: "base", chainId: 8453 };

/**
 * Plays transactions beside each other, each a list of steps, in an order by chance. One that waits
 * for another does not hold up those after it. Answers how often each had to begin.
 */
async function play(all: readonly (readonly Step[])[], random: Random): Promise<number[]> {
  const players = all.map((steps) => {
    const moves = [...steps, null].map((step) => ({ step, mayMove: gate(), isDone: false }));
    const player = { moves, begun: 0, moved: 0, over: Promise.resolve() };
    player.over = inTransaction(ledger.db, async (tx) => {
      player.begun += 1;
      for (const move of moves) {
        await move.mayMove.isOpen;
        await move.step?.(tx);
        if (move.step !== null) move.isDone = true;
      }
    }).finally(() => {
      for (const move of moves) move.isDone = true;
    });
    return player;
  });
  const turns = mixed(
    players.flatMap((player) => player.moves.map(() => player)),
    random,
  );
  for (const player of turns) {
    const move = player.moves[player.moved];
    player.moved += 1;
    move?.mayMove.open();
    await waitFor(async () => move?.isDone || (await isSomeoneWaiting(ledger)), {
      what: "a step, or a wait for another transaction",
      timeoutMs: 10_000,
    });
  }
  await Promise.all(players.map(({ over }) => over));
  return players.map(({ begun }) => begun);
}

/** The steps of a commit that notifies of deposits to these wallets, one after another. */
async function commitOf(chainName: string, walletIds: readonly string[]): Promise<Step[]> {
  const steps: Step[] = [(tx) => lockChain(tx, chainName)];
  for (const walletId of walletIds) {
    const id = await insertTransaction(ledger.db, { walletId, status: "completed" });
    steps.push(async (tx) => {
      const confirmed = await readTransactionsThat(tx, Prisma.sql`id = ${id}::uuid`);
      await notify(tx, { confirmed });
    });
  }
  return steps;
}

it("ends no transaction for another one, in whatever order they go on", async () => {
  const random = createRandom(107);
  await configureChains(ledger.db, [testChain, secondChain], "removed");
  const both = await openTwo();
  const [one, other] = both;
  const onSecond: string[] = [];
  for (const { businessId } of both) {
    const wallets = [newWallet({ chainName: secondChain.name })];
    const [added] = await addWallets(ledger.db, { businessId, wallets });
    onSecond.push(added?.id ?? "");
  }
  const onFirst = both.map(({ walletIds: [wallet = ""] }) => wallet);
  for (let round = 0; round < 12; round += 1) {
    for (const business of both) {
      await inTransaction(ledger.db, changed(business, true));
      await business.deposit(...business.walletIds, ...business.walletIds);
    }
    await one.begin();
    await inTransaction(ledger.db, recorded("exhausted", one, other));
    await one.begin();
    const begun = await play(
      [
        await commitOf(testChain.name, mixed(onFirst, random)),
        await commitOf(secondChain.name, mixed(onSecond, random)),
        [recorded("delivered", one, other)],
        [recovered(one)],
        [recovered(other)],
        [changed(random.pick(both), random.isOneIn(2))],
      ],
      random,
    );
    expect([round, ...begun]).toEqual([round, 1, 1, 1, 1, 1, 1]);
    expect(await findWronglyDue(ledger.db)).toEqual([]);
  }
});
