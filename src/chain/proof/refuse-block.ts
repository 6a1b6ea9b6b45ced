import type { Position } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";

/** The Fault for a block of which a part does not hold: nothing of it may be used (docs/invariants.md#i1). */
export function refusedBlock(block: Position, part: string): Fault {
  return new Fault(
    "rpc_inconsistent",
    `Block ${block.number} (${block.hash}) does not hold together: ${part}.`,
    { facts: factsOf(block, part) },
  );
}

/** The Fault for a block that may be right but is of a form that came after this version. */
export function unreadableBlock(block: Position, part: string): Fault {
  return new Fault(
    "block_unreadable",
    `Block ${block.number} (${block.hash}) cannot be proved: ${part}. Look for a newer version of Chainbell.`,
    { facts: factsOf(block, part) },
  );
}

function factsOf({ number, hash }: Position, part: string) {
  return { blockNumber: number.toString(), blockHash: hash, part };
}
