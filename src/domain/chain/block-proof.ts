import { keysOf, meaningsOf } from "../keys-of.ts";

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

/** A part of a block that may be of a form which came after this version: a field of the header; a type of transaction. */
export type BlockPart = "header" | "contents";

/**
 * What becomes of a block with such a part. `required`: it is proved or it is not processed, and the chain stops.
 * `agreed`: it is processed where endpoints of two different hosts answer the same.
 */
export const unreadableChoices = ["required", "agreed"] as const;

export type UnreadablePolicy = Record<BlockPart, (typeof unreadableChoices)[number]>;

/** What cannot be read is not processed. */
export const nothingUnread: UnreadablePolicy = { header: "required", contents: "required" };

/** How internal transfers are read: asked for by `debug_traceBlockByHash`, by `trace_block`, or not at all. */
export const tracingModes = ["auto", "debug", "parity", "off"] as const;

/** `auto`: the first of debug and parity that the endpoint offers, else off. */
export type TracingChoice = (typeof tracingModes)[number];

export type Tracing = Exclude<TracingChoice, "auto">;

/** What shows that an address has so much after a block. */
const balanceDescriptions = {
  state: "the state root in the block's header, which its hash covers",
  agreed: "endpoints of two hosts answered the same",
  answered: "one endpoint answered it",
} as const;

export type BalanceProof = keyof typeof balanceDescriptions;

export const balanceProofs = keysOf(balanceDescriptions);

export const balanceProofDescription = meaningsOf(balanceDescriptions);
