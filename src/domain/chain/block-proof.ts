/**
 * How the receipts of a block are proved. `root`: they make up the header's receiptsRoot. `root-op`: the same with the
 * deposit receipts of an OP-stack chain. `settled`: root and bloom of the header are of earlier blocks (ACP-194), so they
 * only have to belong to the block's transactions. `bloom`: their logs make up the header's logsBloom, no more and no
 * fewer. `none`: they only have to belong together.
 */
export const receiptsProofs = ["root", "root-op", "settled", "bloom", "none"] as const;

export type ReceiptsProof = (typeof receiptsProofs)[number];

/** What must be shown of a block before anything of it is believed. */
export type BlockProof = {
  /** Whether the block's hash is rebuilt from its header. Without it a root proves no more than that the endpoint agrees with itself. */
  header: boolean;
  /** Whether the transactions must make up the header's transactionsRoot. */
  transactions: boolean;
  receipts: ReceiptsProof;
};

/** How internal transfers are read: asked for by `debug_traceBlockByHash`, by `trace_block`, or not at all. */
export const tracingModes = ["auto", "debug", "parity", "off"] as const;

/** `auto`: the first of debug and parity that the endpoint offers, else off. */
export type TracingChoice = (typeof tracingModes)[number];

export type Tracing = Exclude<TracingChoice, "auto">;
