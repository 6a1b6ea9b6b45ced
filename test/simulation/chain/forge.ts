import type { Random } from "../random.ts";
import { customers, tokens } from "./addresses.ts";

type Json = Record<string, unknown>;

/**
 * A copy of a part of a block that is not what the chain says: money made up, changed or hidden, or
 * merely damaged. Whatever this does must be seen from the block's own hash, or from the other
 * parts.
 */
export function forge(
  random: Random,
  part: "block" | "receipts" | "traces" | "access list",
  honest: unknown,
): unknown {
  const copy = structuredClone(honest);
  switch (part) {
    case "block":
      return forgeBlock(random, copy as Json);
    case "receipts":
      return forgeReceipts(random, copy as Json[]);
    case "traces":
      return forgeTraces(random, copy as Json[]);
    case "access list":
      return forgeAccessList(random, copy as Json[]);
  }
}

function forgeBlock(random: Random, block: Json): Json {
  const transactions = block["transactions"] as Json[];
  const some = transactions.length === 0 ? undefined : random.pick(transactions);
  const how = random.pick([
    ...["value", "left out", "twice", "parent", "number", "receiver", "roots", "sender"],
  ]);
  if (some !== undefined && how === "value") some["value"] = "0x3e8";
  if (some !== undefined && how === "receiver") some["to"] = random.pick(customers);
  if (some !== undefined && how === "sender")
    some["from"] = random.pick(customers.filter((one) => one !== some["from"]));
  if (some !== undefined && how === "left out") transactions.pop();
  if (some !== undefined && how === "twice") transactions.push(some);
  if (how === "parent") block["parentHash"] = random.hash();
  if (how === "number") block["number"] = "0x1";
  if (how === "roots") block["receiptsRoot"] = random.hash();
  // Whatever the above could not do: a block that says it is another one.
  if (some === undefined) block["hash"] = random.hash();
  return block;
}

function forgeReceipts(random: Random, receipts: Json[]): Json[] {
  const some = receipts.length === 0 ? undefined : random.pick(receipts);
  if (some === undefined) return receipts;
  const logs = some["logs"] as Json[];
  const log = logs[0];
  const how = random.pick([
    "amount",
    "receiver",
    "hidden",
    "made up",
    "left out",
    "status",
    "block",
  ]);
  if (how === "made up" || (log === undefined && how !== "left out" && how !== "status"))
    logs.push(madeUp(random, some));
  else if (how === "amount" && log !== undefined) log["data"] = `0x${"0".repeat(61)}3e8`;
  else if (how === "receiver" && log !== undefined)
    (log["topics"] as string[])[2] = `0x${"0".repeat(24)}${random.pick(customers).slice(2)}`;
  else if (how === "hidden") logs.pop();
  else if (how === "status") some["status"] = some["status"] === "0x1" ? "0x0" : "0x1";
  else if (how === "block") some["blockHash"] = random.hash();
  else receipts.pop();
  return receipts;
}

function madeUp(random: Random, receipt: Json): Json {
  const { transactionHash, blockHash } = receipt;
  const to = `0x${"0".repeat(24)}${random.pick(customers).slice(2)}`;
  const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  return {
    address: random.pick(tokens),
    topics: [transferTopic, `0x${"0".repeat(64)}`, to],

    data: `0x${"0".repeat(61)}3e8`,
    transactionHash,
    blockHash,
    removed: false,
    logIndex: `0x${(receipt["logs"] as Json[]).length.toString(16)}`,
  };
}

/**
 * What a trace says of the coin cannot be proved: only that it is cut short, failed or of another
 * block shows.
 */
function forgeTraces(random: Random, traces: Json[]): unknown {
  const some = traces.length === 0 ? undefined : random.pick(traces);
  if (some === undefined) return null;
  const how = random.pick(["failed", "empty", "other block", "null"]);
  const isDebug = some["txHash"] !== undefined;
  if (how === "empty") return [];
  if (how === "null") return null;
  if (how === "failed" && isDebug) {
    delete some["result"];
    some["error"] = "historical state is not available";
  } else if (isDebug) some["txHash"] = random.hash();
  else some["blockHash"] = random.hash();
  return traces;
}

/**
 * Another balance, an account or a change that is left out, or one that is made up: the hash in the
 * header shows it.
 */
function forgeAccessList(random: Random, list: Json[]): unknown {
  const how = random.pick(["balance", "account", "change", "made up", "null"]);
  const some = list.length === 0 ? undefined : random.pick(list);
  const changes = (some?.["balanceChanges"] ?? []) as Json[];
  if (how === "null") return null;
  if (how === "balance" && changes[0] !== undefined) changes[0]["value"] = "0x3e8";
  else if (how === "change" && changes.length > 0) changes.pop();
  else if (how === "account" && some !== undefined) list.splice(list.indexOf(some), 1);
  else list.push({ ...some, address: random.pick(customers), ...noChanges });
  return list;
}

const noChanges = {
  storageChanges: [],
  storageReads: [],
  nonceChanges: [],
  codeChanges: [],
  balanceChanges: [{ index: "0x1", value: "0x3e8" }],
};
