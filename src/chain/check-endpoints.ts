import { zeroAddress } from "../domain/chain/address.ts";
import type { EndpointCheck, EndpointRate } from "../domain/setup/endpoint-check.ts";
import type { Clock } from "../runtime/clock.ts";
import { endpointNames } from "./endpoints/endpoint-names.ts";
import { hideKeys } from "./endpoints/hide-keys.ts";
import { measureRate } from "./measure-rate.ts";
import { failureOf } from "./rpc/rpc-fault.ts";
import { createTransport, type RpcTransport } from "./rpc/rpc-transport.ts";
import { readHash, readObject, readQuantity, toQuantity } from "./rpc/rpc-value.ts";

/** The time limit of each request, in ms. The trace of a full block takes long. */
const timeoutMs = 15_000;

/** A head older than this, in ms, means that the node is behind: no chain in use pauses so long. */
const oldHeadMs = 600_000;

type Asked = { kind: "answered"; value: unknown } | { kind: "failed"; reason: string };
type Ask = (method: string, params: readonly unknown[]) => Promise<Asked>;
type Head = { number: bigint; hash: string; ageMs: number };

type Expected = { chainId: number; mayStandStill: boolean; asksRate: boolean; clock: Clock };

/**
 * Asks each URL of a chain what it offers, all at once, for a person who configures them. Never
 * throws: a failure is a fault in the answer, without the URL.
 * @param expected.mayStandStill true for a development chain, which makes blocks only when needed
 * @param expected.asksRate true to measure how many requests the URL accepts, which costs many
 *   requests
 */
export function checkEndpoints(
  urls: readonly string[],
  expected: Expected,
): Promise<EndpointCheck[]> {
  const names = endpointNames(urls);
  return Promise.all(urls.map((url, index) => checkEndpoint(url, names[index] ?? "", expected)));
}

async function checkEndpoint(
  url: string,
  name: string,
  expected: Expected,
): Promise<EndpointCheck> {
  const { clock } = expected;
  const transport = createTransport(url, timeoutMs, clock);
  const redact = hideKeys([url]);
  const ask: Ask = (method, params) =>
    transport.request({ method, params }).then(
      (value) => ({ kind: "answered", value }),
      (error: unknown) => ({ kind: "failed", reason: failureOf(error, redact).reason }),
    );
  try {
    const identity = await ask("eth_chainId", []);
    if (identity.kind === "failed") return nothing(name, identity.reason);
    const chainId = quantityIn(identity.value);
    if (chainId === null) return nothing(name, "what it says its chain id is cannot be read");
    const head = await askHead(ask, clock);
    const faults = faultsOf(expected, { chainId: Number(chainId), head });
    const known = { ...nothing(name, ""), chainId: Number(chainId), faults };
    if (typeof head === "string") return known;
    const offers = await askOffers({ ask, transport, head });
    const rate = expected.asksRate ? await askRate(ask, clock) : null;
    return { ...known, head, ...offers, rate };
  } finally {
    transport.close();
  }
}

function nothing(name: string, fault: string): EndpointCheck {
  const unknown = { chainId: null, head: null, history: null, receipts: null, traces: null };
  return {
    name,
    ...unknown,
    announcesHeads: null,
    takesBatches: null,
    rate: null,
    faults: [fault],
  };
}

/** The head, or a text that says what is wrong. */
async function askHead(ask: Ask, clock: Clock): Promise<Head | string> {
  const asked = await ask("eth_getBlockByNumber", ["latest", false]);
  if (asked.kind === "failed") return `its head cannot be asked for: ${asked.reason}`;
  try {
    const block = readObject(asked.value, "block");
    const timeMs = Number(readQuantity(block["timestamp"], "timestamp")) * 1_000;
    return {
      number: readQuantity(block["number"], "number"),
      hash: readHash(block["hash"], "hash"),
      ageMs: Math.max(0, clock.now() - timeMs),
    };
  } catch {
    return "its head cannot be read";
  }
}

function faultsOf(expected: Expected, found: { chainId: number; head: Head | string }): string[] {
  const { chainId, head } = found;
  const faults: string[] = [];
  if (chainId !== expected.chainId)
    faults.push(`it serves chain ${chainId}, not ${expected.chainId}`);
  if (typeof head === "string") faults.push(head);
  else if (head.ageMs > oldHeadMs && !expected.mayStandStill)
    faults.push(`its head is ${Math.round(head.ageMs / 60_000)} minutes old`);
  return faults;
}

async function askOffers(of: { ask: Ask; transport: RpcTransport; head: Head }) {
  const { ask, transport, head } = of;
  const at = toQuantity(head.number);
  const [history, receipts, traces, announcesHeads, takesBatches] = await Promise.all([
    askHistory(ask, head),
    ask("eth_getBlockReceipts", [at]),
    askTraces(ask, head),
    announces(transport),
    batches(transport),
  ]);
  const isByBlock = receipts.kind === "answered" && Array.isArray(receipts.value);
  const offered = isByBlock ? ("by block" as const) : ("one by one" as const);
  return { history, receipts: offered, traces, announcesHeads, takesBatches };
}

async function askHistory(ask: Ask, head: Head): Promise<EndpointCheck["history"]> {
  const first = head.number === 0n ? "0x0" : "0x1";
  const [block, balance] = await Promise.all([
    ask("eth_getBlockByNumber", [first, false]),
    ask("eth_getBalance", [zeroAddress, first]),
  ]);
  if (block.kind === "failed" || block.value === null) return "recent";
  return balance.kind === "answered" ? "blocks and state" : "blocks";
}

async function askTraces(ask: Ask, head: Head): Promise<EndpointCheck["traces"]> {
  const debug = await ask("debug_traceBlockByHash", [head.hash, { tracer: "callTracer" }]);
  if (debug.kind === "answered" && Array.isArray(debug.value)) return "debug";
  const parity = await ask("trace_block", [toQuantity(head.number)]);
  return parity.kind === "answered" && Array.isArray(parity.value) ? "parity" : "none";
}

async function announces(transport: RpcTransport): Promise<boolean | null> {
  if (transport.subscribeHeads === null) return null;
  return transport.subscribeHeads({ onHead() {}, onError() {} }).then(
    () => true,
    () => false,
  );
}

/** Tests whether two calls of the same moment go as one request. */
async function batches(transport: RpcTransport): Promise<boolean | null> {
  if (transport.subscribeHeads !== null) return null;
  const calls = ["eth_chainId", "eth_blockNumber"].map((method) =>
    transport.requestBatched({ method, params: [] }),
  );
  return Promise.all(calls).then(
    (answers) => answers.every((answer) => quantityIn(answer) !== null),
    () => false,
  );
}

/**
 * Measures the rate. It comes last, because an endpoint that has refused requests may refuse the
 * next ones too.
 */
function askRate(ask: Ask, clock: Clock): Promise<EndpointRate> {
  const once = async () => {
    const asked = await ask("eth_blockNumber", []);
    return asked.kind === "failed" ? asked : null;
  };
  return measureRate(once, clock);
}

function quantityIn(value: unknown): bigint | null {
  try {
    return readQuantity(value, "quantity");
  } catch {
    return null;
  }
}
