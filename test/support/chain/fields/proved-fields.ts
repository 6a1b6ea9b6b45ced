import type { JsonObject } from "../liar/lie.ts";

/** A part of a block as an endpoint answers it. */
type Change = (part: JsonObject) => JsonObject;

type Places = { block: Change; transaction: Change; receipt: Change; log: Change };

/** One field that reaches the ledger or a notification: what proves it, and a lie about it. */
export type ProvedField = {
  field: string;
  /** On chains whose header, transactions and receipts are rebuilt; whose header and bloom are; of which nothing is. */
  rooted: string;
  bloom: string;
  unproved: string;
  lie: Partial<Places>;
};

const hosts = "two hosts";
const header = { rooted: "the block's hash", bloom: "the block's hash", unproved: hosts };
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

/** By the transactionsRoot where that is rebuilt. */
const signed = (rooted: string) => ({ rooted, bloom: hosts, unproved: hosts });
const logged = (bloom: string) => ({ rooted: "the receiptsRoot", bloom, unproved: hosts });

/** The table of docs/security.md. */
export const provedFields: readonly ProvedField[] = [
  { field: "block: number", ...header, lie: { block: scaled("number") } },
  { field: "block: hash", ...header, lie: { block: set("hash", other) } },
  { field: "block: parent", ...header, lie: { block: set("parentHash", other) } },
  { field: "block: time", ...header, lie: { block: scaled("timestamp") } },
  { field: "block: fee recipient", ...header, lie: { block: set("miner", someone) } },
  { field: "block: base fee", ...header, lie: { block: scaled("baseFeePerGas") } },
  {
    field: "block: withdrawals",
    ...{ rooted: "the withdrawalsRoot", bloom: "the withdrawalsRoot", unproved: hosts },
    lie: {
      block: listed("withdrawals", (list) => [
        ...list,
        { index: "0x9", validatorIndex: "0x9", address: someone, amount: "0x77359400" },
      ]),
    },
  },
  {
    field: "which transactions there are",
    ...signed("the transactionsRoot"),
    lie: { block: listed("transactions", (list) => list.slice(1)) },
  },
  {
    field: "transaction: hash",
    ...signed("its bytes"),
    lie: { transaction: set("hash", other), receipt: set("transactionHash", other) },
  },
  {
    field: "transaction: sender",
    ...signed("its signature"),
    lie: { transaction: set("from", someone), receipt: set("from", someone) },
  },
  {
    field: "transaction: receiver",
    ...signed("the transactionsRoot"),
    lie: { transaction: (one) => (one["to"] === null ? one : { ...one, to: someone }) },
  },
  {
    field: "transaction: value",
    ...signed("the transactionsRoot"),
    lie: { transaction: scaled("value") },
  },
  {
    field: "transaction: coin that it makes",
    ...signed("the transactionsRoot"),
    lie: { transaction: set("mint", "0x77359400") },
  },
  {
    field: "transaction: token that pays its fee",
    ...signed("the transactionsRoot"),
    lie: { transaction: set("feeCurrency", someone) },
  },
  {
    field: "transaction: whether it succeeded",
    ...signed("the receiptsRoot"),
    lie: { receipt: set("status", "0x0") },
  },
  {
    field: "transaction: contract that it made",
    ...signed("its sender and nonce"),
    lie: {
      receipt: (one) => (one["contractAddress"] ? { ...one, contractAddress: someone } : one),
    },
  },
  {
    field: "fee: gas used",
    ...signed("the sums in the receiptsRoot"),
    lie: { receipt: scaled("gasUsed") },
  },
  {
    field: "fee: price of gas",
    ...signed("what was signed, and the base fee"),
    lie: { receipt: scaled("effectiveGasPrice") },
  },
  {
    field: "fee: for data and operator of an L2",
    ...signed("none where the chain has none; else the balance"),
    lie: { receipt: set("l1Fee", "0x77359400") },
  },
  {
    field: "fee: for blobs",
    ...signed("the blobs; their price by the balance"),
    lie: {
      receipt: (one) => ({ ...one, blobGasUsed: "0x20000", blobGasPrice: "0x77359400" }),
    },
  },
  { field: "log: token", ...logged("the bloom"), lie: { log: set("address", someone) } },
  { field: "log: sender", ...logged("the bloom"), lie: { log: topic(1, word(someone)) } },
  { field: "log: receiver", ...logged("the bloom"), lie: { log: topic(2, word(someone)) } },
  { field: "log: amount", ...logged(hosts), lie: { log: set("data", word("0x77359400")) } },
  {
    field: "which logs there are",
    ...logged("the bloom; how often, two hosts"),
    lie: { receipt: listed("logs", (logs) => logs.slice(1)) },
  },
  { field: "log: its place in the block", ...logged(hosts), lie: { log: scaled("logIndex") } },
];

/** What is not in a block's own parts. */
const provedElsewhere: readonly Omit<ProvedField, "lie">[] = [
  {
    field: "internal transfer: amount",
    ...{ rooted: "the balance", bloom: "the balance", unproved: "the balance" },
  },
  {
    field: "internal transfer: the other party",
    ...{
      rooted: "one endpoint's trace",
      bloom: "one endpoint's trace",
      unproved: "one endpoint's trace",
    },
  },
  {
    field: "balance: coin",
    ...{ rooted: "the state root", bloom: "the state root", unproved: hosts },
  },
  {
    field: "balance: token",
    ...{ rooted: "its slot, and `balanceOf`", bloom: "its slot, and `balanceOf`", unproved: hosts },
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
