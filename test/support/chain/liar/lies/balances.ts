import {
  balanceAskedBy,
  both,
  changing,
  ether,
  hex,
  ofCoin,
  ofToken,
  times,
  word,
} from "../changing.ts";
import { type JsonObject, lie, Misbehaving, type Scene, type Teller } from "../lie.ts";
import { refusing } from "./traces.ts";

const more = 200n * ether;
const moreCoin = ofCoin((amount) => amount + more);
const moreToken = ofToken((amount) => amount + 7_000_000n);
const isCoinCall = (call: Parameters<typeof balanceAskedBy>[0]) =>
  balanceAskedBy(call)?.token === null;
const isTokenCall = (call: Parameters<typeof balanceAskedBy>[0]) =>
  typeof balanceAskedBy(call)?.token === "string";
const isCall = ({ method }: { method: string }) => method === "eth_call";

/** So many calls as there are holdings of the coin, and of tokens, in the scene. */
const coins = 4;
const tokens = 8;

const before = { from: "openings" } as const;
const after = { from: "confirmed" } as const;
const untraced = { reading: { tracing: "off" } } as const;

/** Answers of a state so many blocks older than the one asked for. */
const stale =
  (blocks: bigint) =>
  (scene: Scene): Teller =>
  async (call, ask) => {
    if (balanceAskedBy(call) === null) return ask();
    const at = (call.params.at(-1) as { blockHash?: string }).blockHash;
    if (at === undefined) return ask();
    const block = await scene.rpc<{ number: string } | null>("eth_getBlockByHash", at, false);
    const number = BigInt(block?.number ?? 0);
    const older = number > blocks ? number - blocks : 0n;
    return ask({ ...call, params: [...call.params.slice(0, -1), hex(older)] });
  };

/** What the one before asked for. */
const mixedUp = (): Teller => {
  let last: unknown = null;
  return async (call, ask) => {
    const answer = await ask();
    if (call.method !== "eth_getBalance") return answer;
    const given = last ?? answer;
    last = answer;
    return given;
  };
};

const answering =
  (isMeant: (call: Parameters<typeof balanceAskedBy>[0]) => boolean, result: unknown) =>
  (): Teller =>
  async (call, ask) =>
    isMeant(call) ? result : ask();

/** An account's proof with something changed. */
const ofProof = (change: (proof: JsonObject) => JsonObject) =>
  changing<JsonObject>(({ method }) => method === "eth_getProof", change);

type StorageProof = { key: string; value: string; proof: string[] };

const ofStorage = (change: (proof: StorageProof) => StorageProof) =>
  ofProof((proof) => ({
    ...proof,
    storageProof: (proof["storageProof"] as StorageProof[]).map(change),
  }));

export const balanceLies = {
  "coin's openings 200 ETH too high, once": lie(times(coins, isCoinCall, moreCoin), before),
  "coin's openings too high": lie(moreCoin, before),
  "coin's openings zero": lie(answering(isCoinCall, "0x0"), before),
  "tokens' openings too high, once": lie(times(tokens, isTokenCall, moreToken), before),
  "tokens' openings too high": lie(moreToken, before),
  "tokens' openings empty, as if there were no contract": lie(answering(isCall, "0x"), before),
  "tokens' openings the largest there is": lie(
    answering(isTokenCall, word(2n ** 256n - 1n)),
    before,
  ),
  "openings of 3 blocks before": lie(stale(3n), before),
  "openings mixed up between wallets": lie(mixedUp, before),
  "openings refused": lie(
    both(refusing("eth_getBalance"), refusing("eth_call"), refusing("eth_getProof")),
    before,
  ),
  "coin's openings too high, with proofs refused": lie(
    both(moreCoin, refusing("eth_getProof", "the method does not exist")),
    before,
  ),
  "tokens' openings too high, with proofs refused": lie(
    both(moreToken, refusing("eth_getProof", "the method does not exist")),
    before,
  ),
  "coin too high while money moves": lie(moreCoin),
  "coin always the same": lie(answering(isCoinCall, hex(5n * ether))),
  "coin refused": lie(both(refusing("eth_getBalance"), refusing("eth_getProof"))),
  "coin null": lie(answering(isCoinCall, null)),
  "coin below zero": lie(answering(isCoinCall, "-0x1")),
  "coin of 2 blocks before": lie(stale(2n)),
  "coin mixed up between wallets": lie(mixedUp),
  "tokens too high while money moves": lie(moreToken),
  "coin too high at reconciliation": lie(moreCoin, after),
  "coin zero at reconciliation": lie(answering(isCoinCall, "0x0"), after),
  "tokens too high at reconciliation": lie(moreToken, after),
  "tokens zero at reconciliation": lie(answering(isTokenCall, word(0n)), after),
  "tokens empty at reconciliation": lie(answering(isCall, "0x"), after),
  "a token with a fee too high at reconciliation": lie(
    ofToken(
      (amount) => amount + 9_000n,
      (token, { taxed }) => token === taxed,
    ),
    after,
  ),
  "a token with a fee zero at reconciliation": lie(
    ofToken(
      () => 0n,
      (token, { taxed }) => token === taxed,
    ),
    after,
  ),
  "balances refused at reconciliation": lie(
    both(refusing("eth_getBalance"), refusing("eth_call"), refusing("eth_getProof")),
    after,
  ),
  "untraced: coin too high at reconciliation": lie(moreCoin, { ...after, ...untraced }),
  "untraced: coin too low at reconciliation": lie(
    ofCoin((amount) => amount - amount / 2n),
    { ...after, ...untraced },
  ),
  "untraced: coin too high, once": lie(times(coins, isCoinCall, moreCoin), {
    ...after,
    ...untraced,
  }),
  "proof's balance changed": lie(
    ofProof((proof) => ({ ...proof, balance: hex(BigInt(String(proof["balance"])) + more) })),
    before,
  ),
  "proof cut short": lie(
    ofProof((proof) => ({
      ...proof,
      accountProof: (proof["accountProof"] as string[]).slice(0, -1),
    })),
    before,
  ),
  "proof empty, as of nobody": lie(
    ofProof((proof) => ({ ...proof, accountProof: [], balance: "0x0", nonce: "0x0" })),
    before,
  ),
  "proof of another account": lie(
    (scene) => (call, ask) =>
      call.method === "eth_getProof"
        ? ask({ ...call, params: [scene.payer, ...call.params.slice(1)] })
        : ask(),
    before,
  ),
  "proof of 2 blocks before": lie(
    (scene) => async (call, ask) =>
      call.method === "eth_getProof" ? stale(2n)(scene)(call, ask) : ask(),
  ),
  "proof not offered": lie(
    () => (call, ask) => {
      if (call.method !== "eth_getProof") return ask();
      throw new Misbehaving({ error: { code: -32_601, message: "the method does not exist" } });
    },
    before,
  ),
  "proof of a slot changed": lie(
    ofStorage((proof) => ({ ...proof, value: hex(BigInt(proof.value) + 7_000_000n) })),
    before,
  ),
  "proof of a slot empty": lie(
    ofStorage((proof) => ({ ...proof, value: "0x0", proof: [] })),
    before,
  ),
  "proof of another contract's slots": lie(
    (scene) => (call, ask) =>
      call.method === "eth_getProof" && call.params[0] === scene.token
        ? ask({ ...call, params: [scene.taxed, ...call.params.slice(1)] })
        : ask(),
    before,
  ),
};
