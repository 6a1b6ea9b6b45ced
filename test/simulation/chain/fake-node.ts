import { HttpRequestError, RpcRequestError, TimeoutError } from "viem";
import type { RpcCall } from "../../../src/chain/rpc/rpc-call.ts";
import type { RpcTransport } from "../../../src/chain/rpc/rpc-transport.ts";
import type { Profile } from "../profile.ts";
import type { Random } from "../random.ts";
import { holdingKey } from "./addresses.ts";
import { toHex } from "./fake-block.ts";
import type { FakeBlock, FakeChain } from "./fake-chain.ts";
import { forge } from "./forge.ts";

export const chainId = 4711;

/** What a node knows while it answers: a branch up to a head. */
type View = { branch: readonly FakeBlock[]; head: number };

export type NodeOptions = {
  url: string;
  chain: () => FakeChain;
  profile: Profile;
  random: Random;
  isHealed: () => boolean;
  /** The branch that it makes up, where it is a liar. */
  invented: () => readonly FakeBlock[] | null;
  enter: <T>(label: string, work: () => Promise<T>) => Promise<T>;
};

/**
 * A JSON-RPC endpoint as a provider's load balancer makes it: behind each question may be another node, which lags, is
 * on another branch, has pruned its states, is out of order, refuses or forges. Takes the place of viem's transport, and
 * throws what that throws.
 */
export function createFakeNode(options: NodeOptions): RpcTransport {
  const { enter } = options;
  const answer = createAnswers(options);
  const request = (call: RpcCall) => {
    const [first] = call.params;
    const about = typeof first === "string" ? ` ${first.slice(0, 10)}` : "";
    return enter(`${call.method}${about}`, async () => answer(call));
  };
  return { request, requestBatched: request, subscribeHeads: null, drop() {}, close() {} };
}

