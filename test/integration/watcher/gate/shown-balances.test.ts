import { afterEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { readStatus } from "../../../../src/ledger/chain/chain-status.ts";
import { readOpenings } from "../../../../src/ledger/evidence/openings.ts";
import type { Clock } from "../../../../src/runtime/clock.ts";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachProxy } from "../../../support/chain/each-chain.ts";
import type { Misbehave } from "../../../support/chain/rpc-proxy.ts";
import { deployToken } from "../../../support/chain/token.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { struggle } from "../../../support/fault-steps.ts";
import { configureChains } from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

/** Watched beside the other wallet; nobody lies about it. */
const bystander = "0x00000000000000000000000000000000000b0b00";
const unsupported = { error: { code: -32_601, message: "method not found" } };

const { anvil, proxy } = eachProxiedChain();
const other = eachProxy(anvil);
let watched: WatchedChain;

afterEach(() => watched.stop());

/** Watches the chain by both of its endpoints. */
async function watchByBoth(more: { clock?: Clock } = {}): Promise<void> {
  const rpcUrls = [proxy.url, other.url];
  watched = await watchChain({ rpcUrl: proxy.url, rpcUrls, depth: 2, ...more });
  await watched.catchUp();
}

const withoutProofs: Misbehave = ({ method }) => (method === "eth_getProof" ? unsupported : null);

/** Neither offers proofs; `isSilent`: the second does not answer for balances either. */
function offer({ isSilent }: { isSilent: boolean }): void {
  proxy.misbehave(withoutProofs);
  other.misbehave(({ method }) => {
    if (method === "eth_getProof") return unsupported;
    return isSilent && method === "eth_getBalance" ? "drop" : null;
  });
}

describe("balances for which one of two hosts alone answers, without a proof", () => {
  it("open no balance and confirm no coin, until the other says the same", async () => {
    const clock = createSkippingClock();
    await watchByBoth({ clock });
    offer({ isSilent: true });
    const walletId = await watched.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(3);
    await struggle(watched, 2);
    const balance = () => watched.db.balance.findFirstOrThrow({ where: { walletId } });
    expect((await balance()).opening).toBeNull();
    expect((await watched.history(walletId)).map(({ status }) => status)).toEqual(["pending"]);
    expect(await watched.db.notification.count()).toBe(0);

    offer({ isSilent: false });
    clock.skip(120_000);
    await struggle(watched, 3);
    expect((await balance()).opening?.toFixed()).toBe("0");
    expect((await balance()).openingProof).toBe("agreed");
    expect((await watched.history(walletId)).map(({ status }) => status)).toEqual(["completed"]);
    expect(await watched.db.notification.count()).toBe(1);
  });
});

describe("openings of an import for which one of two hosts alone answers", () => {
  it("are waited for together, and not batch after batch", async () => {
    const clock = createSkippingClock();
    await watchByBoth({ clock });
    proxy.misbehave(withoutProofs);
    other.misbehave(({ method }) =>
      method === "eth_getProof" || method === "eth_getBalance" ? unsupported : null,
    );
    for (let n = 1; n <= 110; n += 1)
      await watched.addWallet(`0x${n.toString(16).padStart(40, "d")}`);
    await anvil.mine(3);
    await watched.catchUp();
    const unread = () => watched.db.balance.count({ where: { opening: null } });
    expect(await unread()).toBe(110);
    clock.skip(700_000);
    await watched.balancesStep();
    expect(await unread()).toBe(0);
  });
});

describe("a wallet whose balance two hosts dispute", () => {
  it("waits, while all others and the chain go on; and no longer once they agree", async () => {
    const clock = createSkippingClock();
    await watchByBoth({ clock });
    offer({ isSilent: false });
    proxy.misbehave(async (call, forward) => {
      const isLie = call.method === "eth_getBalance" && call.params[0] === wallet;
      if (!isLie) return withoutProofs(call, forward);
      return { result: `0x${(BigInt(String(await forward())) + 7n).toString(16)}` };
    });
    const known = await watched.addWallet(bystander);
    const doubted = await watched.addWallet(wallet);
    for (const to of [wallet, bystander])
      await anvil.sendNative({ from: payer, to, amountAtomic: 5n });
    await anvil.mine(3);
    await struggle(watched, 2);
    const state = async (walletId: string) => {
      const { opening } = await watched.db.balance.findFirstOrThrow({ where: { walletId } });
      const [deposit] = await watched.history(walletId);
      return [opening?.toFixed(), deposit?.status];
    };
    const head = Number(await anvil.rpc("eth_blockNumber"));
    expect((await watched.ledger.readPosition(watched.chainName))?.number).toBe(BigInt(head));
    expect(await state(known)).toEqual(["0", "completed"]);
    expect(await state(doubted)).toEqual([undefined, "pending"]);
    expect(watched.gate.held()).toMatchObject({ why: "disputed" });
    // Patience is for silence alone.
    clock.skip(86_400_000);
    await struggle(watched, 2);
    expect(await state(doubted)).toEqual([undefined, "pending"]);

    offer({ isSilent: false });
    clock.skip(120_000);
    await struggle(watched, 3);
    expect(await state(doubted)).toEqual(["0", "completed"]);
    expect(watched.gate.held()).toBeNull();
  });
});

