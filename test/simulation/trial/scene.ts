import type { Keccak } from "../../../src/chain/proof/hashing/keccak.ts";
import type { RpcCall } from "../../../src/chain/rpc/rpc-call.ts";
import type { Scene } from "../../support/chain/liar/lie.ts";
import { createRandom as createCountedRandom } from "../../support/random.ts";
import { customers, strangers, tokens, unknownToken, whale } from "../chain/addresses.ts";
import { createAnswers } from "../chain/answers.ts";
import type { FakeChain } from "../chain/fake-chain.ts";
import { canonicalView } from "../chain/node-view.ts";
import type { Random } from "../random.ts";

/** The scene of the lies on the simulated chain: its customers, and an honest node past the liar. */
export function createScene(chain: FakeChain, keccak: Keccak, random: Random): Scene {
  const [wallet, holder, sender] = random.shuffle(customers) as [string, string, string];
  const [token, taxed] = random.shuffle(tokens) as [string, string];
  const answer = createAnswers({
    ...{ url: "http://honest.simulated/", chain: () => chain, view: () => canonicalView(chain) },
    offers: { blockReceipts: true, traces: ["debug", "parity"], accessLists: true },
    stateBlocks: Number.POSITIVE_INFINITY,
    pruned: () => null,
    isStateGone: () => false,
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
    ...{ wallet, holder, sender, token, taxed },
    created: unknownToken,
    payer: whale,
    stranger: strangers[0] ?? whale,
  };
}
