import { balanceAskedBy, hex, isBlockCall, word } from "./changing.ts";
import { type BlockParts, emptied, seal } from "./forge-block.ts";
import type { JsonObject, Scene, Teller } from "./lie.ts";

export type BranchPlan = {
  /**
   * The first block that is made up: so many below the head when the branch is first asked for; 0
   * is the next one.
   */
  below: bigint;
  /** Blocks above the honest head. */
  ahead: bigint;
  /** What is changed in each; the chain's own blocks where this is left out. */
  change?: (parts: BlockParts, scene: Scene, place: bigint) => BlockParts | Promise<BlockParts>;
  /**
   * What a wallet holds more (or less) than on the chain, of the coin and of the token, above the
   * first block.
   */
  moved?: (scene: Scene) => { owner: string; coin: bigint; token: bigint };
  /** For so many calls, and after them the chain's own branch again. */
  calls?: number;
};

type Forged = BlockParts & { number: bigint; honestHash: string };

/**
 * A branch of the liar's own: every block has the roots, the bloom and the hash that belong to what
 * is in it and names the block before it. Only the state's root is that of another block.
 */
export function forging(plan: BranchPlan) {
  return (scene: Scene): Teller => {
    const branch = createBranch(scene, plan);
    let left = plan.calls ?? Number.POSITIVE_INFINITY;
    return async (call, ask) => {
      left -= 1;
      if (left < 0) return ask();
      if (call.method === "eth_blockNumber") return hex(await branch.head());
      if (isBlockCall(call)) {
        const [at, isFull] = call.params;
        const forged = await branch.at(String(at));
        if (forged === "none") return null;
        if (forged === "honest") return ask();
        return isFull === true ? forged.block : withHashes(forged.block);
      }
      const [first, second] = call.params;
      if (call.method === "eth_getBlockReceipts")
        return (await branch.known(String(first)))?.receipts ?? ask();
      if (call.method === "debug_traceBlockByHash")
        return (await branch.known(String(first)))?.traces ?? ask();
      const asked = balanceAskedBy(call);
      if (asked === null) return ask();
      const place = call.method === "eth_getProof" ? 2 : 1;
      const at = (call.params[place] ?? second) as { blockHash?: string } | string;
      const forged = typeof at === "object" ? await branch.known(String(at.blockHash)) : null;
      if (forged === null) return ask();
      const params = [...call.params];
      params[place] = { blockHash: forged.honestHash };
      const answer = await ask({ method: call.method, params });
      return raise(answer, asked, plan.moved?.(scene) ?? null);
    };
  };
}

function raise(
  answer: unknown,
  asked: { owner: string; token: string | null },
  moved: { owner: string; coin: bigint; token: bigint } | null,
): unknown {
  // No answer: of before the token was there.
  if (moved === null || moved.owner !== asked.owner || answer === "0x") return answer;
  if (typeof answer !== "string") {
    const account = answer as JsonObject;
    return { ...account, balance: hex(BigInt(String(account["balance"])) + moved.coin) };
  }
  const more = BigInt(answer) + (asked.token === null ? moved.coin : moved.token);
  return asked.token === null ? hex(more) : word(more);
}

function withHashes(block: JsonObject): JsonObject {
  const transactions = block["transactions"] as JsonObject[];
  return { ...block, transactions: transactions.map((one) => one["hash"]) };
}

