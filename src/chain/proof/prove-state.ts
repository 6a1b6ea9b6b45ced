import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { type RpcObject, readData, readList, readObject } from "../rpc/rpc-value.ts";
import { toBytes } from "./encoding/fields.ts";
import type { Keccak } from "./hashing/keccak.ts";
import { decodeRlp, followProof } from "./trie-proof.ts";

/**
 * An account in the state after a block. It has its coin, and the slots in the order in which they
 * were asked for.
 */
export type ProvenAccount = { coinAtomic: bigint; slots: bigint[] };

/**
 * Reads an answer of eth_getProof (EIP-1186). It uses only the nodes of the answer, and ignores its
 * other values. An account or slot that the nodes prove absent is zero.
 * @returns null if the nodes do not lead from that root to the account and its slots
 * @throws Fault `rpc_inconsistent` if the answer is malformed
 */
export function readProvenAccount(
  keccak: Keccak,
  asked: { stateRoot: Hash; account: Address; slots: readonly Hash[] },
  answer: unknown,
): ProvenAccount | null {
  const raw = readObject(answer, "proof");
  const found = followProof(keccak, toBytes(asked.stateRoot), {
    key: keccak(toBytes(asked.account)),
    nodes: nodesOf(raw, "accountProof"),
  });
  if (found.kind === "invalid") return null;
  if (found.kind === "absent") return { coinAtomic: 0n, slots: asked.slots.map(() => 0n) };
  const account = decodeRlp(found.value);
  if (account instanceof Uint8Array) return null;
  // Nonce, balance, root of the storage, hash of the code (yellow paper, 4.1).
  const [, balance, storageRoot] = account;
  if (!(balance instanceof Uint8Array) || !(storageRoot instanceof Uint8Array)) return null;
  const proofs = readList(raw["storageProof"] ?? [], "storageProof");
  const slots: bigint[] = [];
  for (const [index, slot] of asked.slots.entries()) {
    const nodes = nodesOf(readObject(proofs[index], "storageProof"), "proof");
    const value = readSlot(keccak, storageRoot, { slot, nodes });
    if (value === null) return null;
    slots.push(value);
  }
  return { coinAtomic: numberIn(balance), slots };
}

function readSlot(
  keccak: Keccak,
  storageRoot: Uint8Array,
  { slot, nodes }: { slot: Hash; nodes: readonly string[] },
): bigint | null {
  const found = followProof(keccak, storageRoot, { key: keccak(toBytes(slot)), nodes });
  switch (found.kind) {
    case "invalid":
      return null;
    case "absent":
      return 0n;
    case "value": {
      const value = decodeRlp(found.value);
      return value instanceof Uint8Array ? numberIn(value) : null;
    }
  }
}

function nodesOf(raw: RpcObject, key: string): string[] {
  return readList(raw[key], key).map((node) => readData(node, key));
}

function numberIn(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}
