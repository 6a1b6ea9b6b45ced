import { encodeRlp, type RlpItem } from "../encoding/rlp.ts";
import type { Keccak } from "./keccak.ts";
import { nibblesOf } from "./nibbles.ts";

type Leaf = { nibbles: Uint8Array; value: Uint8Array };

/** A node that is shorter than a hash is part of its parent. */
const hashLength = 32;

/**
 * The root of the Merkle Patricia trie (yellow paper, appendix D) from the RLP of each index to its
 * value. A header commits to its transactions and receipts by such a root.
 */
export function indexedTrieRoot(keccak: Keccak, values: readonly Uint8Array[]): Uint8Array {
  if (values.length === 0) return keccak(encodeRlp(new Uint8Array(0)));
  const leaves = values.map((value, index) => ({ nibbles: nibblesOf(indexKey(index)), value }));
  leaves.sort((a, b) => compare(a.nibbles, b.nibbles));
  return keccak(encodeRlp(nodeOf(keccak, leaves, 0)));
}

function indexKey(index: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = index; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return encodeRlp(Uint8Array.from(bytes));
}

// No key is a prefix of another, because the RLP of an index begins with its length.
function compare(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The node over sorted leaves that share their first `depth` nibbles. */
function nodeOf(keccak: Keccak, leaves: readonly Leaf[], depth: number): RlpItem {
  const [first] = leaves;
  const last = leaves.at(-1);
  if (first === undefined || last === undefined) return new Uint8Array(0);
  if (leaves.length === 1) return [pathOf(first.nibbles.subarray(depth), true), first.value];
  let shared = depth;
  while (first.nibbles[shared] === last.nibbles[shared]) shared += 1;
  if (shared > depth) {
    const path = pathOf(first.nibbles.subarray(depth, shared), false);
    return [path, referenceTo(keccak, nodeOf(keccak, leaves, shared))];
  }
  const branches = Array.from({ length: 16 }, (): Leaf[] => []);
  for (const leaf of leaves) branches[leaf.nibbles[depth] ?? 0]?.push(leaf);
  const children = branches.map((branch) =>
    branch.length === 0
      ? new Uint8Array(0)
      : referenceTo(keccak, nodeOf(keccak, branch, depth + 1)),
  );
  return [...children, new Uint8Array(0)];
}

function referenceTo(keccak: Keccak, node: RlpItem): RlpItem {
  const encoded = encodeRlp(node);
  return encoded.length < hashLength ? node : keccak(encoded);
}

/** Packs nibbles into bytes, with flags for a leaf and an odd count ("hex prefix"). */
function pathOf(nibbles: Uint8Array, isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const whole = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles];
  const packed = new Uint8Array(whole.length / 2);
  for (let at = 0; at < packed.length; at += 1) {
    packed[at] = ((whole[at * 2] ?? 0) << 4) | (whole[at * 2 + 1] ?? 0);
  }
  return packed;
}
