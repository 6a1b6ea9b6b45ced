import type { FaultCode } from "./fault.ts";

const remedies: Partial<Record<FaultCode, string>> = {
  block_unreadable:
    "Install a version of Chainbell that reads it, or let endpoints of two different hosts vouch for it (`proof: agreed`, see docs/chains.md).",
  rpc_inconsistent:
    "Add an endpoint of another provider to `rpc`, or replace the one that is wrong.",
  wrong_chain_id: "Correct `chain_id` or `rpc`, and start again.",
  wrong_genesis: "Correct `rpc`, or forget the old chain with `chain reset`.",
  chain_stopped: "Look at the chain with its operator, then start it anew with `chain reset`.",
};

/** What the operator can do about a fault that stops a chain. Once it is done, the chain goes on by itself. */
export function remedyOf(code: string): string {
  return (
    remedies[code as FaultCode] ??
    "Read the log of the process that watches it: this is a defect of Chainbell, please report it."
  );
}
