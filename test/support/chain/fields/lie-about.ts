import type { JsonObject } from "../liar/lie.ts";
import type { Misbehave } from "../rpc-proxy.ts";
import type { ProvedField } from "./proved-fields.ts";

/**
 * Answers of a node with that field changed; `changed` is called each time that something came out
 * different.
 */
export function lieAbout(lie: ProvedField["lie"], changed: () => void): Misbehave {
  const same = (part: JsonObject) => part;
  const { block = same, transaction = same, receipt = same, log = same } = lie;
  const each = (list: unknown, change: (part: JsonObject) => JsonObject) =>
    Array.isArray(list) ? list.map((one) => (isObject(one) ? change(one) : one)) : list;
  const ofBlock = (one: JsonObject) =>
    block({ ...one, transactions: each(one["transactions"], transaction) });
  const ofReceipt = (one: JsonObject) => receipt({ ...one, logs: each(one["logs"], log) });

  return async ({ method }, forward) => {
    const honest = await forward();
    const answer = changedAnswer(method, honest);
    if (JSON.stringify(answer) !== JSON.stringify(honest)) changed();
    return { result: answer };
  };

  function changedAnswer(method: string, honest: unknown): unknown {
    if (method.startsWith("eth_getBlockBy")) return isObject(honest) ? ofBlock(honest) : honest;
    if (method === "eth_getBlockReceipts") return each(honest, ofReceipt);
    return method === "eth_getLogs" ? each(honest, log) : honest;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
