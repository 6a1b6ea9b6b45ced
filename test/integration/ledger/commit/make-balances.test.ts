import { expect, it } from "vitest";
import type { Hash } from "../../../../src/domain/chain/block.ts";
import type {
  DueOpening,
  NextBalances,
  ReadOpening,
} from "../../../../src/domain/watch/opening.ts";
import { type Entry, moveBalances } from "../../../../src/ledger/balances/move-balances.ts";
import { lockChain } from "../../../../src/ledger/chain/chain-state.ts";
import { makeBalances, readNextBalances } from "../../../../src/ledger/commit/make-balances.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  insertTransaction,
  moveChainTo,
  newWallet,
  randomAddress,
  randomHash,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  archiveWallet,
  configureChains,
  setThresholds,
} from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
const hash: Hash = randomHash();
const dai = { code: "DAI", address: randomAddress(), decimals: 18, kind: "exact" } as const;

/** So many wallets, in the order of their addresses, of a chain to which a token is added at 500. */
async function addToken(count: number) {
  const businessId = await insertBusiness(ledger.db);
  await addWallets(ledger.db, {
    businessId,
    wallets: Array.from({ length: count }, () => newWallet()),
  });
  await moveChainTo(ledger.db, "ethereum", 500n);
  await ledger.db.$executeRaw`
    INSERT INTO block (chain_name, number, hash, parent_hash, time) VALUES ('ethereum', 500, ${hash}, ${hash}, now())`;
  const assets = [...testChain.assets, dai];
  await configureChains(ledger.db, [{ name: "ethereum", chainId: 1, assets }], "removed");
  await ledger.db.$executeRaw`UPDATE chain SET position_number = 502, confirmed_number = 502`;
  const wallets = await ledger.db.wallet.findMany({ orderBy: { address: "asc" } });
  const asset = await ledger.db.asset.findFirstOrThrow({ where: { code: "DAI" } });
  return { businessId, ids: wallets.map(({ id }) => id), assetId: asset.id };
}

async function nextBalances(): Promise<NextBalances> {
  const next = await readNextBalances(ledger.db, "ethereum", 10);
  if (next === null) throw new Error("No balance is to be made.");
  return next;
}

/** What the chain answers: 5, 6, 7 … in the order of the addresses. */
const answered = (due: readonly DueOpening[]): ReadOpening[] =>
  due.map((one, at) => ({
    ...one,
    amountAtomic: BigInt(5 + at),
    readNumber: one.atNumber,
    readHash: one.atHash ?? hash,
    proof: "agreed",
  }));

async function openings(assetId: number) {
  const rows = await ledger.db.balance.findMany({
    where: { assetId },
    orderBy: { wallet: { address: "asc" } },
  });
  return rows.map(({ opening, confirmed }) => [opening?.toFixed(), confirmed.toFixed()]);
}

it("opens balances as they are made, with what was read where the asset began", async () => {
  const { businessId, ids, assetId } = await addToken(3);
  const [first = ""] = ids;
  const threshold = { assetCode: "DAI", below: "0.00000000000000001", restoredFrom: null };
  await setThresholds(ledger.db, { businessId, walletId: first, thresholds: [threshold] });
  const next = await nextBalances();
  const made = await makeBalances(ledger.db, next, answered(next.due));
  expect(made).toEqual({ assetCode: "DAI", wallets: 3, opened: 3 });
  expect(await openings(assetId)).toEqual([
    ["5", "5"],
    ["6", "6"],
    ["7", "7"],
  ]);
  const balance = await ledger.db.balance.findFirstOrThrow({ where: { walletId: first, assetId } });
  expect(balance).toMatchObject({ openingProof: "agreed", openedNumber: 502n });
  const entries = await ledger.db.ledgerEntry.findMany({ where: { assetId } });
  expect(entries.map(({ kind, blockNumber }) => [kind, blockNumber])).toEqual(
    ids.map(() => ["opening", 500n]),
  );
  // Its balance of 5 units is below the threshold of 10.
  const [told] = await ledger.db.notification.findMany();
  expect(told).toMatchObject({ state: "below" });
  expect((await checkLedger(ledger.db)).findings).toEqual([]);
});

it("leaves each balance to be read once more that what was read does not settle", async () => {
  const { ids, assetId } = await addToken(6);
  const [reorganised = "", moved = "", known = "", ended = "", unread = "", last = ""] = ids;
  await insertTransaction(ledger.db, { walletId: known, assetCode: "DAI", blockNumber: 400n });
  const next = await nextBalances();
  // These come between the reading and the batch.
  await archiveWallet(ledger.db, ended);
  await inTransaction(ledger.db, async (tx) => {
    await lockChain(tx, "ethereum");
    const pending = [{ walletId: moved, assetId, effectAtomic: 3n }];
    await moveBalances(tx, { entries: [], pending }, []);
  });
  const openings = answered(next.due)
    .filter(({ walletId }) => walletId !== unread)
    .map((one) => (one.walletId === reorganised ? { ...one, readHash: randomHash() } : one));
  const made = await makeBalances(ledger.db, next, openings);
  expect(made).not.toBeNull();
  const balances = await ledger.db.balance.findMany({ where: { assetId } });
  const place = ({ walletId }: { walletId: string }) => ids.indexOf(walletId);
  const rows = balances.sort((one, other) => place(one) - place(other));
  expect(
    rows.map(({ walletId, opening, ended: isEnded }) => [walletId, opening?.toFixed(), isEnded]),
  ).toEqual([
    [reorganised, undefined, false],
    [moved, undefined, false],
    [known, undefined, false],
    [ended, undefined, true],
    [unread, undefined, false],
    [last, "10", false],
  ]);
  expect(await ledger.db.ledgerEntry.count({ where: { assetId } })).toBe(1);
});

it("moves each balance once, beside one that is missing and is made first", async () => {
  const { businessId, ids, assetId: missing } = await addToken(1);
  const [walletId = ""] = ids;
  // As after the last batch, for a wallet whose balance was not made.
  await ledger.db.$executeRaw`UPDATE asset SET opening_after = NULL`;
  const { assetId: there } = await ledger.db.balance.findFirstOrThrow({ where: { walletId } });
  const { code } = await ledger.db.asset.findUniqueOrThrow({ where: { id: there } });
  const threshold = { assetCode: code, below: "1", restoredFrom: null };
  await setThresholds(ledger.db, { businessId, walletId, thresholds: [threshold] });
  const entries: Entry[] = [];
  for (const [assetCode, assetId] of [
    [code, there],
    ["DAI", missing],
  ] as const) {
    const transactionId = await insertTransaction(ledger.db, {
      walletId,
      assetCode,
      blockNumber: 502n,
    });
    const entry = {
      transactionId,
      walletId,
      assetId,
      kind: "confirmation",
      effectAtomic: 3n,
    } as const;
    entries.push({ ...entry, blockNumber: 502n });
  }
  const touched: Entry[] = [];
  await inTransaction(ledger.db, async (tx) => {
    await lockChain(tx, "ethereum");
    await moveBalances(tx, { entries, pending: [] }, touched);
  });
  const moved = await ledger.db.balance.findMany({ where: { assetId: { in: [there, missing] } } });
  expect(moved.map(({ confirmed }) => confirmed.toFixed())).toEqual(["3", "3"]);
  expect(await ledger.db.ledgerEntry.count()).toBe(2);
  expect(touched).toEqual(entries.slice(0, 1));
});
