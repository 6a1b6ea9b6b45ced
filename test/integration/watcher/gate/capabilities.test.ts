import { describe, expect, it } from "vitest";
import type { TracingChoice } from "../../../../src/domain/chain/block-proof.ts";
import type { WitnessPolicy } from "../../../../src/domain/chain/confirmation.ts";
import { nothingCompared, reconcileStep } from "../../../../src/watcher/reconcile/reconcile.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachProxy } from "../../../support/chain/each-chain.ts";
import { deploy } from "../../../support/chain/money-contracts.ts";
import type { Misbehave, RpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { struggle } from "../../../support/fault-steps.ts";
import { eachRestarted } from "../../../support/ledger/each-restarted.ts";
import type { WatchedChain } from "../../../support/ledger/watch-in-ledger.ts";
import { quiet } from "../../../support/quiet.ts";

const patienceMs = 600_000;
const stranger = "0x00000000000000000000000000000000000dead1";

const { anvil, proxy: first } = eachProxiedChain();
const second = eachProxy(anvil);
const third = eachProxy(anvil);
const ledger = eachRestarted();

const start = (
  endpoints: RpcProxy[],
  mode: WitnessPolicy["mode"] = "prefer",
  tracing: TracingChoice = "auto",
) => ledger.watch(endpoints, { tracing, witness: { patienceMs, mode } });

async function watchWallet(watched: WatchedChain): Promise<void> {
  await watched.catchUp();
  await watched.addWallet(wallet);
  await anvil.mine(2);
  await watched.catchUp();
}

const isTrace = (method: string) => method === "debug_traceBlockByHash";
const isAnyTrace = (method: string) => isTrace(method) || method === "trace_block";

const withoutTraces: Misbehave = ({ method }) =>
  isAnyTrace(method)
    ? { error: { code: -32_601, message: "the method does not exist/is not available" } }
    : null;

/** An internal payment of 7 to the wallet, in whatever anybody sends. */
const inventing: Misbehave = async ({ method }, forward) => {
  if (!isTrace(method)) return null;
  const traces = (await forward()) as { result: { calls?: object[] } }[];
  const call = { type: "CALL", from: stranger, to: wallet, value: "0x7", gas: "0x0", input: "0x" };
  return {
    result: traces.map(({ result, ...trace }) => ({
      ...trace,
      result: { ...result, calls: [...(result.calls ?? []), { ...call, gasUsed: "0x0" }] },
    })),
  };
};

const refusing =
  (isMeant: (call: { method: string; params: unknown[] }) => boolean): Misbehave =>
  (call) =>
    isMeant(call) ? { error: { code: -32_000, message: "header not found" } } : null;

const both =
  (...all: Misbehave[]): Misbehave =>
  async (call, forward) => {
    for (const one of all) {
      const chosen = await one(call, forward);
      if (chosen !== null) return chosen;
    }
    return null;
  };

/** Somebody else is paid, and an endpoint says that the wallet was, too. */
async function moveMoney(watched: WatchedChain): Promise<void> {
  await anvil.sendNative({ from: payer, to: stranger, amountAtomic: 5n });
  await anvil.mine(3);
  await watched.catchUp();
}

/** Longer than anybody is waited for, and some blocks. */
async function goOn(watched: WatchedChain): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    ledger.clock.skip(patienceMs + 60_000);
    await anvil.mine(1);
    await struggle(watched, 1);
  }
}

async function reconcile({ chain, ledger, oldBlocks, chainName }: WatchedChain): Promise<void> {
  const of = { chainName, walletIds: null };
  await reconcileStep({ chain, ledger, oldBlocks, log: quiet }, of, nothingCompared);
}

const rows = async () =>
  (await ledger.db.transaction.findMany()).map(({ amount, status, type }) => [
    Number(amount),
    type,
    status,
  ]);
const heldRow = [[7, "deposit", "pending"]];

const honestBeside = {
  "one that does not trace": () => [first],
  "two that do not trace": () => [first, third],
};

const cases = (["prefer", "required"] as const).flatMap((mode) =>
  Object.entries(honestBeside).map(([name, honest]) => [mode, name, honest] as const),
);

