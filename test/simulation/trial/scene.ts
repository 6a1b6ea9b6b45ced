import type { Keccak } from "../../../src/chain/proof/hashing/keccak.ts";
import type { RpcCall } from "../../../src/chain/rpc/rpc-call.ts";
import type { Scene } from "../../support/chain/liar/lie.ts";
import { createRandom as createCountedRandom } from "../../support/random.ts";
import { customers, strangers, tokens, unknownToken, whale } from "../chain/addresses.ts";
import { createAnswers } from "../chain/answers.ts";
import type { FakeChain } from "../chain/fake-chain.ts";
import { canonicalView } from "../chain/node-view.ts";
import type { Random } from "../random.ts";

/**
 * The scene of the lies on the simulated chain: its customers, those of them first who are watched
 * where that is known (`watched`), and an honest node past the liar.
 */
export function createScene(
  chain: FakeChain,
  keccak: Keccak,
  { random, watched }: { random: Random; watched: readonly string[] },
): Scene {
  const others = random.shuffle(customers.filter((one) => !watched.includes(one)));
  const some = [...random.shuffle(watched), ...others];
  const [wallet, holder, sender] = some as [string, string, string];
  const [token, taxed] = random.shuffle(tokens) as [string, string];
  const answer = createAnswers({
    url: "http://honest.simulated/",
    chain: () => chain,
    view: () => canonicalView(chain),
    offers: { blockReceipts: true, traces: ["debug", "parity"], accessLists: true },
    stateBlocks: Number.POSITIVE_INFINITY,
    pruned: () => null,
    isStateGone: () => false,
    isUntraced: () => false,
    isOtherChain: () => false,
    isMissing: () => false,
    isConfused: () => false,
    answered: (_, value) => value,
  });
  const ask = async (call: RpcCall) => answer(call);
  return {
    rpc: async <T>(method: string, ...params: unknown[]) => (await ask({ method, params })) as T,
    random: createCountedRandom(random.int(1, 2 ** 31)),
    keccak,

    wallet,
    holder,
    sender,
    token,
    taxed,
    created: unknownToken,
    payer: whale,
    stranger: strangers[0] ?? whale,
  };
}
