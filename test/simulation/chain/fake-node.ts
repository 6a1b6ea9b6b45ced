import { TimeoutError } from "viem";
import type { RpcCall } from "../../../src/chain/rpc/rpc-call.ts";
import type { RpcTransport } from "../../../src/chain/rpc/rpc-transport.ts";
import { Misbehaving, type Teller } from "../../support/chain/liar/lie.ts";
import type { Lacking } from "../trial/cast.ts";
import { createAnswers, failed, refused } from "./answers.ts";
import { forge } from "./forge.ts";
import { createView, type ViewOptions } from "./node-view.ts";
import type { Pruned } from "./pruned.ts";

export type NodeOptions = ViewOptions & {
  url: string;
  /** What it says instead of what it knows; null: the truth. */
  teller: () => Teller | null;
  /** Never answers. */
  isSilent: () => boolean;
  /** What it has of no block; null: see its profile. */
  lacks: () => Lacking | null;
  /** What it has forgotten; null: nothing. */
  pruned: () => Pruned | null;
  enter: <T>(label: string, work: () => Promise<T>) => Promise<T>;
};

/**
 * A JSON-RPC endpoint as a provider's load balancer makes it: behind each question may be another
 * node, which lags, is on another branch, has pruned its states, is out of order, refuses or
 * forges. Takes the place of viem's transport, and throws what that throws.
 */
export function createFakeNode(options: NodeOptions): RpcTransport {
  const { enter, url, isSilent, teller } = options;
  const answer = createFaultyAnswers(options);
  const reply = async (call: RpcCall): Promise<unknown> => {
    if (isSilent()) throw new TimeoutError({ body: {}, url });
    const tell = teller();
    return tell === null ? answer(call) : lie(url, { tell, call, answer });
  };
  const request = (call: RpcCall) => {
    const [first] = call.params;
    const about = typeof first === "string" ? ` ${first.slice(0, 10)}` : "";
    return enter(`${call.method}${about}`, () => reply(call));
  };
  return { request, requestBatched: request, subscribeHeads: null, drop() {}, close() {} };
}

/** A lie's answer; where it is none but a misbehaviour, what that comes to. */
async function lie(
  url: string,
  of: { tell: Teller; call: RpcCall; answer: (call: RpcCall) => unknown },
): Promise<unknown> {
  const { tell, call, answer } = of;
  const asked = { method: call.method, params: [...call.params], together: 1 };
  try {
    return structuredClone(await tell(asked, async (other = asked) => answer(other)));
  } catch (error) {
    if (!(error instanceof Misbehaving)) throw error;
    const { how } = error;
    if (how === "hang") throw new TimeoutError({ body: {}, url });
    if (typeof how === "string" || "whole" in how) throw failed(url, {});
    if ("error" in how) throw refused(url, how.error);
    if ("status" in how) throw failed(url, how);
    return how.result;
  }
}

function createFaultyAnswers(options: NodeOptions): (call: RpcCall) => unknown {
  const { url, profile, random, isHealed, lacks } = options;
  const happens = (probability: number) => !isHealed() && random.chance(probability);
  const answer = createAnswers({
    url,
    chain: options.chain,
    view: createView(options),
    pruned: options.pruned,
    offers: {
      blockReceipts: profile.hasBlockReceipts,
      traces: [profile.tracing],
      // Not drawn: what is drawn after it would be another world.
      accessLists: profile.blocksBefore % 3 !== 0,
    },
    stateBlocks: profile.stateBlocks,
    isStateGone: () => lacks() === "states" || happens(profile.stateGone),
    isUntraced: () => lacks() === "traces",
    isOtherChain: () => happens(profile.wrongChain),
    isMissing: () => happens(profile.missing),
    isConfused: () => happens(profile.confused),
    answered(part, value) {
      if (happens(profile.missing)) return null;
      return happens(profile.forged) ? forge(random, part, value) : value;
    },
  });

  function refuse(): void {
    if (!happens(profile.rpcError)) return;
    const how = random.pick(["429", "limit", "503", "timeout"]);
    const headers: Record<string, string> = random.chance(0.5) ? { "retry-after": "1" } : {};
    if (how === "timeout") throw new TimeoutError({ body: {}, url });
    if (how === "limit") throw refused(url, { code: -32005, message: "limit exceeded" });
    throw failed(url, { status: how === "429" ? 429 : 503, headers });
  }

  return (call) => {
    refuse();
    return answer(call);
  };
}
