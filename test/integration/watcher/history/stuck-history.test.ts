import { afterEach, describe, expect, it } from "vitest";
import { faultIn } from "../../../../src/domain/fault.ts";
import { fillHistory, type HistoryPorts } from "../../../../src/watcher/history/fill-history.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import type { Misbehave } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog } from "../../../support/fault-steps.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

/** Watched beside the other wallet, with a history that begins above its. */
const bystander = "0x00000000000000000000000000000000000b0b00";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;
let kept: ReturnType<typeof keepingLog>;
let clock: ReturnType<typeof createSkippingClock>;

afterEach(() => watched.stop());

/** The blocks below 8 are of one wallet's history alone. */
async function watch(): Promise<{ stuckId: string; otherId: string }> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
  await anvil.mine(8);
  await anvil.sendNative({ from: payer, to: bystander, amountAtomic: 7n });
  await anvil.mine(2);
  kept = keepingLog();
  clock = createSkippingClock();
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, log: kept.log, clock });
  await watched.catchUp();
  const add = (address: string, fromBlock: bigint) =>
    watched.addWallet(address, "deposit", watched.businessId, fromBlock);
  const stuckId = await add(wallet, 1n);
  const otherId = await add(bystander, 8n);
  await anvil.mine(3);
  await watched.catchUp();
  return { stuckId, otherId };
}

/** As many steps as asked for, as the loop makes them. A failed endpoint is left out for a while. */
async function fill(process: HistoryPorts, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    clock.skip(120_000);
    await fillHistory(process, watched.chainName).catch((error: unknown) => {
      const code = faultIn(error)?.code;
      if (code !== "rpc_unavailable" && code !== "rpc_inconsistent") throw error;
    });
  }
}

const verdictOf = async (walletId: string) =>
  (await watched.db.history.findUniqueOrThrow({ where: { walletId } })).verdict;

type Block = { number: string };

const isOld = (number: unknown) => typeof number === "string" && BigInt(number) < 7n;

/** Has forgotten old blocks. */
const pruned: Misbehave = ({ method, params }) =>
  method === "eth_getBlockByNumber" && isOld(params[0])
    ? { error: { code: -32_000, message: "pruned history unavailable" } }
    : null;

/** Has forgotten the states that it would need to trace old blocks, as an anvil that keeps few. */
const untraceable: Misbehave = async ({ method, params }, forward) => {
  if (method !== "debug_traceBlockByHash") return null;
  const block = await anvil.rpc<Block>("eth_getBlockByHash", params[0], false);
  if (!isOld(block.number)) return null;
  const traces = (await forward()) as { txHash: string }[];
  return { result: traces.map(({ txHash }) => ({ txHash, error: "Resource not found" })) };
};

/** Says that a wallet has more. */
const lying: Misbehave = async ({ method, params }, forward) => {
  if (method === "eth_getProof") return { error: { code: -32_601, message: "method not found" } };
  if (method !== "eth_getBalance" || params[0] !== wallet) return null;
  const held = BigInt(String(await forward()));
  return { result: `0x${(held === 0n ? 0n : held + 7n).toString(16)}` };
};

describe("a history whose blocks cannot be had", () => {
  it.each([
    { what: "an endpoint has lost them", misbehave: pruned, why: "refused" },
    { what: "an endpoint cannot trace them", misbehave: untraceable, why: "refused" },
    { what: "balances show something else", misbehave: lying, why: "disputed" },
  ])("is shown as held, keeps no other one waiting, and has its turn again ($what)", async (of) => {
    const { misbehave, why } = of;
    const { stuckId, otherId } = await watch();
    const { chain, ledger, oldBlocks, rounds } = watched;
    const process = { chain, ledger, oldBlocks, log: kept.log, rounds: rounds.histories };
    proxy.misbehave(misbehave);
    await fill(process, 6);
    expect([await verdictOf(stuckId), await verdictOf(otherId)]).toEqual([null, "agrees"]);
    expect((await watched.history(otherId)).map(({ amountAtomic }) => amountAtomic)).toEqual([7n]);
    expect(watched.gate.held()).toMatchObject({ what: "history", why });
    proxy.misbehave(null);
    await fill(process, 6);
    expect(await verdictOf(stuckId)).toBe("agrees");
    expect((await watched.history(stuckId)).map(({ amountAtomic }) => amountAtomic)).toEqual([5n]);
    expect(watched.gate.held()).toBeNull();
  });
});

describe("a history whose block before the first cannot be had", () => {
  it.each([
    ["refuses it", { error: { code: -32_000, message: "pruned history unavailable" } }],
    ["does not have it", { result: null }],
  ])(
    "has the verdict unknown, and keeps no other one waiting (an endpoint %s)",
    async (_, answer) => {
      const { stuckId, otherId } = await watch();
      const { chain, ledger, oldBlocks, rounds } = watched;
      const process = { chain, ledger, oldBlocks, log: kept.log, rounds: rounds.histories };
      proxy.misbehave(({ method, params }) =>
        method === "eth_getBlockByNumber" && params[0] === "0x0" ? answer : null,
      );
      await fill(process, 6);
      expect([await verdictOf(stuckId), await verdictOf(otherId)]).toEqual(["unknown", "agrees"]);
    },
  );
});
