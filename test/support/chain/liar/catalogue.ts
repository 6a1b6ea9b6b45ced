import type { Lie } from "./lie.ts";
import { balanceLies } from "./lies/balances.ts";
import { blockLies } from "./lies/blocks.ts";
import { branchLies } from "./lies/branches.ts";
import { capabilityLies } from "./lies/capabilities.ts";
import { connectionLies } from "./lies/connections.ts";
import { headLies } from "./lies/heads.ts";
import { receiptLies } from "./lies/receipts.ts";
import { traceLies } from "./lies/traces.ts";

/** Every lie, by its name, which says what it is. */
export const catalogue: ReadonlyMap<string, Lie> = new Map<string, Lie>(
  Object.entries({
    ...traceLies,
    ...blockLies,
    ...receiptLies,
    ...balanceLies,
    ...headLies,
    ...branchLies,
    ...connectionLies,
    ...capabilityLies,
  }),
);
