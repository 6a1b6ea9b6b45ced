import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fillHistory } from "../../../../src/watcher/history/fill-history.ts";
import { payer, shownWallet as wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain, eachTestToken } from "../../../support/chain/each-chain.ts";
import { type Log, word } from "../../../support/chain/liar/changing.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { quiet } from "../../../support/quiet.ts";

const { anvil, proxy } = eachProxiedChain();
const token = eachTestToken(anvil);
let second: RpcProxy;
let watched: WatchedChain;

beforeEach(async () => {
  second = await startRpcProxy(anvil.rpcUrl);
});

afterEach(async () => {
  await watched.stop();
  await second.stop();
});

/** Three payments of before it was watched, and a wallet whose history nobody has read yet. */
async function watchAfterwards(): Promise<string> {
  for (const amountAtomic of [70n, 20n, 5n]) await token.transfer(payer, wallet, amountAtomic);
  await anvil.mine(2);
  watched = await watchChain({
    rpcUrl: proxy.url,
    rpcUrls: [proxy.url, second.url],
    depth: 2,
    tokens: [token.asset],

    receipts: "none",
    tracing: "off",
  });
  await watched.catchUp();
  const walletId = await watched.addWallet(wallet, "deposit", watched.businessId, 1n);
  await anvil.mine(3);
  await watched.catchUp();
  return walletId;
}

/** Until there is nothing more to do. */
async function fill(): Promise<void> {
  const { chain, rounds, ledger, oldBlocks, chainName } = watched;
  const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
  while ((await fillHistory(ports, chainName)).kind !== "idle");
}

async function shown(walletId: string) {
  const { verdict } = await watched.db.history.findUniqueOrThrow({ where: { walletId } });
  const history = await watched.history(walletId);
  return { amounts: history.map(({ amountAtomic }) => amountAtomic), verdict };
}

/** Says something else of the payment of 20, in receipts and in the logs of a range. */
function lying(change: (log: Log) => Log[]): Misbehave {
  const changed = (logs: Log[]) =>
    logs.flatMap((log) => (log.data === word(20n) ? change(log) : [log]));
  return async ({ method }, forward) => {
    if (method === "eth_getLogs") return { result: changed((await forward()) as Log[]) };
    if (method !== "eth_getBlockReceipts") return null;
    const receipts = (await forward()) as { logs: Log[] }[];
    return { result: receipts.map((one) => ({ ...one, logs: changed(one.logs) })) };
  };
}

const changed = (log: Log) => [{ ...log, data: word(20_000n) }];

const whole = { amounts: [70n, 20n, 5n], verdict: "agrees" };

describe("tokens of a history, where nothing proves receipts", () => {
  it.each<[string, string, (log: Log) => Log[]]>([
    ["two hosts answer different amounts", "rpc_inconsistent", changed],
    // Its own bloom contradicts it, so it has no say.
    ["one of two hosts leaves one out", "rpc_unavailable", () => []],
  ])("are not written while %s", async (_, code, change) => {
    const walletId = await watchAfterwards();
    proxy.misbehave(lying(change));
    await expect(fill()).rejects.toMatchObject({ code });
    expect(await shown(walletId)).toEqual({ amounts: [], verdict: null });
    proxy.misbehave(null);
    await fill();
    expect(await shown(walletId)).toEqual(whole);
  });
});