describe.each(cases)(
  "what an endpoint invents in a trace, where silence is to be %s, beside %s",
  (mode, _, honest) => {
    async function hold(): Promise<WatchedChain> {
      for (const one of honest()) one.misbehave(withoutTraces);
      const watched = await start([...honest(), second], mode);
      await watchWallet(watched);
      second.misbehave(inventing);
      await moveMoney(watched);
      expect(await rows()).toEqual(heldRow);
      return watched;
    }

    it("stays held when that endpoint refuses a single block, and another one leads", async () => {
      const watched = await hold();
      let left = 1;
      const once = refusing(({ method }) => method === "eth_getBlockByNumber" && left-- > 0);
      second.misbehave(both(once, inventing));
      await struggle(watched, 1);
      await goOn(watched);
      expect(await rows()).toEqual(heldRow);
      expect(await ledger.db.notification.count()).toBe(0);
    });

    it("stays held when it refuses to say where its head is, and nothing is booked against it", async () => {
      const watched = await hold();
      const heads = refusing(({ params }) => params[0] === "latest");
      second.misbehave(both(heads, inventing));
      await goOn(watched);
      await reconcile(watched);
      await reconcile(watched);
      expect(await rows()).toEqual(heldRow);
      expect(await ledger.db.notification.count()).toBe(0);
    });
  },
);

describe("what the only endpoint that traces hides", () => {
  const hiding: Misbehave = async ({ method }, forward) => {
    if (!isTrace(method)) return null;
    const traces = (await forward()) as { result: object }[];
    return {
      result: traces.map(({ result, ...trace }) => ({
        ...trace,
        result: { ...result, calls: [] },
      })),
    };
  };

  it("is a discrepancy, although another one leads: it is not booked as untraced", async () => {
    const disperse = await deploy(anvil, "Disperse");
    first.misbehave(withoutTraces);
    const watched = await start([first, second]);
    await watchWallet(watched);
    second.misbehave(hiding);
    await disperse.send(payer, "disperse", [[wallet], [5n]], 5n);
    await anvil.mine(3);
    await watched.catchUp();
    const heads = refusing(({ params }) => params[0] === "latest");
    second.misbehave(both(heads, hiding));
    await anvil.mine(1);
    await struggle(watched, 1);
    await reconcile(watched);
    expect(await rows()).toEqual([]);
    expect(await ledger.db.discrepancy.count()).toBe(1);
  });
});

describe.each(["prefer", "required"] as const)(
  "after a restart, where silence is to be %s",
  (mode) => {
    async function holdAndStop(endpoints: RpcProxy[]): Promise<void> {
      const watched = await start(endpoints, mode);
      await watchWallet(watched);
      first.misbehave(inventing);
      await moveMoney(watched);
      expect(await rows()).toEqual(heldRow);
      await watched.stop();
    }

    it.each([
      ["its only endpoint", "dropped", () => [first]],
      ["the first of two that trace", "pending", () => [first, second]],
      ["the first of three, one of which traces", "pending", () => [first, second, third]],
    ] as const)(
      "what %s has invented is not believed because it says that it does not trace",
      async (_, status, endpoints) => {
        second.misbehave(refusing(({ method }) => isAnyTrace(method)));
        third.misbehave(withoutTraces);
        await holdAndStop(endpoints());
        first.misbehave(withoutTraces);
        second.misbehave(null);
        const again = await start(endpoints(), mode);
        await struggle(again, 1);
        await goOn(again);
        expect(await rows()).toEqual([[7, "deposit", status]]);
        expect(await ledger.db.notification.count({ where: { state: "confirmed" } })).toBe(0);
      },
    );

    it("is kept in the ledger which hosts trace, and since when", async () => {
      second.misbehave(withoutTraces);
      await holdAndStop([first, second]);
      const { tracedBy } = await ledger.db.chain.findUniqueOrThrow({ where: { name: "anvil" } });
      expect(tracedBy).toEqual({ [new URL(first.url).host]: expect.stringMatching(/^20\d\d-/) });
    });

    it("is not settled because the operator reads the chain without traces from now on", async () => {
      await holdAndStop([first]);
      const again = await start([first], mode, "off");
      await struggle(again, 1);
      await goOn(again);
      expect(await rows()).toEqual([[7, "deposit", "dropped"]]);
    });
  },
);
