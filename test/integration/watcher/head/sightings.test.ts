import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { toChecksum } from "../../../../src/domain/chain/checksum.ts";
import { mostSightingsOfDay } from "../../../../src/domain/money/sighting.ts";
import { readSightings } from "../../../../src/ledger/sightings/read-sightings.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { reportSightingsStep } from "../../../../src/watcher/report-sightings.ts";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { type Contract, deploy } from "../../../support/chain/money-contracts.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import {
  archiveWallet,
  configureChains,
  registerWebhook,
  rewindChain,
} from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

const { anvil, proxy } = eachProxiedChain();
let listed: Contract;
let unlisted: Contract;
let watched: WatchedChain;
let walletId: string;

beforeEach(async () => {
  listed = await deploy(anvil, "Token", { args: [6] });
  unlisted = await deploy(anvil, "Token", { args: [18] });
  for (const token of [listed, unlisted]) await token.call(payer, "mint", [payer, 1_000_000n]);
});

afterEach(() => watched.stop());

async function watch(options: { farBlocks?: bigint } = {}): Promise<void> {
  const tokens = [{ code: "USDC", address: listed.address, decimals: 6 }];
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens, ...options });
  await watched.catchUp();
  walletId = await watched.addWallet(wallet);
  await settle();
}

async function settle(): Promise<void> {
  await anvil.mine(2);
  await watched.catchUp();
}

const report = () => {
  const { chain, ledger, chainName } = watched;
  return reportSightingsStep({ chain, ledger, clock: systemClock, log: quiet }, chainName);
};

const page = { limit: 100, afterId: null };
const sightings = async (filter = {}) =>
  (await readSightings(watched.db, { businessId: watched.businessId, filter, page })).rows;
const statuses = async () => (await sightings()).map(({ status }) => status);

describe("a token that is not configured", () => {
  it.each([
    ["block by block", {}],
    ["by ranges", { farBlocks: 1n }],
  ])("is sighted and is no money: no balance, transaction or notification (%s)", async (_, how) => {
    await watch(how);
    const before = await watched.balances(walletId);
    const txHash = await unlisted.call(payer, "transfer", [wallet, 1_234n]);
    await anvil.mine(12);
    await settle();
    expect(await sightings()).toMatchObject([
      {
        status: "confirmed",
        walletId,
        contract: unlisted.address,
        symbol: null,
        amountAtomic: 1_234n,
        txHash,
        fromAddress: payer.toLowerCase(),
        toAddress: wallet,
        proof: "root",
      },
    ]);
    expect(await watched.balances(walletId)).toEqual(before);
    expect(await watched.history(walletId)).toEqual([]);
    expect(await watched.db.notification.count()).toBe(0);
  });

  it("leaves a configured one what it is, in the same block too", async () => {
    await watch();
    await anvil.setAutomine(false);
    await listed.send(payer, "transfer", [wallet, 7n]);
    await unlisted.send(payer, "transfer", [wallet, 8n]);
    await anvil.mine(1);
    await anvil.setAutomine(true);
    await settle();
    expect((await sightings()).map(({ amountAtomic }) => amountAtomic)).toEqual([8n]);
    const history = await watched.history(walletId);
    expect(history.map(({ asset, amountAtomic }) => [asset, amountAtomic])).toEqual([["USDC", 7n]]);
    expect((await watched.balances(walletId))["USDC"]).toBe(7n);
  });

  it("stays a sighting when it is configured later", async () => {
    await watch();
    await unlisted.call(payer, "transfer", [wallet, 5n]);
    await settle();
    const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
    const added = { code: "NEW", address: unlisted.address, decimals: 18, kind: "exact" } as const;
    const assets = [native, added];
    await configureChains(
      watched.db,
      [{ name: watched.chainName, chainId: 31_337, assets }],
      "removed",
    );
    await unlisted.call(payer, "transfer", [wallet, 6n]);
    await settle();
    expect((await sightings()).map(({ amountAtomic }) => amountAtomic)).toEqual([5n]);
    expect((await watched.history(walletId)).map(({ amountAtomic }) => amountAtomic)).toEqual([6n]);
    // Read again, the blocks hold what they held.
    const { position } = await watched.ledger.readChainState(watched.chainName);
    const toNumber = (position?.number ?? 0n) - 5n;
    await rewindChain(watched.db, { chainName: watched.chainName, toNumber });
    await watched.catchUp();
    expect(await statuses()).toEqual(["confirmed"]);
  });

  it("is filtered by chain, wallet, contract and hash, newest first", async () => {
    await watch();
    const other = await deploy(anvil, "Spoofer");
    const first = await unlisted.call(payer, "transfer", [wallet, 1n]);
    await other.call(payer, "spoof", [payer, wallet, 2n]);
    await settle();
    const amountsOf = async (filter: object) =>
      (await sightings(filter)).map(({ amountAtomic }) => amountAtomic);
    expect(await amountsOf({})).toEqual([2n, 1n]);
    expect(await amountsOf({ contract: other.address })).toEqual([2n]);
    expect(await amountsOf({ txHash: first, walletId, chainName: watched.chainName })).toEqual([
      1n,
    ]);
    expect(await amountsOf({ chainName: "elsewhere" })).toEqual([]);
  });
});

