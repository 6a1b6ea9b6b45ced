import { fromRlp } from "viem/utils";
import { toBytes } from "./encoding/fields.ts";
import type { Keccak } from "./hashing/keccak.ts";
import { nibblesOf } from "./hashing/nibbles.ts";

/** A decoded node: bytes, or a list of nodes. */
type Node = Uint8Array | readonly Node[];

/**
 * The result of a proof for a key. `invalid`: the nodes do not lead from the root to the key, or to
 * the place where it would be.
 */
export type Proven =
  | { kind: "value"; value: Uint8Array }
  | { kind: "absent" }
  | { kind: "invalid" };

const absent: Proven = { kind: "absent" };
const invalid: Proven = { kind: "invalid" };

/** The RLP of the empty string. */
const nothing = "0x80";

const branchLength = 17;
const hashLength = 32;

/**
 * Follows a key through the nodes of a Merkle Patricia proof, root first (yellow paper, appendix D;
 * EIP-1186).
 */
export function followProof(
  keccak: Keccak,
  root: Uint8Array,
  { key, nodes }: { key: Uint8Array; nodes: readonly string[] },
): Proven {
  const byHash = new Map(
    nodes.map((node) => {
      const bytes = toBytes(node);
      return [textOf(keccak(bytes)), bytes];
    }),
  );
  // The proof of an empty trie is one node that says so, or no node.
  if (textOf(root) === textOf(keccak(toBytes(nothing))))
    return nodes.every((node) => node === nothing) ? absent : invalid;
  let path = nibblesOf(key);
  let reference: Node = root;
  for (;;) {
    const node = resolve(byHash, reference);
    if (node === null) return invalid;
    const step = take(node, path);
    if (step.kind !== "next") return step;
    ({ reference, path } = step);
  }
}

type Step = Proven | { kind: "next"; reference: Node; path: Uint8Array };

/** One step down: the next nibble of a branch, or the path of a leaf or an extension. */
function take(node: readonly Node[], path: Uint8Array): Step {
  if (node.length === branchLength) {
    const [nibble] = path;
    if (nibble === undefined) return heldBy(node[branchLength - 1]);
    return next(node[nibble], path.subarray(1));
  }
  const [encoded, child] = node;
  if (node.length !== 2 || !(encoded instanceof Uint8Array)) return invalid;
  const [first, ...rest] = nibblesOf(encoded);
  if (first === undefined || first > 3) return invalid;
  const shared = first % 2 === 1 ? rest : rest.slice(1);
  if (!shared.every((nibble, index) => nibble === path[index])) return absent;
  const left = path.subarray(shared.length);
  if (first < 2) return next(child, left);
  return left.length === 0 ? heldBy(child) : absent;
}

function next(reference: Node | undefined, path: Uint8Array): Step {
  if (reference === undefined) return invalid;
  const isNothing = reference instanceof Uint8Array && reference.length === 0;
  return isNothing ? absent : { kind: "next", reference, path };
}

function heldBy(value: Node | undefined): Proven {
  if (!(value instanceof Uint8Array)) return invalid;
  return value.length === 0 ? absent : { kind: "value", value };
}

/** Finds a node by its reference. A node that is shorter than a hash is part of its parent. */
function resolve(byHash: ReadonlyMap<string, Uint8Array>, reference: Node): readonly Node[] | null {
  if (!(reference instanceof Uint8Array)) return reference;
  const bytes = reference.length === hashLength ? byHash.get(textOf(reference)) : undefined;
  if (bytes === undefined) return null;
  const node = decodeRlp(bytes);
  return node instanceof Uint8Array ? null : node;
}

/** Decodes RLP. Bytes that are no RLP give empty bytes. */
export function decodeRlp(bytes: Uint8Array): Node {
  try {
    return fromRlp(bytes, "bytes") as Node;
  } catch {
    return new Uint8Array(0);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
