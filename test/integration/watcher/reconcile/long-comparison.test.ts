import { afterEach, describe, expect, it } from "vitest";
import { Fault } from "../../../../src/domain/fault.ts";
import type { BalanceKey } from "../../../../src/domain/money/balance.ts";
import type { ReconcilePorts } from "../../../../src/watcher/reconcile/reconcile.ts";
import { createReconciler } from "../../../../src/watcher/reconcile/reconciler.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { openWallet, type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { fastClock } from "../../../support/fault-steps.ts";
import { quiet } from "../../../support/quiet.ts";
import { waitFor } from "../../../support/wait-for.ts";

const { anvil, proxy } = eachProxiedChain();
let watched: WatchedChain;

afterEach(() => watched.stop());

/** What happens at the second of two steps, before its balances are read. */
type Interruption = () => Promise<"replaying" | "goes on">;

/**
 * Compares a chain in two steps, as the daemon does. Answers after which balance each step began,
 * and up to where the chain is known to agree then.
 */
async function compareThrough(interrupt: Interruption) {
  const { chain, ledger, oldBlocks, chainName } = watched;
  const begunAfter: (BalanceKey | null)[] = [];
  let isDone = false;
  const own: ReconcilePorts["ledger"] = {
    ...ledger,
    async readLedgerBalances(asked) {
      begunAfter.push(asked.after);
      if (begunAfter.length === 2 && (await interrupt()) === "replaying") return null;
      const page = await ledger.readLedgerBalances(asked);
      if (page === null || asked.after !== null) return page;
      // As of a ledger that fills the step.
      const balances = Array.from({ length: 500 }, () => page.balances).flat();
      return { ...page, balances: balances.slice(0, 500) };
    },
    async finishReconciliation(finished) {
      const ended = await ledger.finishReconciliation(finished);
      isDone = ended === "finished";
      return ended;
    },
  };
  const lease = { take: async () => true };
  const clock = fastClock(100);
  const ports = { chain, ledger: own, oldBlocks, lease, clock, log: quiet };
  const reconciler = createReconciler(ports, { chainName, everyMs: 600_000 });
  await reconciler.start();
  try {
    await waitFor(() => isDone, { what: "a comparison that has ended", timeoutMs: 30_000 });
  } finally {
    await reconciler.stop();
  }
  return { begunAfter, agreed: await ledger.readAgreed(chainName) };
}

const goesOn = [null, expect.anything(), expect.anything()];

describe("a comparison of more balances than one step takes", () => {
  async function watch(): Promise<bigint> {
    watched = await watchChain({ rpcUrl: proxy.url, depth: 2 });
    await watched.catchUp();
    await openWallet(watched, anvil);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await anvil.mine(2);
    await watched.catchUp();
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    return confirmedNumber ?? expect.fail();
  }

  it("goes on where a reorg takes away only blocks that are not confirmed", async () => {
    const confirmed = await watch();
    const { begunAfter, agreed } = await compareThrough(async () => {
      await anvil.reorg(1);
      await anvil.mine(1);
      await watched.catchUp();
      return "goes on";
    });
    expect(begunAfter).toEqual([null, expect.anything()]);
    expect(agreed).toBe(confirmed);
  });

  it("goes on once a reorg has been replayed", async () => {
    await watch();
    const { begunAfter } = await compareThrough(async () => "replaying");
    expect(begunAfter).toEqual(goesOn);
  });

  it("goes on once the endpoint answers again", async () => {
    await watch();
    const { begunAfter } = await compareThrough(async () => {
      throw new Fault("rpc_unavailable", "The endpoint is silent.");
    });
    expect(begunAfter).toEqual(goesOn);
  });
});
