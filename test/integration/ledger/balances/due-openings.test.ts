import { beforeEach, describe, expect, it } from "vitest";
import type { BalanceKey } from "../../../../src/domain/money/balance.ts";
import type { DueOpening } from "../../../../src/domain/watch/opening.ts";
import { readDueOpenings } from "../../../../src/ledger/balances/openings.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  moveChainTo,
  newWallet,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, archiveWallet, configureChains } from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
const base = { ...testChain, name: "base", chainId: 8453 };
let businessId: string;

/** A change of the watchlist with so many wallets; answers their ids. */
async function add(count: number, chainName = "ethereum"): Promise<string[]> {
  const wallets = Array.from({ length: count }, () => ({ ...newWallet(), chainName }));
  return (await addWallets(ledger.db, { businessId, wallets })).map(({ id }) => id);
}

/** The pages of one round. */
async function readRound(limit: number, chainName = "ethereum"): Promise<DueOpening[][]> {
  const pages: DueOpening[][] = [];
  let after: BalanceKey | null = null;
  do {
    const page = await readDueOpenings(ledger.db, chainName, { after, limit });
    pages.push(page.due);
    after = page.next;
  } while (after !== null);
  return pages;
}

const keyOf = ({ walletId, assetId }: { walletId: string; assetId: number }) =>
  `${walletId} ${assetId}`;

/** As the ledger itself has them, wallet after wallet. */
async function unread(walletIds: readonly string[]): Promise<string[]> {
  const rows = await ledger.db.balance.findMany({
    where: { walletId: { in: [...walletIds] } },
    orderBy: [{ walletId: "asc" }, { assetId: "asc" }],
  });
  return rows.map(keyOf);
}

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
  await configureChains(ledger.db, [base], "recorded");
  for (const name of ["ethereum", "base"]) await moveChainTo(ledger.db, name, 500n);
  await ledger.db.$executeRaw`UPDATE chain SET confirmed_number = position_number`;
});

describe("the pages of unread openings", () => {
  it.each([1, 3, 7, 100])("have each once, wallet after wallet (%i at once)", async (limit) => {
    const ids: string[] = [];
    for (const count of [1, 5, 1, 4, 2]) {
      ids.push(...(await add(count)));
      await add(1, "base");
    }
    const pages = await readRound(limit);
    expect(pages.flat().map(keyOf)).toEqual(await unread(ids));
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
  });

  it("leave out those of wallets that have ended, and of assets that are not configured", async () => {
    const ids = await add(6);
    await archiveWallet(ledger.db, ids[0] ?? "");
    await archiveWallet(ledger.db, ids[3] ?? "");
    await configureChains(ledger.db, [{ ...testChain, assets: [testChain.assets[0]] }], "removed");
    const due = (await readRound(2)).flat();
    const live = ids.filter((_, place) => place !== 0 && place !== 3);
    expect(due.map(({ walletId }) => walletId).sort()).toEqual(live.sort());
    expect(due.map(({ assetAddress }) => assetAddress)).toEqual(live.map(() => "native"));
  });

  it("go on behind an opening that is no longer there", async () => {
    const ids = await add(4);
    const first = await readDueOpenings(ledger.db, "ethereum", { after: null, limit: 3 });
    await ledger.db
      .$executeRaw`UPDATE balance SET opening = 0 WHERE wallet_id = ${first.due[2]?.walletId}::uuid`;
    const { due } = await readDueOpenings(ledger.db, "ethereum", { after: first.next, limit: 9 });
    expect(due.map(({ walletId }) => walletId)).toEqual(
      ids
        .sort()
        .slice(2)
        .flatMap((id) => [id, id]),
    );
  });

  it("begin where the chain has confirmed the height", async () => {
    await add(1);
    await ledger.db.$executeRaw`UPDATE chain SET confirmed_number = 499`;
    expect(await readRound(5)).toEqual([[]]);
  });
});
