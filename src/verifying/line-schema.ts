import { z } from "zod";

// The lines of a statement, as the one who verifies it knows them. The code that makes statements
// has other types.

const atomic = z.string().regex(/^-?\d+$/);
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
// A token has at most 255. A larger number would make very long texts.
const decimals = z.int().min(0).max(255);

const moment = z.iso.datetime();

const bound = z.object({
  block: z.int().nullable(),
  block_hash: z.string().nullable(),
  seal: z.int(),
  seal_hash: z.string().nullable(),
  final: z.boolean(),
});

const holding = z.object({
  blockchain: z.string(),
  wallet_id: z.string(),
  asset: z.string(),
  decimals,
  amount: decimal,
  amount_atomic: atomic,
});

/** The fields of a balance, an entry and a transaction that waits. */
export type Holding = z.output<typeof holding>;

/** A line of a statement, as far as it is added up or held against another one. */
export const lineSchema = z.discriminatedUnion("line", [
  z.object({
    line: z.literal("statement"),
    statement: z.literal([1, 2]),
    id: z.string(),
    made_at: moment,
    to: moment,
  }),
  z.object({
    line: z.literal("chain"),
    blockchain: z.string(),
    opening: bound,
    closing: bound,
  }),
  holding.extend({ line: z.literal("opening"), opening_known: z.boolean() }),
  holding.extend({
    line: z.literal("closing"),
    opening_known: z.boolean(),
    wallet_ended_at: moment.nullable(),
  }),
  holding.extend({
    line: z.literal("entry"),
    entry_id: atomic,
    type: z.string(),
    prior_period: z.boolean(),
    balance: decimal,
    block: z.int(),
    transaction_id: z.string().nullable(),
    usd_value: z.string().nullable(),
    price_source: z.string().nullable().optional(),
    price_as_of: z.string().nullable().optional(),
  }),
  z.object({
    line: z.literal("total"),
    blockchain: z.string().nullable(),
    asset: z.string(),
    decimals,
    opening: decimal,
    closing: decimal,
    closing_watched: decimal.optional(),
    entries: z.int(),
    by_type: z.record(z.string(), decimal),
  }),
  holding.extend({
    line: z.literal("unconfirmed"),
    transaction_id: z.string(),
    state: z.enum(["pending", "completed"]),
    waits_for: z.enum(["confirmation", "proof"]).nullable(),
  }),
  z.object({
    line: z.literal("count"),
    holdings: z.int(),
    entries: z.int(),
    unpriced: z.int(),
    unconfirmed: z.int().optional(),
  }),
  z.object({
    line: z.literal("end"),
    digest: z.string(),
    signature: z.object({ key_id: z.string(), algorithm: z.literal("ed25519"), value: z.string() }),
  }),
]);

export type Line = z.output<typeof lineSchema>;
export type LineOf<Name extends Line["line"]> = Extract<Line, { line: Name }>;
