import { afterAll, beforeAll, expect, it } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";

const holders = ANVIL_ACCOUNTS.slice(0, 5);

let anvil: Anvil;
let proxy: RpcProxy;

beforeAll(async () => {
  anvil = await startAnvil({});
  proxy = await startRpcProxy(anvil.rpcUrl);
  await anvil.mine(12);
});

afterAll(async () => {
  await proxy.stop();
  await anvil.stop();
});

const batched =
  (answer: Awaited<ReturnType<Misbehave>>): Misbehave =>
  ({ together }) =>
    together > 1 ? answer : null;

const message = "batch requests are not supported";

const refusals = {
  "one error": { whole: { jsonrpc: "2.0", id: null, error: { code: -32_600, message } } },
  "an error for each call": { error: { code: -32_000, message } },
  "an HTTP status": { status: 400 },
  "an empty list": { whole: [] },
  "a closed connection": "drop",
} as const satisfies Record<string, Awaited<ReturnType<Misbehave>>>;

it.each(Object.entries(refusals))(
  "an endpoint that answers batches with %s is asked one by one, and is not blamed",
  async (_, refusal) => {
    proxy.misbehave(batched(refusal));
    const watched: WatchedChain = await watchChain({ rpcUrl: proxy.url, depth: 1 });
    try {
      const { hash } = await watched.chain.header(12n);
      const questions = holders.map((address) => ({
        walletAddress: address.toLowerCase() as `0x${string}`,
        assetAddress: "native" as const,
      }));
      const { amounts } = await watched.chain.balancesAt(hash, questions);
      expect(amounts).toEqual(holders.map(() => 10_000n * 10n ** 18n));
      const headers = await watched.chain.headers(1n, 10n);
      expect(headers.map(({ number }) => number)).toEqual(
        Array.from({ length: 10 }, (__, index) => BigInt(index + 1)),
      );
      expect(watched.chain.status().endpoints).toMatchObject([{ failures: 0 }]);
      // Once it is known, no batch is tried again.
      const before = proxy.calls.length;
      await watched.chain.balancesAt(hash, questions);
      expect(proxy.calls.length - before).toBe(holders.length);
    } finally {
      await watched.stop();
      proxy.misbehave(null);
    }
  },
);
