import type { Position } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";

/** The Fault for a block of which a part does not hold: nothing of it may be used (docs/invariants.md#i1). */
export function refusedBlock(block: Position, part: string): Fault {
  return new Fault(
    "rpc_inconsistent",
    `Block ${block.number} (${block.hash}) does not hold together: ${part}.`,
    { facts: { blockNumber: block.number.toString(), blockHash: block.hash, part } },
  );
}
