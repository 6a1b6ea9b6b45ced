import { afterEach, beforeEach, expect, it } from "vitest";
import type { RecordFilter } from "../../../../src/domain/evidence/reconciliation-record.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { listReconciliations } from "../../../../src/ledger/evidence/reconciliation-records.ts";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { changeJournal } from "../../../support/ledger/change-journal.ts";
import { archiveWallet, resetChain } from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;
let walletId: string;

beforeEach(async () => {
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
  await watched.catchUp();
  walletId = await watched.addWallet(wallet);
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await anvil.mine(2);
  await watched.catchUp();
});

afterEach(() => watched.stop());

async function reconcileWith(balance: bigint): Promise<void> {
  await anvil.setBalance(wallet, balance);
  await anvil.mine(3);
  await watched.catchUp();
  const { chain, ledger, oldBlocks, chainName } = watched;
  const of = { chainName, walletIds: null };
  expect(
    await reconcileStep({ chain, ledger, oldBlocks, log: quiet }, of, nothingCompared),
  ).toMatchObject({
    kind: "done",
  });
}

it("a discrepancy of a wallet that is archived ends once nothing of it waits", async () => {
  await reconcileWith(8n);
  const open = async () => (await rows({ walletId })).map(({ isOpen }) => isOpen);
  expect(await open()).toEqual([true]);
  const { db, ledger, chainName } = watched;
  await archiveWallet(db, walletId);
  const at = (await ledger.readChainState(chainName)).position ?? expect.fail();
  const [atNumber, agreedNumber] = [at.number, at.number];
  const compared = { chainName, atNumber, agreedNumber, compared: 0, undos: 0 };
  const wait = (unproven: boolean) =>
    db.transaction.updateMany({ data: { unproven, status: "pending" } });
  expect((await wait(true)).count).toBe(1);
  await ledger.finishReconciliation(compared);
  expect(await db.discrepancy.count()).toBe(1);

  await wait(false);
  await ledger.finishReconciliation(compared);
  expect(await db.discrepancy.count()).toBe(0);
  const [last] = (await rows({ walletId })).toReversed();
  expect(last).toMatchObject({ event: "resolved", discrepancy: { resolution: "unwatched" } });
  expect(await open()).toEqual([false, false]);
  expect((await rows()).at(-1)?.comparison).toMatchObject({ discrepancies: 0 });
});

const rows = async (filter: RecordFilter = {}) =>
  (await listReconciliations(watched.db, filter, { limit: 50, afterId: null })).rows.toReversed();

it("every comparison is kept, and every discrepancy until what resolved it", async () => {
  for (const balance of [5n, 8n, 8n, 9n, 5n, 6n]) await reconcileWith(balance);
  await resetChain(watched.db, watched.chainName);
  const kept = await rows();
  expect(kept.map(({ number }) => number)).toEqual(kept.map((_, index) => BigInt(index + 1)));
  expect(
    kept.map(({ event, comparison, discrepancy }) => [
      event,
      discrepancy?.chainAtomic ?? comparison?.discrepancies,
    ]),
  ).toEqual([
    ["finished", 0],
    ["found", 8n],
    ["finished", 1],
    ["finished", 1],
    ["changed", 9n],
    ["finished", 1],
    ["resolved", 9n],
    ["finished", 0],
    ["found", 6n],
    ["finished", 1],
    ["resolved", 6n],
  ]);
  const ofWallet = await rows({ walletId });
  expect(ofWallet.map(({ discrepancy }) => discrepancy?.resolution)).toEqual([
    null,
    null,
    "agreed",
    null,
    "reset",
  ]);
  expect(ofWallet.map(({ discrepancy }) => discrepancy)).toEqual(
    ofWallet.map(() =>
      expect.objectContaining({
        walletId,
        walletAddress: wallet,
        businessId: expect.any(String),
        reference: null,
        label: null,
        assetCode: "ETH",
        ledgerAtomic: 5n,
      }),
    ),
  );
  expect((await checkLedger(watched.db)).findings).toEqual([]);
  const soon = new Date(Date.now() + 60_000);
  expect(await rows({ from: new Date(0), to: soon })).toHaveLength(kept.length);
  expect(await rows({ from: soon })).toEqual([]);
  expect(await rows({ to: new Date(0) })).toEqual([]);
  const events = async (filter: RecordFilter) => (await rows(filter)).map(({ event }) => event);
  expect(await events({ event: "changed" })).toEqual(["changed"]);
  const businessId = ofWallet[0]?.discrepancy?.businessId ?? expect.fail();
  const ofBalance = ["found", "changed", "resolved", "found", "resolved"];
  expect(await events({ businessId })).toEqual(ofBalance);
  expect(await events({ businessId: walletId })).toEqual([]);
  expect(await events({ assetCode: "eth" })).toEqual(ofBalance);
  expect(await events({ assetCode: "ETH", businessId, event: "found" })).toEqual([
    "found",
    "found",
  ]);
  expect(await events({ assetCode: "USDC" })).toEqual([]);
  expect(await events({ chainName: "other" })).toEqual([]);
});

it("of the discrepancies that are still open, the newest row alone is found by that", async () => {
  const open = async (filter: RecordFilter = {}) =>
    (await rows({ isOpen: true, ...filter })).map(({ event, discrepancy }) => [
      event,
      discrepancy?.chainAtomic,
    ]);
  for (const [balance, expected] of [
    [5n, []],
    [8n, [["found", 8n]]],
    [9n, [["changed", 9n]]],
    [5n, []],
    [6n, [["found", 6n]]],
  ] as const) {
    await reconcileWith(balance);
    expect(await open()).toEqual(expected);
  }
  expect(await open({ assetCode: "ETH", walletId, event: "found" })).toEqual([["found", 6n]]);
  expect(await open({ event: "changed" })).toEqual([]);
  expect(await open({ assetCode: "USDC" })).toEqual([]);
  await resetChain(watched.db, watched.chainName);
  expect(await open()).toEqual([]);
});

it("an undo, which lowers the agreed height, is no comparison", async () => {
  await reconcileWith(5n);
  await anvil.reorg(4);
  await anvil.mine(2);
  await watched.catchUp();
  expect((await rows()).map(({ event }) => event)).toEqual(["finished"]);
});

it("a row that was changed, taken out or slipped in is found by the ledger's check", async () => {
  for (const balance of [5n, 8n, 5n, 5n]) await reconcileWith(balance);
  const change = (sql: string) => watched.db.$executeRawUnsafe(sql);
  for (const sql of [
    "UPDATE reconciliation_record SET compared = 1",
    "DELETE FROM reconciliation_record",
    "TRUNCATE reconciliation_record",
  ])
    await expect(change(sql)).rejects.toThrow("append-only");
  const found = async () => (await checkLedger(watched.db)).findings;
  expect(await found()).toEqual([]);
  const tamper = (sql: string) => changeJournal(watched.db, (tx) => tx.$executeRawUnsafe(sql));
  await tamper("UPDATE reconciliation_record SET discrepancies = 0 WHERE number = 3");
  expect(await found()).toMatchObject([{ kind: "reconciliation", number: 3n }]);
  await tamper(
    "UPDATE reconciliation_record r SET hash = reconciliation_record_hash(r) WHERE number = 3",
  );
  expect(await found()).toMatchObject([{ kind: "reconciliation", number: 4n }]);
  await tamper("DELETE FROM reconciliation_record WHERE number = 2");
  expect(await found()).toMatchObject([{ kind: "reconciliation", number: 3n }]);
});