describe("a token that is added for wallets that are watched", () => {
  it("is opened at once, except for the one whose balance two hosts dispute", async () => {
    const clock = createSkippingClock();
    const token = await deployToken(anvil);
    await token.mint(wallet, 3n);
    await token.mint(bystander, 4n);
    await watchByBoth({ clock });
    const ids = [await watched.addWallet(wallet), await watched.addWallet(bystander)];
    await anvil.mine(3);
    await struggle(watched, 2);
    proxy.misbehave(async ({ method, params }, forward) => {
      const isOfWallet = JSON.stringify(params).includes(wallet.slice(2));
      if (method !== "eth_call" || !isOfWallet) return null;
      return {
        result: `0x${(BigInt(String(await forward())) + 7n).toString(16).padStart(64, "0")}`,
      };
    });
    const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
    const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
    const { db, chainName: name } = watched;
    await configureChains(db, [{ name, chainId: 31_337, assets: [native, own] }], "removed");
    await anvil.mine(3);
    await struggle(watched, 2);
    const openings = async () => {
      const rows = await db.balance.findMany({ where: { asset: { code: "TST" } } });
      return ids.map((id) => {
        const row = rows.find(({ walletId }) => walletId === id);
        return [row?.opening?.toFixed(), row?.openingProof];
      });
    };
    expect(await openings()).toEqual([
      [undefined, null],
      ["4", "agreed"],
    ]);
    expect(watched.gate.held()).toMatchObject({ what: "opening", why: "disputed" });

    proxy.misbehave(null);
    clock.skip(120_000);
    await struggle(watched, 3);
    expect(await openings()).toEqual([
      ["3", "agreed"],
      ["4", "agreed"],
    ]);
    expect(watched.gate.held()).toBeNull();
  });
});

describe("the height up to which ledger and chain are known to agree", () => {
  it("rises by what two hosts say, not by the word of one or over a dispute", async () => {
    await watchByBoth();
    offer({ isSilent: false });
    await openWallet(watched, anvil);
    const { chain, ledger, oldBlocks, chainName } = watched;
    const ports = { chain, ledger, oldBlocks, log: quiet };
    const reconcile = async () => {
      await anvil.mine(1);
      await watched.catchUp();
      await reconcileStep(ports, { chainName, walletIds: null }, nothingCompared);
      return ledger.readAgreed(chainName);
    };
    offer({ isSilent: true });
    expect(await reconcile()).toBeNull();
    other.misbehave((call, forward) =>
      call.method === "eth_getBalance" ? { result: "0x7" } : withoutProofs(call, forward),
    );
    expect(await reconcile()).toBeNull();
    expect(await watched.db.discrepancy.count()).toBe(0);
    offer({ isSilent: false });
    const agreed = await reconcile();
    expect(agreed).not.toBeNull();
    offer({ isSilent: true });
    expect(await reconcile()).toBe(agreed);
  });
});

describe("what shows balances", () => {
  const watchAlone = async () => {
    // The header of anvil's first block does not have the root of its state.
    await anvil.mine(2);
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
    await watched.catchUp();
    const walletId = await openWallet(watched, anvil);
    const { db, businessId, chain } = watched;
    const { chains } = await readStatus(db, Date.now());
    const openings = await readOpenings(db, { businessId, walletId });
    return {
      openings: openings.map(({ proof }) => proof),
      answered: chains.map(({ openingsAnswered }) => openingsAnswered),
      last: chain.status().balances,
    };
  };

  it("is the state root where an endpoint proves it", async () => {
    expect(await watchAlone()).toEqual({ openings: ["state"], answered: [0], last: "state" });
  });

  it("is the word of the only endpoint where it proves none: openings and status say so", async () => {
    proxy.misbehave(withoutProofs);
    expect(await watchAlone()).toEqual({ openings: ["answered"], answered: [1], last: "answered" });
  });
});
