import { eachTest } from "../each-test.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "./anvil.ts";
import { type RpcProxy, startRpcProxy } from "./rpc-proxy.ts";
import { deployToken, type TestToken } from "./token.ts";
import { type WatchedChain, watchChain } from "./watched-chain.ts";

// What the tests of one file meet anew for each test, see eachTest.

/** `firstTime`: of its first block, in s since the epoch; left out: now. */
function eachAnvil(firstTime?: number): Anvil {
  const args = firstTime === undefined ? [] : ["--timestamp", String(firstTime)];
  return eachTest(
    () => startAnvil({ args }),
    (anvil) => anvil.stop(),
  );
}

/** A chain of some blocks after its first one, watched up to its head. */
export function eachWatchedChain(options: { blocks: number; depth: number; firstTime?: number }): {
  anvil: Anvil;
  watched: WatchedChain;
} {
  const anvil = eachAnvil(options.firstTime);
  const open = async () => {
    if (options.blocks > 0) await anvil.mine(options.blocks);
    const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: options.depth });
    await watched.catchUp();
    return watched;
  };
  return { anvil, watched: eachTest(open, (watched) => watched.stop()) };
}

/** A chain behind a proxy that can be told to misbehave. */
export function eachProxiedChain(): { anvil: Anvil; proxy: RpcProxy } {
  const anvil = eachAnvil();
  return { anvil, proxy: eachProxy(anvil) };
}

/** A further endpoint of a chain. */
export function eachProxy(anvil: Anvil): RpcProxy {
  return eachTest(
    () => startRpcProxy(anvil.rpcUrl),
    (proxy) => proxy.stop(),
  );
}

/** A token of which the first account has a million. */
export function eachTestToken(anvil: Anvil): TestToken {
  const open = async () => {
    const token = await deployToken(anvil);
    await token.mint(ANVIL_ACCOUNTS[0], 1_000_000n);
    return token;
  };
  return eachTest(open, () => {});
}
