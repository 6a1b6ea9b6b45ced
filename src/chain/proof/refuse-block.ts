import type { Position } from "../../domain/chain/block.ts";
import type { BlockPart } from "../../domain/chain/block-proof.ts";
import { Fault, faultIn } from "../../domain/fault.ts";

/**
 * The Fault for a block with a part that does not hold. Nothing of it may be used
 * (docs/invariants.md#i1). `facts` are for the operator, added to those of the block.
 */
export function refusedBlock(
  block: Position,
  part: string,
  facts: Record<string, unknown> = {},
): Fault {
  return new Fault(
    "rpc_inconsistent",
    `Block ${block.number} (${block.hash}) does not hold together: ${part}.`,
    { facts: { ...factsOf(block, part), ...facts } },
  );
}

/**
 * The Fault for a block in a form that this version does not know. The block may be right.
 * `unknown`: the fields or types that this version does not know.
 */
export function unreadableBlock(
  block: Position,
  unread: BlockPart,
  { part, unknown }: { part: string; unknown: readonly string[] },
): Fault {
  return new Fault(
    "block_unreadable",
    `Block ${block.number} (${block.hash}) cannot be proved: ${part}.`,
    { facts: { ...factsOf(block, part), unread, unknown } },
  );
}

/** The part that a Fault of `unreadableBlock` is about; null: it is another fault. */
export function unreadPartOf(error: unknown): BlockPart | null {
  const fault = faultIn(error);
  if (fault?.code !== "block_unreadable") return null;
  return fault.facts["unread"] === "header" ? "header" : "contents";
}

/** The fields or types that a Fault of `unreadableBlock` names; none in another fault. */
export function unknownIn(error: unknown): string[] {
  const unknown = faultIn(error)?.facts["unknown"];
  return Array.isArray(unknown) ? unknown.map(String) : [];
}

function factsOf({ number, hash }: Position, part: string) {
  return { blockNumber: number.toString(), blockHash: hash, part };
}
