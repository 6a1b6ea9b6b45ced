import type { Statements } from "./statements.ts";

/**
 * Makes the planner use indexes for the rest of the transaction, as in inTransactionByIndex.
 * Without statistics it would read whole tables. By the BRIN index of notifications it would read
 * those of all businesses in the time.
 */
export async function lookByIndex(tx: Statements): Promise<void> {
  await tx.$queryRaw`
    SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('jit', 'off', true)`;
}
