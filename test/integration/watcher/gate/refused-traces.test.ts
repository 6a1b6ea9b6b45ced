import { beforeEach, describe, expect, it } from "vitest";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachProxy } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import type { Misbehave } from "../../../support/chain/rpc-proxy.ts";
import { keepingLog, struggle } from "../../../support/fault-steps.ts";
import { eachRestarted } from "../../../support/ledger/each-restarted.ts";
import type { WatchedChain } from "../../../support/ledger/watch-in-ledger.ts";

const patienceMs = 600_000;

const { anvil, proxy: first } = eachProxiedChain();
const second = eachProxy(anvil);
const ledger = eachRestarted();
let watched: WatchedChain;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  kept = keepingLog();
  watched = await ledger.watch([first, second], { log: kept.log, witness: { patienceMs } });
});

const isTrace = ({ method }: { method: string }) =>
  method === "debug_traceBlockByHash" || method === "trace_block";

/** Both have traced; then a contract pays, and the second one answers for its traces as given. */
async function payBeside(misbehave: Misbehave): Promise<void> {
  const disperse = await deploy(anvil, "Disperse");
  await watched.catchUp();
  await watched.addWallet(wallet);
  await disperse.send(payer, "disperse", [[wallet], [5n]], 5n);
  await anvil.mine(3);
  await watched.catchUp();
  expect(await rows()).toEqual([[5, "completed", false]]);
  // Each has given the traces of a block: the second one was asked who paid.
  first.misbehave((call) => (isTrace(call) ? "drop" : null));
  await anvil.sendNative({ from: payer, to: payer, amountAtomic: 1n });
  await struggle(watched, 2);
  await watched.catchUp();
  first.misbehave(null);
  kept.lines.length = 0;
  second.misbehave(misbehave);
  await disperse.send(payer, "disperse", [[wallet], [7n]], 7n);
  await anvil.mine(3);
  await struggle(watched, 2);
}

/** Longer than anybody is waited for, three times over. */
async function waitLong(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    ledger.clock.skip(patienceMs + 60_000);
    await anvil.mine(1);
    await struggle(watched, 2);
  }
}

const rows = async () =>
  (await ledger.db.transaction.findMany({ orderBy: { id: "asc" } })).map((one) => [
    Number(one.amount),
    one.status,
    one.confirmedAlone,
  ]);

const heldWhy = () => watched.gate.held()?.why;
const settled = () => kept.lines.filter(({ message }) => message === "movements.settled");

const refusals = {
  "says that it does not trace": { code: -32_601, message: "the method does not exist" },
  "refuses the traces of that block": { code: -32_000, message: "not allowed" },
} as const;

describe("what one endpoint shows that a contract paid, where another one that has traced", () => {
  it.each(Object.entries(refusals))("%s, waits however long it takes", async (_, error) => {
    await payBeside((call) => (isTrace(call) ? { error } : null));
    await waitLong();
    expect((await rows())[1]).toEqual([7, "pending", false]);
    expect(heldWhy()).toBe("refused");
    expect(settled()).toEqual([]);

    second.misbehave(null);
    ledger.clock.skip(60_000);
    await watched.catchUp();
    expect((await rows())[1]?.slice(0, 2)).toEqual([7, "completed"]);
  });

  const silences: Record<string, Misbehave> = {
    "does not answer": (call) => (isTrace(call) ? "drop" : null),
    "no longer has its traces": (call) =>
      isTrace(call) ? { error: { code: -32_000, message: "missing trie node" } } : null,
  };

  it.each(Object.entries(silences))("%s, is settled after patience", async (_, misbehave) => {
    await payBeside(misbehave);
    await waitLong();
    expect((await rows())[1]).toEqual([7, "completed", true]);
    const [line] = settled();
    expect(line?.fields).toMatchObject({ by: "patience", hash: expect.stringMatching(/^0x/) });
  });
});

describe("what waits for its traces", () => {
  it("is settled by nobody while no endpoint gives them, and keeps nothing else waiting", async () => {
    await payBeside((call) => (isTrace(call) ? "drop" : null));
    first.misbehave((call) =>
      isTrace(call) ? { error: { code: -32_601, message: "the method does not exist" } } : null,
    );
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 9n });
    await anvil.mine(3);
    await waitLong();
    expect((await rows()).map((row) => row.slice(0, 2))).toEqual([
      [5, "completed"],
      [7, "pending"],
      [9, "completed"],
    ]);
    expect(heldWhy()).toBe("refused");
  });
});
