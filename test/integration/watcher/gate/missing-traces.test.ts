import { describe, expect, it } from "vitest";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachProxy } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import type { Misbehave, RpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { keepingLog, struggle } from "../../../support/fault-steps.ts";
import { eachRestarted } from "../../../support/ledger/each-restarted.ts";
import type { WatchedChain } from "../../../support/ledger/watch-in-ledger.ts";
import { quiet } from "../../../support/quiet.ts";

const patienceMs = 600_000;

const { anvil, proxy: first } = eachProxiedChain();
const second = eachProxy(anvil);
const ledger = eachRestarted();

const start = (endpoints: readonly RpcProxy[], log = quiet) =>
  ledger.watch(endpoints, { log, witness: { patienceMs } });

async function watchWallet(watched: WatchedChain): Promise<void> {
  await watched.catchUp();
  await watched.addWallet(wallet);
  await anvil.mine(2);
  await watched.catchUp();
}

const isTrace = (method: string) => method === "debug_traceBlockByHash";
const isAnyTrace = (method: string) => isTrace(method) || method === "trace_block";
const refusal = (message: string, code = -32_000) => ({ error: { code, message } });

const withoutTraces: Misbehave = ({ method }) =>
  isAnyTrace(method) ? refusal("the method does not exist/is not available", -32_601) : null;
const prunedTraces: Misbehave = ({ method }) =>
  isAnyTrace(method) ? refusal("missing trie node") : null;
const away: Misbehave = () => "drop";

/** Steps as a daemon would, for so many seconds, and answers the position. */
async function goOn(watched: WatchedChain, seconds = 60): Promise<bigint> {
  for (let second = 0; second < seconds; second += seconds / 12) {
    await struggle(watched, 1);
    ledger.clock.skip((seconds / 12) * 1_000);
  }
  const { positionNumber } = await ledger.db.chain.findUniqueOrThrow({ where: { name: "anvil" } });
  return positionNumber ?? -1n;
}

async function reconcile({ chain, ledger, oldBlocks, chainName }: WatchedChain): Promise<void> {
  const of = { chainName, walletIds: null };
  await reconcileStep({ chain, ledger, oldBlocks, log: quiet }, of, nothingCompared);
}

const rows = async () =>
  (await ledger.db.transaction.findMany({ orderBy: { id: "asc" } })).map(
    ({ amount, type, status }) => [Number(amount), type, status],
  );

describe("a chain whose only endpoint with traces", () => {
  const beside: Record<string, Misbehave> = {
    "is away": away,
    "refuses them": withoutTraces,
    "no longer has them": prunedTraces,
  };

  it.each(Object.entries(beside))("%s goes on by the others", async (_, misbehave) => {
    const { lines, log } = keepingLog();
    first.misbehave(withoutTraces);
    const disperse = await deploy(anvil, "Disperse");
    const watched = await start([first, second], log);
    await watchWallet(watched);
    second.misbehave(misbehave);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await disperse.send(payer, "disperse", [[wallet], [7n]], 7n);
    await anvil.mine(3);
    expect(await goOn(watched)).toBe(BigInt(await anvil.blockNumber()));
    expect(await rows()).toContainEqual([5, "deposit", expect.any(String)]);
    expect(watched.chain.status().givenUp).toEqual(["traces_missing"]);
    expect(lines.filter(({ message }) => message === "traces.missing")).toHaveLength(1);

    // What was paid inside a contract is found once its traces are there again.
    second.misbehave(null);
    await anvil.mine(3);
    expect(await goOn(watched)).toBe(BigInt(await anvil.blockNumber()));
    await reconcile(watched);
    await goOn(watched);
    expect(await rows()).toEqual([
      [5, "deposit", "completed"],
      [7, "deposit", "completed"],
    ]);
    expect(watched.chain.status().givenUp).toEqual([]);
    expect(lines.filter(({ message }) => message === "traces.returned")).toHaveLength(1);
  });

  it("is the only one there is, and refuses them, goes on too, after five minutes", async () => {
    const watched = await start([first]);
    await watchWallet(watched);
    first.misbehave(({ method }) => (isAnyTrace(method) ? refusal("not now") : null));
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(3);
    const head = BigInt(await anvil.blockNumber());
    expect(await goOn(watched, 240)).toBeLessThan(head);
    expect(await goOn(watched, 240)).toBe(head);
    expect(await rows()).toEqual([[5, "deposit", "completed"]]);
  });

  it("refuses them while the daemon starts is asked for them again", async () => {
    const disperse = await deploy(anvil, "Disperse");
    const before = await start([first]);
    await watchWallet(before);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(3);
    await before.catchUp();
    await before.stop();
    first.misbehave(withoutTraces);
    const watched = await start([first]);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 6n });
    await anvil.mine(3);
    await watched.catchUp();
    first.misbehave(null);
    await disperse.send(payer, "disperse", [[wallet], [7n]], 7n);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await rows()).toEqual([
      [5, "deposit", "completed"],
      [6, "deposit", "completed"],
      [7, "deposit", "completed"],
    ]);
  });

  it("misses them for a moment waits for them", async () => {
    const disperse = await deploy(anvil, "Disperse");
    first.misbehave(withoutTraces);
    const watched = await start([first, second]);
    await watchWallet(watched);
    second.misbehave(prunedTraces);
    await disperse.send(payer, "disperse", [[wallet], [7n]], 7n);
    await anvil.mine(3);
    await struggle(watched, 3);
    second.misbehave(null);
    await watched.catchUp();
    expect(await rows()).toEqual([[7, "deposit", "completed"]]);
  });
});