describe("the symbol of an unlisted token", () => {
  it("is asked once its block is confirmed, and is null where the contract has none", async () => {
    await watch();
    const nameless = await deploy(anvil, "Spoofer");
    await unlisted.call(payer, "transfer", [wallet, 1n]);
    await nameless.call(payer, "spoof", [payer, wallet, 2n]);
    await watched.catchUp();
    const symbols = async () => (await sightings()).map(({ symbol }) => symbol);
    expect(await report()).toBe(1);
    await settle();
    expect(await report()).toBe(1);
    expect(await symbols()).toEqual([null, "TOK"]);
    expect(await report()).toBe(0);
  });

  it("is null where nobody answers, and the sighting stands", async () => {
    await watch();
    await unlisted.call(payer, "transfer", [wallet, 1n]);
    await settle();
    proxy.misbehave(({ method }) =>
      method === "eth_call" ? { error: { code: -32_000, message: "try later" } } : null,
    );
    expect(await report()).toBe(1);
    expect((await sightings()).map(({ symbol }) => symbol)).toEqual([null]);
  });
});

describe("a webhook that asks for token.unlisted", () => {
  const ask = () =>
    registerWebhook(watched.db, {
      businessId: watched.businessId,
      url: "https://receiver.example/",
      secretCiphertext: "sealed",
      filter: { events: ["token.unlisted"] },
    });
  const told = async () =>
    (await watched.db.notification.findMany()).map(({ id, body }) => ({
      id,
      ...JSON.parse(body).data,
    }));

  it("is notified once, of a confirmed block, with what the contract says", async () => {
    await watch();
    await ask();
    const txHash = await unlisted.call(payer, "transfer", [wallet, 1_234n]);
    await watched.catchUp();
    await report();
    expect(await told()).toEqual([]);
    await settle();
    await report();
    const [sighting] = await sightings();
    const { blockHash } = await anvil.receipt(txHash);
    expect(await told()).toMatchObject([
      {
        sightingId: sighting?.id,
        walletId,
        contract: toChecksum(unlisted.address),
        unverifiedSymbol: "TOK",
        rawAmount: "1234",
        txHash,
        blockNumber: Number(sighting?.blockNumber),
        blockHash,
        status: "sighted",
      },
    ]);
    await report();
    expect(await told()).toHaveLength(1);
  });

  it("is notified of nothing that leaves the chain before it is confirmed", async () => {
    await watch();
    await ask();
    await unlisted.call(payer, "transfer", [wallet, 1n]);
    await watched.catchUp();
    await anvil.reorg(1);
    await settle();
    await report();
    expect([await statuses(), await told()]).toEqual([["dropped"], []]);
  });

  it("keeps its notification where a reorganisation takes the block away, and gets no other", async () => {
    await watch();
    await ask();
    await unlisted.call(payer, "transfer", [wallet, 1n]);
    await settle();
    await report();
    const before = await told();
    expect(before).toHaveLength(1);
    const { position } = await watched.ledger.readChainState(watched.chainName);
    const toNumber = (position?.number ?? 0n) - 4n;
    await rewindChain(watched.db, { chainName: watched.chainName, toNumber });
    expect(await statuses()).toEqual(["dropped"]);
    await report();
    await watched.catchUp();
    await settle();
    await report();
    expect([await statuses(), await told()]).toEqual([["confirmed"], before]);
  });
});

