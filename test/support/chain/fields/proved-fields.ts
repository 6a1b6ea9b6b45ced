import type { JsonObject } from "../liar/lie.ts";

/** A part of a block as an endpoint answers it. */
type Change = (part: JsonObject) => JsonObject;

type Places = { block: Change; transaction: Change; receipt: Change; log: Change };

/** One field that reaches the ledger or a notification: what proves it, and a lie about it. */
export type ProvedField = {
  field: string;
  /**
   * On chains whose header, transactions and receipts are rebuilt; whose header and bloom are; of
   * which nothing is.
   */
  rooted: string;
  bloom: string;
  unproved: string;
  lie: Partial<Places>;
};

const hosts = "two hosts";
const byHash = "the block's hash";
const other = `0x${"ba".repeat(32)}`;
const someone = `0x${"5e".repeat(20)}`;

const set =
  (key: string, value: unknown): Change =>
  (part) => ({ ...part, [key]: value });
const scaled =
  (key: string): Change =>
  (part) => ({ ...part, [key]: `0x${(3n * BigInt(String(part[key] ?? 0)) + 1n).toString(16)}` });
const topic =
  (index: number, value: string): Change =>
  (log) => ({ ...log, topics: (log["topics"] as string[]).with(index, value) });
const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;
const listed =
  (key: string, change: (list: JsonObject[]) => unknown[]): Change =>
  (part) => ({ ...part, [key]: change((part[key] ?? []) as JsonObject[]) });

type Lie = ProvedField["lie"];

const inHeader = (field: string, lie: Lie): ProvedField => ({
  field,
  rooted: byHash,
  bloom: byHash,
  unproved: hosts,
  lie,
});
/** By the transactionsRoot where that is rebuilt. */
const signed = (field: string, rooted: string, lie: Lie): ProvedField => ({
  field,
  rooted,
  bloom: hosts,
  unproved: hosts,
  lie,
});
const logged = (field: string, bloom: string, lie: Lie): ProvedField => ({
  field,
  rooted: "the receiptsRoot",
  bloom,
  unproved: hosts,
  lie,
});

/** The table of docs/security.md. */
export const provedFields: readonly ProvedField[] = [
  inHeader("block: number", { block: scaled("number") }),
  inHeader("block: hash", { block: set("hash", other) }),
  inHeader("block: parent", { block: set("parentHash", other) }),
  inHeader("block: time", { block: scaled("timestamp") }),
  inHeader("block: fee recipient", { block: set("miner", someone) }),
  inHeader("block: base fee", { block: scaled("baseFeePerGas") }),
  {
    field: "block: withdrawals",

    rooted: "the withdrawalsRoot",
    bloom: "the withdrawalsRoot",
    unproved: hosts,
    lie: {
      block: listed("withdrawals", (list) => [
        ...list,
        { index: "0x9", validatorIndex: "0x9", address: someone, amount: "0x77359400" },
      ]),
    },
  },
  signed("which transactions there are", "the transactionsRoot", {
    block: listed("transactions", (list) => list.slice(1)),
  }),
  signed("transaction: hash", "its bytes", {
    transaction: set("hash", other),
    receipt: set("transactionHash", other),
  }),
  signed("transaction: sender", "its signature", {
    transaction: set("from", someone),
    receipt: set("from", someone),
  }),
  signed("transaction: receiver", "the transactionsRoot", {
    transaction: (one) => (one["to"] === null ? one : { ...one, to: someone }),
  }),
  signed("transaction: value", "the transactionsRoot", { transaction: scaled("value") }),
  signed("transaction: coin that it makes", "the transactionsRoot", {
    transaction: set("mint", "0x77359400"),
  }),
  signed("transaction: token that pays its fee", "the transactionsRoot", {
    transaction: set("feeCurrency", someone),
  }),
  signed("transaction: whether it succeeded", "the receiptsRoot", {
    receipt: set("status", "0x0"),
  }),
  signed("transaction: contract that it made", "its sender and nonce", {
    receipt: (one) => (one["contractAddress"] ? { ...one, contractAddress: someone } : one),
  }),
  signed("fee: gas used", "the sums in the receiptsRoot", { receipt: scaled("gasUsed") }),
  signed("fee: price of gas", "what was signed, and the base fee", {
    receipt: scaled("effectiveGasPrice"),
  }),
  signed(
    "fee: for data and operator of an L2",
    "none where the chain has none; else the L1 attributes, and the balance",
    {
      receipt: set("l1Fee", "0x77359400"),
    },
  ),
  signed("fee: for blobs", "the blobs; their price by the header's excess, and the balance", {
    receipt: (one) => ({ ...one, blobGasUsed: "0x20000", blobGasPrice: "0x77359400" }),
  }),
  logged("log: token", "the bloom", { log: set("address", someone) }),
  logged("log: sender", "the bloom", { log: topic(1, word(someone)) }),
  logged("log: receiver", "the bloom", { log: topic(2, word(someone)) }),
  logged("log: amount", hosts, { log: set("data", word("0x77359400")) }),
  logged("which logs there are", "the bloom; how often, two hosts", {
    receipt: listed("logs", (logs) => logs.slice(1)),
  }),
  logged("log: its place in the block", hosts, { log: scaled("logIndex") }),
];

/** What is not in a block's own parts. */
const provedElsewhere: readonly Omit<ProvedField, "lie">[] = [
  {
    field: "internal transfer: amount",

    rooted: "the balance",
    bloom: "the balance",
    unproved: "the balance",
  },
  {
    field: "internal transfer: the other party",

    rooted: hosts,
    bloom: hosts,
    unproved: hosts,
  },
  {
    field: "balance: coin",

    rooted: "the state root",
    bloom: "the state root",
    unproved: hosts,
  },
  {
    field: "balance: token",

    rooted: hosts,
    bloom: hosts,
    unproved: hosts,
  },
  { field: "confirmed", rooted: hosts, bloom: hosts, unproved: hosts },
];

/** The table as Markdown. */
export function fieldsAsMarkdown(): string {
  const rows = [...provedFields, ...provedElsewhere].map(
    ({ field, rooted, bloom, unproved }) => `| ${field} | ${rooted} | ${bloom} | ${unproved} |`,
  );
  const head = "| | header, transactions, receipts | logs bloom | that its parts belong together |";
  return [head, "|---|---|---|---|", ...rows].join("\n");
}
