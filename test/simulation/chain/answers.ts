import { HttpRequestError, RpcRequestError } from "viem";
import type { RpcCall } from "../../../src/chain/rpc/rpc-call.ts";
import { holdingKey } from "./addresses.ts";
import { toHex } from "./fake-block.ts";
import type { FakeBlock, FakeChain } from "./fake-chain.ts";
import type { View } from "./node-view.ts";
import { logsOf, type Pruned, receiptsOf } from "./pruned.ts";

export const chainId = 4711;

/** The parts of a block that a node may answer falsely. */
type Part = "block" | "receipts" | "traces" | "access list";

/** What a node does with its answers before it gives them. */
export type Answering = {
  url: string;
  chain: () => FakeChain;
  view: () => View;
  offers: {
    blockReceipts: boolean;
    traces: readonly ("debug" | "parity")[];
    accessLists: boolean;
  };
  /** What it has forgotten; null: nothing. */
  pruned: () => Pruned | null;
  /** How far back states are kept, and whether this one is gone. */
  stateBlocks: number;
  isStateGone: () => boolean;
  /** That it has the traces of no block. */
  isUntraced: () => boolean;
  isOtherChain: () => boolean;
  /** That a header is not there. */
  isMissing: () => boolean;
  /** That it answers by its own block of that height although it was asked by another's hash. */
  isConfused: () => boolean;
  answered: <T>(part: Part, value: T) => unknown;
};

type Params = readonly unknown[];

/**
 * What a node answers to each question of JSON-RPC, from what it knows of the chain. Throws what
 * viem throws.
 */
export function createAnswers(node: Answering): (call: RpcCall) => unknown {
  const { answered } = node;
  const known = createLookup(node);
  const header = (block: FakeBlock | undefined) =>
    block === undefined || node.isMissing() ? null : block.json.block;
  const offered = (isOffered: boolean, method: string) => {
    if (!isOffered) throw unsupported(node.url, method);
  };
  const ofBlock = (hash: unknown, read: (block: FakeBlock) => unknown) => {
    const block = node.isConfused() ? known.confused(hash) : known.byHash(hash);
    return block === undefined ? null : read(block);
  };
  const whole = (block: FakeBlock | undefined, isFull: unknown) => {
    if (block === undefined) return null;
    return isFull === true ? answered("block", block.json.block) : header(block);
  };

  const traced = <T>(answer: T): T => {
    if (!node.isUntraced()) return answer;
    throw refused(node.url, { code: -32000, message: "historical state is not available" });
  };

  const methods: Record<string, (params: Params) => unknown> = {
    eth_chainId: () => toHex(node.isOtherChain() ? 1 : chainId),
    eth_blockNumber: () => toHex(node.view().head),
    eth_getBlockByNumber: ([at, isFull]) => whole(known.at(at), isFull),
    eth_getBlockByHash: ([hash, isFull]) => whole(known.byHash(hash), isFull),
    eth_getBlockReceipts([hash]) {
      offered(node.offers.blockReceipts, "eth_getBlockReceipts");
      return ofBlock(hash, (block) => {
        const pruned = node.pruned();
        const { receipts: all } = block.json;
        const receipts =
          pruned === null ? all : receiptsOf({ url: node.url, view: node.view(), pruned }, block);
        return receipts === null ? null : answered("receipts", receipts);
      });
    },
    eth_getTransactionReceipt([hash]) {
      const receipt = known.receipt(hash);
      if (receipt === undefined) return null;
      const answer = answered("receipts", [receipt]);
      return Array.isArray(answer) ? (answer[0] ?? null) : null;
    },
    debug_traceBlockByHash([hash]) {
      offered(node.offers.traces.includes("debug"), "debug_traceBlockByHash");
      return ofBlock(hash, (block) => traced(answered("traces", block.json.debugTraces)));
    },
    trace_block([at]) {
      offered(node.offers.traces.includes("parity"), "trace_block");
      const block = known.at(at);
      return block === undefined ? null : traced(answered("traces", block.json.parityTraces));
    },
    eth_getBlockAccessList([hash]) {
      offered(node.offers.accessLists, "eth_getBlockAccessList");
      return ofBlock(hash, (block) => {
        const { accessList } = block.json;
        return accessList === null ? null : answered("access list", accessList);
      });
    },
    eth_getLogs([filter]) {
      const of = { ...node, view: node.view(), pruned: node.pruned() };
      return logsOf(of, filter as Parameters<typeof logsOf>[1]);
    },
    eth_capabilities() {
      const pruned = node.pruned();
      offered(pruned?.saysSo === true, "eth_capabilities");
      const oldest = Math.max(0, node.view().head - (pruned?.keeps ?? 0));
      return { logs: { disabled: false, oldestBlock: toHex(oldest) } };
    },
    eth_getBalance: ([owner, at]) => toHex(known.balance(String(owner), "native", at)),
    eth_call([call, at]) {
      const { to, data } = call as { to: string; data: string };
      const owner = `0x${data.slice(-40)}`;
      return `0x${known.balance(owner, to, at).toString(16).padStart(64, "0")}`;
    },
  };

  return ({ method, params }) => {
    const answer = methods[method];
    if (answer === undefined) throw unsupported(node.url, method);
    return structuredClone(answer(params));
  };
}

