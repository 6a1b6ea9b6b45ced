import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReceiptsProof, TracingChoice } from "../../../src/domain/block-proof.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/anvil.ts";
import { makeBusyChain } from "../../support/busy-chain.ts";
import { keepingLog } from "../../support/fault-steps.ts";
import { comparableRows } from "../../support/ledger-rows.ts";
import { deployToken, type TestToken } from "../../support/token.ts";
import { type WatchedChain, watchChain } from "../../support/watched-chain.ts";

const sender = ANVIL_ACCOUNTS[1];
const wallets = [
  "0x00000000000000000000000000000000000a11ce",
  "0x00000000000000000000000000000000000b0b00",
  "0x00000000000000000000000000000000000ca401",
];

let anvil: Anvil;
let token: TestToken;
let closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  anvil = await startAnvil({});
  closers = [anvil.stop];
  token = await deployToken(anvil);
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Options = Partial<Parameters<typeof watchChain>[0]>;

async function watch(options: Options = {}): Promise<WatchedChain> {
  const watched = await watchChain({
    ...{ rpcUrl: anvil.rpcUrl, depth: 3, startBlock: 1n, tokens: [token.asset] },
    ...options,
  });
  closers.push(watched.stop);
  return watched;
}

async function addAll(watched: WatchedChain): Promise<void> {
  for (const address of [...wallets, sender]) await watched.addWallet(address);
}

/** Whatever block by block writes: no stretch is far. */
const never = 1_000_000n;

describe("a chain that is far behind its head", () => {
  it.each<[string, { tracing: TracingChoice; receipts: ReceiptsProof }]>([
    ["with traces", { tracing: "auto", receipts: "root" }],
    ["without traces", { tracing: "off", receipts: "root" }],
    ["with blooms alone", { tracing: "off", receipts: "bloom" }],
    ["without any proof", { tracing: "off", receipts: "none" }],
  ])("%s is caught up to the same rows as block by block", async (_, how) => {
    await makeBusyChain(anvil, token, { blocks: 1_200, every: 30, wallets, sender });
    const kept = keepingLog();
    const byRange = await watch({ ...how, log: kept.log, farBlocks: 64n });
    const byBlock = await watch({ ...how, farBlocks: never });
    for (const watched of [byRange, byBlock]) {
      await addAll(watched);
      await watched.catchUp();
    }
    const [ranged, single] = [await comparableRows(byRange), await comparableRows(byBlock)];
    expect(ranged).toEqual(single);
    expect(ranged.transactions.length).toBeGreaterThan(100);
    const messages = kept.lines.map((line) => line.message);
    expect(messages.filter((message) => message === "range.committed").length).toBeGreaterThan(0);
    expect(messages).toContain("catch_up.finished");
    expect(messages.filter((message) => message === "block.committed").length).toBeLessThan(64);
  });
});