describe("a sighting whose sender looks like somebody that the wallet has paid", () => {
  it("says so, also in the block of the payment", async () => {
    const owner = ANVIL_ACCOUNTS[1];
    await listed.call(payer, "mint", [owner, 1_000n]);
    const spoofer = await deploy(anvil, "Spoofer");
    await watch();
    await watched.addWallet(owner);
    await settle();
    const supplier = parseAddress(`0xa1b2${"3".repeat(32)}c4d5`);
    const poisoner = parseAddress(`0xa1b2${"9".repeat(32)}c4d5`);
    await anvil.setAutomine(false);
    for (let sent = 0; sent < 4; sent += 1) await listed.send(owner, "transfer", [wallet, 1n]);
    await listed.send(owner, "transfer", [supplier, 1n]);
    await spoofer.send(owner, "spoof", [poisoner, owner, 5n]);
    await anvil.mine(1);
    await anvil.setAutomine(true);
    await settle();
    expect((await sightings()).map(({ lookalikeOf }) => lookalikeOf)).toEqual([supplier]);
  });
});

describe("a sighting in a block that is undone", () => {
  it("is dropped, and stays so where the new branch does not have it", async () => {
    await watch();
    await unlisted.call(payer, "transfer", [wallet, 1n]);
    await watched.catchUp();
    expect(await statuses()).toEqual(["pending"]);
    await anvil.reorg(1);
    await settle();
    expect(await statuses()).toEqual(["dropped"]);
  });

  it.each([
    ["", async () => {}],
    [", also of a wallet that was archived since", () => archiveWallet(watched.db, walletId)],
  ])("is the same one again where the block is read again%s", async (_, meanwhile) => {
    await watch();
    await unlisted.call(payer, "transfer", [wallet, 1n]);
    await settle();
    await meanwhile();
    const before = await sightings();
    expect(before.map(({ status }) => status)).toEqual(["confirmed"]);
    const { position } = await watched.ledger.readChainState(watched.chainName);
    const toNumber = (position?.number ?? 0n) - 4n;
    await rewindChain(watched.db, { chainName: watched.chainName, toNumber });
    expect(await statuses()).toEqual(["dropped"]);
    await watched.catchUp();
    expect(await sightings()).toEqual(before);
  });
});

describe("spam", () => {
  it("is kept so many times a wallet and day, and more on the next", async () => {
    await watch();
    const spoofer = await deploy(anvil, "Spoofer");
    const spam = async (count: number) => {
      await anvil.setAutomine(false);
      for (let sent = 0; sent < count; sent += 1)
        await spoofer.send(payer, "spoof", [payer, wallet, BigInt(sent + 1)]);
      await anvil.mine(1);
      await anvil.setAutomine(true);
      await watched.catchUp();
    };
    await spam(mostSightingsOfDay - 2);
    await spam(5);
    await spam(5);
    expect(await sightings()).toHaveLength(mostSightingsOfDay);
    await anvil.rpc("evm_increaseTime", 86_400);
    await spam(1);
    expect(await sightings()).toHaveLength(mostSightingsOfDay + 1);
  });
});
