import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { watchChain } from "../../support/chain/watched-chain.ts";
import { fastClock, struggle } from "../../support/fault-steps.ts";
import { createRandom } from "../../support/random.ts";

const [payer] = ANVIL_ACCOUNTS;
const blocks = 24;

let anvil: Anvil;
let proxy: RpcProxy;

beforeAll(async () => {
  anvil = await startAnvil({});
  proxy = await startRpcProxy(anvil.rpcUrl);
});

afterAll(async () => {
  await proxy.stop();
  await anvil.stop();
});

it.each([
  [0.1, 0.9],
  [0.25, 0.75],
  [0.5, 0.5],
])(
  "where a share of %s of the requests is refused at random, %s of the blocks are read as they are mined",
  async (refused, least) => {
    // A step ends after so many seconds of this clock, also on a machine that is busy.
    const clock = fastClock(10);
    const watching = await watchChain({ rpcUrl: proxy.url, depth: 1, clock, timeoutMs: 15_000 });
    try {
      await watching.catchUp();
      const wallet = `0x${randomBytes(20).toString("hex")}`;
      const id = await watching.addWallet(wallet);
      const random = createRandom(11);
      const body = { jsonrpc: "2.0", id: 1, error: { code: -32_005, message: "slow down" } };
      proxy.misbehave(() =>
        random.upTo(100) < refused * 100
          ? {
              status: 429,
              headers: { "content-type": "application/json" },
              text: JSON.stringify(body),
            }
          : null,
      );
      let inTime = 0;
      for (let block = 0; block < blocks; block += 1) {
        await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
        await struggle(watching, 1);
        const position = await watching.ledger.readPosition(watching.chainName);
        if (position?.number === BigInt(await anvil.blockNumber())) inTime += 1;
      }
      proxy.misbehave(null);
      await anvil.mine(1);
      await watching.catchUp();
      expect(inTime / blocks).toBeGreaterThanOrEqual(least);
      expect(await watching.balances(id)).toMatchObject({ ETH: BigInt(blocks) });
      expect(await watching.history(id)).toHaveLength(blocks);
    } finally {
      proxy.misbehave(null);
      await watching.stop();
    }
  },
);

it("asks only the refused question again, and waits as long as a body of JSON-RPC says", async () => {
  const clock = fastClock(20);
  const watching = await watchChain({ rpcUrl: proxy.url, depth: 1, clock, timeoutMs: 120_000 });
  try {
    await watching.catchUp();
    const readNext = async () => {
      await anvil.sendNative({ from: payer, to: payer, amountAtomic: 1n });
      const from = proxy.calls.length;
      await watching.catchUp();
      return proxy.calls.slice(from).sort();
    };
    await readNext();
    const plain = await readNext();
    const seen: number[] = [];
    proxy.misbehave(({ method }) => {
      if (method !== "eth_getBlockReceipts") return null;
      seen.push(clock.elapsed());
      const error = { code: -32_000, message: "no", data: { try_again_in: "7s" } };
      return seen.length === 1 ? { status: 429, text: JSON.stringify({ error }) } : null;
    });
    const refused = await readNext();
    expect(refused).toEqual([...plain, "eth_getBlockReceipts"].sort());
    expect((seen[1] ?? 0) - (seen[0] ?? 0)).toBeGreaterThanOrEqual(7_000);
  } finally {
    proxy.misbehave(null);
    await watching.stop();
  }
});
