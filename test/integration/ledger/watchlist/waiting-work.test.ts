import { beforeEach, describe, expect, it } from "vitest";
import { readChainState } from "../../../../src/ledger/chain/chain-state.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  markSynced,
  moveChainTo,
  newWallet,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  archiveWallet,
  configureChains,
  removeWallet,
  resetChain,
} from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
const base = { ...testChain, name: "base", chainId: 8453 };
const [coin, token] = testChain.assets;
let businessId: string;

async function add(fields: Parameters<typeof newWallet>[0] = {}): Promise<string> {
  const wallets = [newWallet(fields)];
  const [wallet] = await addWallets(ledger.db, { businessId, wallets });
  return wallet?.id ?? "";
}

/** As a look at the chain finds it. */
const waits = async (chainName = "ethereum") => {
  const { openings, histories } = (await readChainState(ledger.db, chainName)).waiting;
  return { openings, histories };
};

const nothing = { openings: false, histories: false };

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
  await configureChains(ledger.db, [base], "recorded");
  for (const name of ["ethereum", "base"]) await moveChainTo(ledger.db, name, 500n);
  await ledger.db.$executeRaw`UPDATE chain SET confirmed_number = position_number`;
});

describe("work that waits beside new blocks", () => {
  it("is of the chain whose wallets wait", async () => {
    await add({ fromBlock: 1n });
    expect(await waits()).toEqual({ openings: true, histories: true });
    expect(await waits("base")).toEqual(nothing);
  });

  it("ends with the wallet, and begins when its address is added again", async () => {
    const { address, ...fields } = newWallet({ fromBlock: 1n });
    await archiveWallet(ledger.db, await add({ address, ...fields }));
    expect(await waits()).toEqual(nothing);
    await add({ address, ...fields });
    expect(await waits()).toEqual({ openings: true, histories: true });
  });

  it("ends with a leaving wallet whose address is taken over", async () => {
    const { address } = newWallet();
    await removeWallet(ledger.db, await add({ address, fromBlock: 1n }));
    expect(await waits()).toEqual({ openings: true, histories: true });
    await markSynced(ledger.db, [await add({ address })]);
    expect((await waits()).openings).toBe(false);
  });

  it("stays ended where a reset takes openings back", async () => {
    await archiveWallet(ledger.db, await add());
    await resetChain(ledger.db, "ethereum");
    expect(await waits()).toEqual(nothing);
  });

  it("ends with the asset, and begins when that is configured again", async () => {
    const walletId = await add();
    const { code } = coin;
    const where = { chainName: "ethereum", code };
    const { id: assetId } = await ledger.db.asset.findFirstOrThrow({ where });
    await ledger.db.balance.updateMany({ where: { walletId, assetId }, data: { opening: 0 } });
    expect((await waits()).openings).toBe(true);
    await configureChains(ledger.db, [{ ...testChain, assets: [coin] }], "removed");
    expect((await waits()).openings).toBe(false);
    await configureChains(ledger.db, [{ ...testChain, assets: [coin, token] }], "removed");
    expect((await waits()).openings).toBe(true);
  });
});
