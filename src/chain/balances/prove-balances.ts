import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { Pool, Verify } from "../agreement/agree-on-balances.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { type Keccak, loadKeccak256 } from "../proof/hashing/keccak.ts";
import { firstProved } from "./first-proved.ts";
import { type ProvenState, proofMethod, proveAccount } from "./prove-account.ts";
import { type AskOtherHosts, createTokenProver, type ProvedBalance } from "./prove-tokens.ts";
import { hasProvenState, type ProvenHeaders, type StateRules } from "./proven-headers.ts";

/** A result for each question, in order; null: it could not be proved. */
export type Proved = (ProvedBalance | null)[];

/**
 * Proves balances after a block by the state root of its header. Any endpoint may give the proof.
 */
export function createBalanceProver(
  ports: { pool: Pool; verify: Verify; headers: ProvenHeaders },
  rules: StateRules & { needed: number },
) {
  const { pool, verify, headers } = ports;
  let proveOn: ReturnType<typeof createProverOn> | null = null;

  /** Answers null for every question if no endpoint proves the balances. */
  return async function prove(
    blockHash: Hash,
    questions: readonly BalanceQuestion[],
  ): Promise<Proved> {
    if (!hasProvenState(rules)) return questions.map(() => null);
    proveOn ??= createProverOn(await loadKeccak256(), headers, rules.needed);
    const proving = proveOn;
    const proved = await firstProved(ports, [proofMethod], (endpoint) => {
      const others = pool.inOrder().filter(({ host }) => host !== endpoint.host);
      return proving(endpoint, { blockHash, questions }, (work) =>
        Promise.all(
          others.map(async (other) => ({
            host: other.host,
            answer: await tryAsking(other, verify, work),
          })),
        ),
      );
    });
    return proved ?? questions.map(() => null);
  };
}

function createProverOn(keccak: Keccak, headers: ProvenHeaders, needed: number) {
  const proveTokens = createTokenProver(keccak, needed);

  return async function proveOn(
    endpoint: Endpoint,
    { blockHash, questions }: { blockHash: Hash; questions: readonly BalanceQuestion[] },
    askOtherHosts: AskOtherHosts,
  ): Promise<Proved> {
    const { stateRoot } = await headers.of(endpoint, blockHash, keccak);
    const state = { blockHash, stateRoot };
    const proved: Proved = questions.map(() => null);
    const work = [...byAsset(questions)].map(async ([asset, group]) => {
      const owners = group.map(({ owner }) => owner);
      const balances =
        asset === nativeAddress
          ? await proveCoins(endpoint, keccak, { ...state, owners })
          : await proveTokens(endpoint, { ...state, token: asset, owners }, askOtherHosts);
      for (const [index, { at }] of group.entries()) proved[at] = balances[index] ?? null;
    });
    await Promise.all(work);
    return proved;
  };
}

function proveCoins(
  endpoint: Endpoint,
  keccak: Keccak,
  { owners, ...state }: ProvenState & { owners: readonly Address[] },
): Promise<ProvedBalance[]> {
  return Promise.all(
    owners.map(async (account): Promise<ProvedBalance> => {
      const asked = { ...state, account, slots: [] };
      const { coinAtomic } = await proveAccount(endpoint, keccak, asked);
      return { amountAtomic: coinAtomic, proof: "state" };
    }),
  );
}

/** Null: the endpoint does not answer, or serves another chain. */
async function tryAsking<T>(
  endpoint: Endpoint,
  verify: Verify,
  work: (endpoint: Endpoint) => Promise<T>,
): Promise<T | null> {
  try {
    await verify(endpoint);
    return await work(endpoint);
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}

function byAsset(questions: readonly BalanceQuestion[]) {
  const groups = new Map<BalanceQuestion["assetAddress"], { owner: Address; at: number }[]>();
  for (const [at, { walletAddress: owner, assetAddress }] of questions.entries()) {
    const group = groups.get(assetAddress) ?? [];
    group.push({ owner, at });
    groups.set(assetAddress, group);
  }
  return groups;
}