function createAnswers(options: NodeOptions): (call: RpcCall) => unknown {
  const { url, chain, profile, random, isHealed } = options;
  const view = createView(options);
  const happens = (probability: number) => !isHealed() && random.chance(probability);

  function refuse(): void {
    if (!happens(profile.rpcError)) return;
    const how = random.pick(["429", "limit", "503", "timeout"]);
    const headers = new Headers(random.chance(0.5) ? { "retry-after": "1" } : {});
    if (how === "timeout") throw new TimeoutError({ body: {}, url });
    if (how === "limit") throw refused(url, { code: -32005, message: "limit exceeded" });
    throw new HttpRequestError({ url, status: how === "429" ? 429 : 503, headers });
  }

  function blockAt(at: unknown): FakeBlock | undefined {
    const { branch, head } = view();
    if (at === "latest") return branch[head];
    const number = Number(BigInt(String(at)));
    return number > head ? undefined : branch[number];
  }

  /** Receipts and traces are asked for by hash: a node on another branch does not know it. */
  function blockOf(hash: unknown): FakeBlock | undefined {
    const { branch, head } = view();
    return branch.slice(0, head + 1).findLast((block) => block.header.hash === hash);
  }

  /** What a node of another branch may answer with although it was asked by hash: its own block of that height. */
  function confused(hash: unknown): FakeBlock | undefined {
    const { branch } = view();
    const asked = chain().byHash.get(hash as `0x${string}`);
    return asked === undefined ? undefined : branch[Number(asked.header.number)];
  }

  function answered<T>(part: "block" | "receipts" | "traces", value: T): unknown {
    if (happens(profile.missing)) return null;
    return happens(profile.forged) ? forge(random, part, value) : value;
  }

  function ofBlock(hash: unknown, read: (block: FakeBlock) => unknown): unknown {
    const isConfused = happens(profile.confused);
    const block = isConfused ? confused(hash) : blockOf(hash);
    return block === undefined ? null : read(block);
  }

  function unsupported(method: string): Error {
    return refused(url, {
      code: -32601,
      message: `the method ${method} does not exist/is not available`,
    });
  }

  const methods: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => toHex(happens(profile.wrongChain) ? 1 : chainId),
    eth_getBlockByNumber([at, isFull]) {
      const block = blockAt(at)?.json.block;
      if (block === undefined) return null;
      return isFull === true ? answered("block", block) : happens(profile.missing) ? null : block;
    },
    eth_getBlockReceipts([hash]) {
      if (!profile.hasBlockReceipts) throw unsupported("eth_getBlockReceipts");
      return ofBlock(hash, (block) => answered("receipts", block.json.receipts));
    },
    eth_getTransactionReceipt([hash]) {
      const { branch, head } = view();
      const receipts = branch.slice(0, head + 1).flatMap((block) => block.json.receipts);
      const receipt = receipts.findLast((one) => one["transactionHash"] === hash);
      if (receipt === undefined) return null;
      const answer = answered("receipts", [receipt]);
      return Array.isArray(answer) ? (answer[0] ?? null) : null;
    },
    debug_traceBlockByHash([hash]) {
      if (profile.tracing !== "debug") throw unsupported("debug_traceBlockByHash");
      return ofBlock(hash, (block) => answered("traces", block.json.debugTraces));
    },
    trace_block([at]) {
      if (profile.tracing !== "parity") throw unsupported("trace_block");
      const block = blockAt(at);
      return block === undefined ? null : answered("traces", block.json.parityTraces);
    },
    eth_getBalance: ([owner, at]) => toHex(balanceOf(String(owner), "native", at)),
    eth_call([call, at]) {
      const { to, data } = call as { to: string; data: string };
      const owner = `0x${data.slice(-40)}`;
      return `0x${balanceOf(owner, to, at).toString(16).padStart(64, "0")}`;
    },
  };

  /** EIP-1898 with requireCanonical: a block that is not of this branch has no state here. */
  function balanceOf(owner: string, asset: string, at: unknown): bigint {
    const { branch, head } = view();
    const { blockHash } = at as { blockHash: string };
    const number = branch.findIndex((block) => block.header.hash === blockHash);
    const isKnown = number !== -1 && number <= head;
    const isGone = head - number > profile.stateBlocks || happens(profile.stateGone);
    if (!isKnown || isGone) throw refused(url, { code: -32000, message: "header not found" });
    return branch[number]?.balances.get(holdingKey(owner, asset)) ?? 0n;
  }

  return ({ method, params }) => {
    refuse();
    const answer = methods[method];
    if (answer === undefined) throw unsupported(method);
    return structuredClone(answer(params));
  };
}

function refused(url: string, error: { code: number; message: string }): RpcRequestError {
  return new RpcRequestError({ body: {}, url, error });
}

/** Which node of the endpoint answers. One that lags or is on another branch may answer several questions in a row. */
function createView({ chain, profile, random, isHealed, invented }: NodeOptions): () => View {
  let node: { view: () => View; answersLeft: number } | null = null;

  function canonicalView(): View {
    const branch = chain().canonical();
    return { branch, head: branch.length - 1 };
  }

  function pickNode() {
    const left = chain().left().slice(-2);
    const answersLeft = random.pick([1, 1, 3, 8, 20]);
    if (left.length > 0 && random.chance(profile.otherFork)) {
      const branch = random.pick(left);
      return { view: () => ({ branch, head: branch.length - 1 }), answersLeft };
    }
    const lag = random.chance(profile.lag) ? random.int(1, 20) : 0;
    const lagging = () => {
      const { branch, head } = canonicalView();
      return { branch, head: Math.max(0, head - lag) };
    };
    return { view: lagging, answersLeft: lag === 0 ? 1 : answersLeft };
  }

  return () => {
    if (isHealed()) return canonicalView();
    const lie = invented();
    if (lie !== null) return { branch: lie, head: lie.length - 1 };
    if (node === null || node.answersLeft <= 0) node = pickNode();
    node.answersLeft -= 1;
    return node.view();
  };
}
