import type { Position } from "../../domain/chain/block.ts";
import type { BlockPart } from "../../domain/chain/block-proof.ts";
import { Fault, faultIn } from "../../domain/fault.ts";

/**
 * The Fault for a block of which a part does not hold: nothing of it may be used
 * (docs/invariants.md#i1). `facts` are for the operator, beside those of the block.
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

/** The Fault for a block that may be right but is of a form that came after this version. */
export function unreadableBlock(block: Position, unread: BlockPart, part: string): Fault {
  return new Fault(
    "block_unreadable",
    `Block ${block.number} (${block.hash}) cannot be proved: ${part}.`,
    { facts: { ...factsOf(block, part), unread } },
  );
}

/** The part of its block that a Fault of `unreadableBlock` is about; null: it is another fault. */
export function unreadPartOf(error: unknown): BlockPart | null {
  const fault = faultIn(error);
  if (fault?.code !== "block_unreadable") return null;
  return fault.facts["unread"] === "header" ? "header" : "contents";
}

function factsOf({ number, hash }: Position, part: string) {
  return { blockNumber: number.toString(), blockHash: hash, part };
}
