import { changing, hex, isBlockCall, nonsenseHash } from "../changing.ts";
import { type JsonObject, lie, Misbehaving, type Scene, type Teller } from "../lie.ts";

const isTag = (tag: string) => (call: { method: string; params: unknown[] }) =>
  call.method === "eth_getBlockByNumber" && call.params[0] === tag;
const isHead = isTag("latest");

const moved = (block: JsonObject, by: bigint) => hex(BigInt(String(block["number"])) + by);

const ofHead = (change: (head: JsonObject, scene: Scene) => unknown) => changing(isHead, change);

/** What is said of a tag, whatever the chain itself says. */
const ofTag =
  (tag: string, change: (head: JsonObject, scene: Scene) => JsonObject | null) =>
  (scene: Scene): Teller =>
  async (call, ask) => {
    if (!isTag(tag)(call)) return ask();
    return change((await ask({ ...call, params: ["latest", false] })) as JsonObject, scene);
  };

const finalized = { reading: { tag: "finalized" } } as const;
const safe = { reading: { tag: "safe" } } as const;

/** Answers everything about the head as it was when the lie began. */
const frozen = (scene: Scene): Teller => {
  let head: Promise<string> | null = null;
  return async (call, ask) => {
    head ??= scene.rpc<string>("eth_blockNumber");
    const height = await head;
    if (call.method === "eth_blockNumber") return height;
    if (!isBlockCall(call)) return ask();
    const [at, isFull] = call.params;
    if (at === "latest") return ask({ ...call, params: [height, isFull] });
    const isAbove =
      String(at).length < 60 && String(at).startsWith("0x") && BigInt(String(at)) > BigInt(height);
    return isAbove ? null : ask();
  };
};

const silent = (): Teller => async () => {
  throw new Misbehaving("hang");
};

export const headLies = {
  "finalized ahead of the head, with nonsense": lie(
    ofTag("finalized", (head) => ({ ...head, number: moved(head, 5n), hash: nonsenseHash })),
    finalized,
  ),
  "finalized far ahead": lie(
    ofTag("finalized", (head) => ({ ...head, number: hex(10n ** 9n), hash: nonsenseHash })),
    finalized,
  ),
  "finalized is the head": lie(
    ofTag("finalized", (head) => head),
    finalized,
  ),
  "finalized is the head, with another hash": lie(
    ofTag("finalized", (head) => ({ ...head, hash: nonsenseHash })),
    finalized,
  ),
  "finalized below, with another hash": lie(
    ofTag("finalized", (head) => ({ ...head, number: moved(head, -3n), hash: nonsenseHash })),
    finalized,
  ),
  "finalized is the first block": lie(
    ofTag("finalized", (head) => ({ ...head, number: "0x0" })),
    finalized,
  ),
  "finalized null": lie(
    ofTag("finalized", () => null),
    finalized,
  ),
  "safe ahead of the head, with nonsense": lie(
    ofTag("safe", (head) => ({ ...head, number: moved(head, 5n), hash: nonsenseHash })),
    safe,
  ),
  "safe is the head": lie(
    ofTag("safe", (head) => head),
    safe,
  ),
  "head six higher, with nothing in between": lie(
    ofHead((head) => ({ ...head, number: moved(head, 6n), hash: nonsenseHash })),
  ),
  "head a million higher": lie(
    ofHead((head) => ({ ...head, number: moved(head, 1_000_000n), hash: nonsenseHash })),
  ),
  "head five lower": lie(
    ofHead((head, { rpc }) => rpc("eth_getBlockByNumber", moved(head, -5n), false)),
  ),
  "head at the first block": lie(ofHead((_, { rpc }) => rpc("eth_getBlockByNumber", "0x0", false))),
  "head with another hash": lie(ofHead((head) => ({ ...head, hash: nonsenseHash }))),
  "head lower, with another hash": lie(
    ofHead((head) => ({ ...head, number: moved(head, -2n), hash: nonsenseHash })),
  ),
  "head goes back and forth": lie((scene) => {
    let turn = 0n;
    return ofHead((head, { rpc }) => {
      turn += 1n;
      return rpc("eth_getBlockByNumber", moved(head, -(turn % 4n)), false);
    })(scene);
  }),
  "head null": lie(ofHead(() => null)),
  frozen: lie(frozen),
  "frozen, the other silent": lie(frozen, { beside: silent, isSilent: true }),
  "honest, the other frozen, a third honest": lie(() => (_, ask) => ask(), {
    beside: frozen,
    hasThird: true,
  }),
  "honest, the other silent, a third honest": lie(() => (_, ask) => ask(), {
    beside: silent,
    isSilent: true,
    hasThird: true,
  }),
  "honest, the other silent": lie(() => (_, ask) => ask(), { beside: silent, isSilent: true }),
  "each height answered with the next one": lie(() => async (call, ask) => {
    const [at, ...rest] = call.params;
    const isHeight = isBlockCall(call) && /^0x[0-9a-f]{1,16}$/.test(String(at));
    return isHeight ? ask({ ...call, params: [hex(BigInt(String(at)) + 1n), ...rest] }) : ask();
  }),
  "chain id of another chain": lie(
    changing(
      ({ method }) => method === "eth_chainId",
      () => "0x1",
    ),
  ),
  "first block of another chain": lie(
    changing(
      (call) => isBlockCall(call) && call.params[0] === "0x0",
      (block: JsonObject) => ({ ...block, hash: nonsenseHash }),
    ),
  ),
  "first block of another chain, from the start": lie(
    changing(
      (call) => isBlockCall(call) && call.params[0] === "0x0",
      (block: JsonObject) => ({ ...block, hash: nonsenseHash }),
    ),
    { from: "start" },
  ),
  "announces heads that are higher": lie(() => (_, ask) => ask(), {
    isSocket: true,
    announce: () => (head) => ({ ...head, number: moved(head, 6n) }),
  }),
  "announces heads with another hash": lie(() => (_, ask) => ask(), {
    isSocket: true,
    announce: () => (head) => ({ ...head, hash: nonsenseHash }),
  }),
  "announces heads with another parent": lie(() => (_, ask) => ask(), {
    isSocket: true,
    announce: () => (head) => ({ ...head, parentHash: nonsenseHash }),
  }),
  "announces no head": lie(() => (_, ask) => ask(), { isSocket: true, announce: () => () => null }),
};
