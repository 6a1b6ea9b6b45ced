import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/domain/chain/address.ts";
import type { BalanceQuestion } from "../../../src/domain/money/balance.ts";
import { payer, wallet } from "../../support/chain/cast.ts";
import { eachProxiedChain } from "../../support/chain/each-chain.ts";
import type { Misbehave } from "../../support/chain/rpc-proxy.ts";
import { eachRestarted } from "../../support/ledger/each-restarted.ts";
import { waitFor } from "../../support/wait-for.ts";

const { anvil, proxy } = eachProxiedChain();
const ledger = eachRestarted();

/** Longer than an endpoint is left alone with what it has refused. */
const someTimeMs = 11 * 60_000;

const refusing =
  (...methods: string[]): Misbehave =>
  ({ method }) =>
    methods.includes(method) ? { error: { code: -32_601, message: "Method not found" } } : null;

/** The methods that one more block is read with. */
async function readBlock(watched: Awaited<ReturnType<typeof ledger.watch>>): Promise<string[]> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
  proxy.calls.length = 0;
  await watched.catchUp();
  return [...proxy.calls];
}

describe("what an endpoint refused once", () => {
  it("is asked for again after some time, and not before: receipts", async () => {
    const watched = await ledger.watch([proxy], {});
    await watched.catchUp();
    const method = "eth_getBlockReceipts";
    expect(await readBlock(watched)).toContain(method);
    proxy.misbehave(refusing(method));
    expect(await readBlock(watched)).toContain("eth_getTransactionReceipt");
    proxy.misbehave(null);
    expect(await readBlock(watched)).not.toContain(method);
    ledger.clock.skip(someTimeMs);
    expect(await readBlock(watched)).toContain(method);
  });

  it("is asked for again after some time, and not before: proofs", async () => {
    await anvil.mine(1);
    const { chain } = await ledger.watch([proxy], {});
    const { hash } = await chain.head();
    const question: BalanceQuestion = {
      walletAddress: parseAddress(payer),
      assetAddress: "native",
    };
    const proof = async () => (await chain.balancesAt(hash, [question])).proofs[0];
    expect(await proof()).toBe("state");
    proxy.misbehave(refusing("eth_getProof"));
    expect(await proof()).toBe("answered");
    proxy.misbehave(null);
    expect(await proof()).toBe("answered");
    ledger.clock.skip(someTimeMs);
    expect(await proof()).toBe("state");
  });

  it("is asked for again after some time, and no block waits for it: traces", async () => {
    proxy.misbehave(refusing("debug_traceBlockByHash", "trace_block"));
    const watched = await ledger.watch([proxy], {});
    await watched.catchUp();
    await readBlock(watched);
    const tracing = () => watched.chain.status().tracing;
    expect(tracing()).toBe("off");
    ledger.clock.skip(someTimeMs);
    await readBlock(watched);
    expect(tracing()).toBe("off");
    proxy.misbehave(null);
    await readBlock(watched);
    expect(tracing()).toBe("off");
    ledger.clock.skip(someTimeMs);
    await readBlock(watched);
    await waitFor(() => tracing() === "debug", { what: "traces again", timeoutMs: 30_000 });
    expect(await readBlock(watched)).toContain("debug_traceBlockByHash");
  });
});
