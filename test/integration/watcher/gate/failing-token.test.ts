import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachTestToken } from "../../../support/chain/each-chain.ts";
import { installMulticall } from "../../../support/chain/multicall.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog } from "../../../support/fault-steps.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

/** Reverts, whatever is called. */
const failing = "0x60006000fd";
const broken = { code: "BRK", address: `0x${"b".repeat(40)}`, decimals: 6 };

const { anvil, proxy } = eachProxiedChain();
const token = eachTestToken(anvil);
let watched: WatchedChain;
let clock: ReturnType<typeof createSkippingClock>;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  await anvil.rpc("anvil_setCode", broken.address, failing);
  clock = createSkippingClock();
  kept = keepingLog();
  const tokens = [token.asset, broken];
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens, clock, log: kept.log });
  await watched.catchUp();
});

afterEach(() => watched.stop());

async function openings(walletId: string): Promise<Record<string, string | undefined>> {
  const rows = await watched.db.balance.findMany({ where: { walletId }, include: { asset: true } });
  return Object.fromEntries(rows.map(({ asset, opening }) => [asset.code, opening?.toFixed()]));
}

async function compare() {
  const { chain, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, ledger, oldBlocks, log: kept.log };
  const outcome = await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  const { compared, open, findings } = outcome.progress;
  return { compared, open, findings: findings.length };
}

const said = () => kept.lines.filter(({ message }) => message === "token.fails");

describe("a configured token whose contract fails when asked for balances", () => {
  it("keeps no other opening, deposit or comparison waiting, and is named", async () => {
    await token.transfer(payer, wallet, 3n);
    await watched.catchUp();
    const walletId = await watched.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(3);
    await watched.catchUp();
    expect(await openings(walletId)).toEqual({ ETH: "0", TST: "3", BRK: undefined });
    expect((await watched.history(walletId)).map(({ status }) => status)).toEqual(["completed"]);
    expect(await compare()).toEqual({ compared: 2, open: 0, findings: 0 });
    expect(said().map(({ fields }) => fields["token"])).toEqual([broken.address]);
    clock.skip(60_000);
    await watched.balancesStep();
    expect(watched.gate.held()).toMatchObject({ what: "opening", why: "refused" });
  });

  it("is named once where it fails for one wallet and answers for another", async () => {
    // Reverts if the owner is that wallet, and else answers zero.
    const code = `0x60043573${wallet.slice(2)}1460215760206000f35b60006000fd`;
    await anvil.rpc("anvil_setCode", broken.address, code);
    await watched.addWallet(wallet);
    await watched.addWallet(payer);
    await anvil.mine(3);
    await watched.catchUp();
    for (let times = 0; times < 3; times += 1) await compare();
    expect(said().map(({ fields }) => fields["token"])).toEqual([broken.address]);
  });

  it.each([true, false])(
    "is left open where many are compared (Multicall3: %s)",
    async (isThere) => {
      if (isThere) await installMulticall(anvil);
      const code = await anvil.rpc("eth_getCode", token.address, "latest");
      await anvil.rpc("anvil_setCode", broken.address, code);
      for (let n = 1; n <= 10; n += 1)
        await watched.addWallet(`0x${n.toString(16).padStart(40, "c")}`);
      await anvil.mine(3);
      await watched.catchUp();
      expect(await compare()).toEqual({ compared: 30, open: 0, findings: 0 });
      await anvil.rpc("anvil_setCode", broken.address, failing);
      await anvil.mine(3);
      await watched.catchUp();
      expect(await compare()).toEqual({ compared: 20, open: 10, findings: 0 });
      await anvil.rpc("anvil_setCode", broken.address, code);
      await anvil.mine(3);
      await watched.catchUp();
      expect(await compare()).toEqual({ compared: 30, open: 0, findings: 0 });
    },
  );

  it("is opened by a later block once it answers, without what came since", async () => {
    const walletId = await watched.addWallet(wallet);
    await anvil.mine(3);
    await watched.catchUp();
    const code = await anvil.rpc("eth_getCode", token.address, "latest");
    await anvil.rpc("anvil_setCode", broken.address, code);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await openings(walletId)).toEqual({ ETH: "0", TST: "0", BRK: "0" });
    expect(watched.gate.held()).toBeNull();
  });
});
