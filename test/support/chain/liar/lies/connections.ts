import type { Misbehaviour } from "../../rpc-proxy.ts";
import { balanceAskedBy, changing, hex, type Log, nonsenseHash, word } from "../changing.ts";
import { type JsonObject, lie, Misbehaving, sometimes, type Teller } from "../lie.ts";

const always = (how: Exclude<Misbehaviour, null>) => (): Teller => async () => {
  throw new Misbehaving(how);
};

const inBatches = (how: Exclude<Misbehaviour, null>) => (): Teller => (call, ask) => {
  if (call.together > 1) throw new Misbehaving(how);
  return ask();
};

const onMethod =
  (method: string, how: Exclude<Misbehaviour, null>) => (): Teller => (call, ask) => {
    if (call.method === method) throw new Misbehaving(how);
    return ask();
  };

const refusedBatch = {
  whole: { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "batches are not allowed" } },
};
const unsupported = { error: { code: -32_601, message: "the method does not exist" } };

/**
 * A range of blocks at a time, on a chain without traces: there eth_getLogs says which blocks are
 * of interest.
 */
const ranges = { reading: { tracing: "off", isByRange: true } } as const;
const bloomRanges = { reading: { ...ranges.reading, receipts: "none" } } as const;
const isLogsCall = ({ method }: { method: string }) => method === "eth_getLogs";

/** Each answer of a batch is given to the question after it. */
const mixedUp = (): Teller => {
  let last: unknown = null;
  return async (call, ask) => {
    const answer = await ask();
    if (call.together === 1) return answer;
    const given = last ?? answer;
    last = answer;
    return given;
  };
};

export const connectionLies = {
  "batches refused by one error": lie(inBatches(refusedBatch), { from: "start" }),
  "batches refused by a status": lie(inBatches({ status: 400 }), { from: "start" }),
  "batches refused one call at a time": lie(
    inBatches({ error: { code: -32_600, message: "batches are not allowed" } }),
    { from: "start" },
  ),
  "batches answered by one answer": lie(
    inBatches({ whole: { jsonrpc: "2.0", id: 1, result: "0x0" } }),
    { from: "start" },
  ),
  "batches answered by an empty list": lie(inBatches({ whole: [] }), { from: "start" }),
  "batches dropped": lie(inBatches("drop"), { from: "start" }),
  "batches mixed up": lie(mixedUp, { from: "openings" }),
  "receipts of a block not offered": lie(onMethod("eth_getBlockReceipts", unsupported), {
    from: "start",
  }),
  silent: lie(always("hang"), { isSilent: true }),
  "silent from the start": lie(always("hang"), { from: "start", isSilent: true }),
  "closes every connection": lie(always("drop")),
  "answers cut short": lie(always("cut")),
  "asks for fewer requests": lie(always({ status: 429, headers: { "retry-after": "0" } })),
  "fails with 500": lie(always({ status: 500 })),
  "refuses everything": lie(always({ error: { code: -32_000, message: "internal error" } })),
  "null to everything": lie(always({ result: null })),
  "an empty list to everything": lie(always({ result: [] })),
  "an empty object to everything": lie(always({ result: {} })),
  "zero to everything": lie(always({ result: "0x0" })),
  "fails now and then": lie((scene) => sometimes(scene.random, 3, always({ status: 502 })())),
  "receipts never answered": lie(onMethod("eth_getBlockReceipts", "hang"), { isSilent: true }),
  "traces never answered": lie(onMethod("debug_traceBlockByHash", "hang"), { isSilent: true }),
  "balances never answered": lie(
    () => (call, ask) => {
      if (balanceAskedBy(call) !== null) throw new Misbehaving("hang");
      return ask();
    },
    { isSilent: true },
  ),
  "quantities of 2^256 and more": lie(
    changing(
      ({ method }) => method === "eth_getBalance",
      () => hex(2n ** 256n + 1n),
    ),
  ),
  "no proof: logs of a range left out": lie(
    changing(isLogsCall, () => []),
    bloomRanges,
  ),
  "logs of a range left out": lie(
    changing(isLogsCall, () => []),
    ranges,
  ),
  "logs of a range of another block": lie(
    changing<Log[]>(isLogsCall, (logs) => logs.map((log) => ({ ...log, blockHash: nonsenseHash }))),
    bloomRanges,
  ),
  "logs of a range to others": lie(
    changing<Log[]>(isLogsCall, (logs, { stranger }) =>
      logs.map((log) => ({
        ...log,
        topics: log.topics.map((topic, at) => (at === 0 ? topic : word(stranger))),
      })),
    ),
    bloomRanges,
  ),
  "logs of a range invented": lie(
    changing<Log[]>(isLogsCall, (logs, { holder }) =>
      logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, 2), word(holder)] })),
    ),
    bloomRanges,
  ),
  "other fields beside those of the standard": lie(
    changing<JsonObject>(
      ({ method }) => method === "eth_getBlockByNumber",
      (block) => ({ ...block, l1BlockNumber: "0x1", sendCount: "0x1", blockGasCost: "0x0" }),
    ),
  ),
};
