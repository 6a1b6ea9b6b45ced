import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import { nextTurn } from "../../domain/in-slices.ts";
import type { Pool, Verify } from "../agreement/agree-on-balances.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import { type Keccak, loadKeccak256 } from "../proof/hashing/keccak.ts";
import { readProvenAccount } from "../proof/prove-state.ts";
import { firstProved } from "./first-proved.ts";
import { hasProvenState, type ProvenHeaders, type StateRules } from "./proven-headers.ts";

const proofMethod = "eth_getProof";

/**
 * Proves accounts' coin after a block by the state root of its header. Any endpoint may give the
 * proof.
 *
 * A token's balance has no such proof. The state root shows what a slot holds. Only hosts can say
 * that the token still counts by that slot.
 */
export function createCoinProver(
  ports: { pool: Pool; verify: Verify; headers: ProvenHeaders },
  rules: StateRules,
) {
  /** The coin of each account, in atomic units. Empty: no endpoint proves it. */
  return async function proveCoins(
    blockHash: Hash,
    accounts: readonly Address[],
  ): Promise<ReadonlyMap<Address, bigint>> {
    if (accounts.length === 0 || !hasProvenState(rules)) return new Map();
    const keccak = await loadKeccak256();
    const proved = await firstProved(ports, [proofMethod], async (endpoint) => {
      const { stateRoot } = await ports.headers.of(endpoint, blockHash, keccak);
      return Promise.all(
        accounts.map(async (account) => {
          const state = { blockHash, stateRoot, account };
          return [account, await proveCoin(endpoint, keccak, state)] as const;
        }),
      );
    });
    return new Map(proved);
  };
}

/**
 * Reads an account's coin in the state after a block. The state root in that block's header proves
 * it (eth_getProof, EIP-1186).
 * @throws Fault `state_unavailable` if the endpoint does not prove that state; `rpc_inconsistent`
 *   if its proof does not hold; `rpc_unavailable`
 */
async function proveCoin(
  endpoint: Endpoint,
  keccak: Keccak,
  asked: { blockHash: Hash; stateRoot: Hash; account: Address },
): Promise<bigint> {
  const { blockHash, account } = asked;
  const what = `proof of ${account}`;
  const at = { blockHash, requireCanonical: true };
  try {
    const call = { method: proofMethod, params: [account, [], at] };
    const answer = await endpoint.ask(what, call, "batched");
    // Yields to other work: hundreds of answers arrive together, and each takes some ms to verify.
    await nextTurn();
    const proven = readProvenAccount(keccak, { ...asked, slots: [] }, answer);
    if (proven !== null) return proven.coinAtomic;
  } catch (error) {
    const kind = failureKindIn(error);
    if (kind !== "unsupported" && kind !== "refused") throw error;
    const message = `Endpoint ${endpoint.name} does not prove the state after block ${blockHash}.`;
    throw new Fault("state_unavailable", message, { cause: error });
  }
  throw new Fault(
    "rpc_inconsistent",
    `The proof of endpoint ${endpoint.name} for ${account} does not lead to the state root of block ${blockHash}.`,
  );
}