function createBranch(scene: Scene, plan: BranchPlan) {
  const byHeight = new Map<bigint, Promise<Forged>>();
  const byHash = new Map<string, Promise<Forged>>();
  let base: Promise<bigint> | null = null;

  const honestHead = async () => BigInt(await scene.rpc<string>("eth_blockNumber"));
  const first = () => {
    base ??= honestHead().then((head) => head + 1n - plan.below);
    return base;
  };

  async function forge(number: bigint): Promise<Forged> {
    const from = await first();
    const head = await honestHead();
    const honest = number <= head ? number : head;
    const parts = await read(scene, honest);
    const parent = number > from ? (await forgedAt(number - 1n)).block : null;
    const isAbove = number > head;
    const own = isAbove ? emptied(parts) : parts;
    const changed = (await plan.change?.(own, scene, number - from)) ?? own;
    const honestParent = isAbove ? parts.block["hash"] : parts.block["parentHash"];
    const block = {
      ...changed.block,
      number: hex(number),
      extraData: "0x6c696172",
      parentHash: parent?.["hash"] ?? honestParent,
      ...(isAbove ? { timestamp: later(parts.block, number - head) } : {}),
    };
    const sealed = seal(scene, { ...changed, block });
    return { ...sealed, number, honestHash: String(parts.block["hash"]) };
  }

  /**
   * Kept: what has been said of a height is said again, also where the chain itself has gone on
   * meanwhile.
   */
  async function forgedAt(number: bigint): Promise<Forged> {
    const known = byHeight.get(number);
    if (known !== undefined) return known;
    const forged = forge(number);
    byHeight.set(number, forged);
    const hash = String((await forged).block["hash"]);
    byHash.set(hash, forged);
    return forged;
  }

  const head = async () => {
    const honest = await honestHead();
    const last = honest + plan.ahead;
    const from = await first();
    return last < from - 1n ? from - 1n : last;
  };

  return {
    head,
    async known(hash: string): Promise<Forged | null> {
      return (await byHash.get(hash)) ?? null;
    },
    /** By height, tag or hash. */
    async at(at: string): Promise<Forged | "honest" | "none"> {
      if (at.length === 2 + 64) return (await byHash.get(at)) ?? "honest";
      const from = await first();
      const top = await head();
      const number = await heightOf(at, top);
      if (number < from) return "honest";
      return number > top ? "none" : forgedAt(number);
    },
  };

  async function heightOf(at: string, top: bigint): Promise<bigint> {
    if (at === "latest" || at === "pending") return top;
    if (at.startsWith("0x")) return BigInt(at);
    if (at === "earliest") return 0n;
    const tagged = await scene.rpc<{ number: string } | null>("eth_getBlockByNumber", at, false);
    return BigInt(tagged?.number ?? 0);
  }
}

function later(block: JsonObject, blocks: bigint): string {
  return hex(BigInt(String(block["timestamp"])) + blocks);
}

/** A block of the chain with everything that is answered about it. */
async function read({ rpc }: Scene, number: bigint): Promise<BlockParts> {
  const block = await rpc<JsonObject>("eth_getBlockByNumber", hex(number), true);
  const tracer = { tracer: "callTracer" };
  const [receipts, traces] = await Promise.all([
    rpc<JsonObject[]>("eth_getBlockReceipts", block["hash"]),
    rpc<JsonObject[]>("debug_traceBlockByHash", block["hash"], tracer),
  ]);
  return { block, receipts, traces };
}

/**
 * One block in the place of the chain's own, in itself without a flaw, which no block after it
 * names.
 */
export function forgingOne(
  plan: Required<Pick<BranchPlan, "change" | "moved">> & { below: bigint },
) {
  return (scene: Scene): Teller => {
    let forged: Promise<Forged> | null = null;
    const make = async (): Promise<Forged> => {
      const head = BigInt(await scene.rpc<string>("eth_blockNumber"));
      const number = head - plan.below;
      const parts = await read(scene, number);
      const sealed = seal(scene, await plan.change(parts, scene, 0n));
      return { ...sealed, number, honestHash: String(parts.block["hash"]) };
    };
    return async (call, ask) => {
      forged ??= make();
      const { number, block, receipts, traces } = await forged;
      const [at] = call.params;
      const isAsked = at === hex(number) || at === block["hash"];
      if (isBlockCall(call) && isAsked) return call.params[1] === true ? block : withHashes(block);
      if (isAsked && call.method === "eth_getBlockReceipts") return receipts;
      if (isAsked && call.method === "debug_traceBlockByHash") return traces;
      const asked = balanceAskedBy(call);
      return asked === null ? ask() : raise(await ask(), asked, plan.moved(scene));
    };
  };
}
