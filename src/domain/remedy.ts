import type { FaultCode } from "./fault.ts";
import { keysOf } from "./keys-of.ts";

const remedies = {
  block_unreadable:
    "Install a version of Chainbell that reads it, or set `proof: agreed` with endpoints of two hosts (see docs/chains.md).",
  rpc_inconsistent:
    "Add an endpoint of another provider to `rpc`, or replace the one that is wrong.",
  wrong_chain_id: "Correct `chain_id` or `rpc`, and start again.",
  wrong_genesis:
    "Correct `rpc`, forget the old chain with `chain reset`, or say `genesis_hash` for a chain of your own.",
  chain_stopped:
    "Find out from the chain's makers what happened. `chain reset` reverses all of its transactions and notifies of it. Use it only when the old chain is gone for good.",
} as const satisfies Partial<Record<FaultCode, string>>;

/** The faults that stop a chain and that somebody can fix. */
export const stoppingCodes = keysOf(remedies);

const known: Readonly<Record<string, string | undefined>> = remedies;

/**
 * The operator's task after a fault that stops a chain. Once it is done, the chain goes on by
 * itself.
 */
export function remedyOf(code: string): string {
  return (
    known[code] ??
    "Read the log of the process that watches it: this is a defect of Chainbell, please report it."
  );
}
