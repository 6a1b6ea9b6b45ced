import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import { nextTurn } from "../../domain/in-slices.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { type ProvenAccount, readProvenAccount } from "../proof/prove-state.ts";

/** A proved state: the hash of its block, and the state root in that block's header. */
export type ProvenState = { blockHash: Hash; stateRoot: Hash };

export const proofMethod = "eth_getProof";

/** One request asks for this many slots. Nodes allow far more (1,024 in go-ethereum). */
export const slotsPerRequest = 50;

/**
 * Reads an account's coin and slots in a state, proved by the state root (eth_getProof, EIP-1186).
 * @throws Fault `state_unavailable` if the endpoint does not prove that state; `rpc_inconsistent`
 *   if its proof does not hold; `rpc_unavailable`
 */
export async function proveAccount(
  endpoint: Endpoint,
  keccak: Keccak,
  asked: ProvenState & { account: Address; slots: readonly Hash[] },
): Promise<ProvenAccount> {
  const { slots } = asked;
  const count = Math.max(1, Math.ceil(slots.length / slotsPerRequest));
  const parts = Array.from({ length: count }, (_, index) =>
    slots.slice(index * slotsPerRequest, (index + 1) * slotsPerRequest),
  );
  const read = await Promise.all(
    parts.map((part) => askProof(endpoint, keccak, { ...asked, slots: part })),
  );
  return { coinAtomic: read[0]?.coinAtomic ?? 0n, slots: read.flatMap((one) => one.slots) };
}

async function askProof(
  endpoint: Endpoint,
  keccak: Keccak,
  asked: ProvenState & { account: Address; slots: readonly Hash[] },
): Promise<ProvenAccount> {
  const { blockHash, account, slots } = asked;
  const what = `proof of ${account}`;
  const at = { blockHash, requireCanonical: true };
  try {
    const call = { method: proofMethod, params: [account, slots, at] };
    const answer = await endpoint.ask(what, call, "batched");
    // Yields to other work: hundreds of answers arrive together, and each takes some ms to verify.
    await nextTurn();
    const proven = readProvenAccount(keccak, asked, answer);
    if (proven !== null) return proven;
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