function createLookup({ url, chain, view, stateBlocks, isStateGone }: Answering) {
  /** Receipts and traces are asked for by hash: a node on another branch does not know it. */
  const byHash = (hash: unknown) => {
    const { branch, head } = view();
    return branch.slice(0, head + 1).findLast((block) => block.header.hash === hash);
  };
  return {
    byHash,
    /** By height or by tag. */
    at(at: unknown): FakeBlock | undefined {
      const { branch, head, final } = view();
      if (at === "latest") return branch[head];
      if (at === "finalized" || at === "safe") return branch[final];
      const number = Number(BigInt(String(at)));
      return number > head ? undefined : branch[number];
    },
    /**
     * What a node of another branch may answer with although it was asked by hash: its own block of
     * that height.
     */
    confused(hash: unknown): FakeBlock | undefined {
      const { branch } = view();
      const asked = chain().byHash.get(hash as `0x${string}`);
      return asked === undefined ? undefined : branch[Number(asked.header.number)];
    },
    receipt(hash: unknown) {
      const { branch, head } = view();
      const receipts = branch.slice(0, head + 1).flatMap((block) => block.json.receipts);
      return receipts.findLast((one) => one["transactionHash"] === hash);
    },
    /** EIP-1898 with requireCanonical: a block that is not of this branch has no state here. */
    balance(owner: string, asset: string, at: unknown): bigint {
      const { branch, head } = view();
      const number = heightOf(branch, at);
      const isKnown = number !== -1 && number <= head;
      const isGone = head - number > stateBlocks || isStateGone();
      if (!isKnown || isGone) throw refused(url, { code: -32000, message: "header not found" });
      return branch[number]?.balances.get(holdingKey(owner, asset)) ?? 0n;
    },
  };
}

/** By hash (EIP-1898) or by height. */
function heightOf(branch: readonly FakeBlock[], at: unknown): number {
  if (typeof at === "string") return Number(BigInt(at));
  const { blockHash } = at as { blockHash: string };
  return branch.findIndex((block) => block.header.hash === blockHash);
}

export function refused(url: string, error: { code: number; message: string }): RpcRequestError {
  return new RpcRequestError({ body: {}, url, error });
}

export function failed(
  url: string,
  of: { status?: number; headers?: Record<string, string> },
): HttpRequestError {
  const { status, headers = {} } = of;
  return new HttpRequestError({
    url,
    headers: new Headers(headers),
    ...(status === undefined ? {} : { status }),
  });
}

function unsupported(url: string, method: string): Error {
  return refused(url, {
    code: -32601,
    message: `the method ${method} does not exist/is not available`,
  });
}
