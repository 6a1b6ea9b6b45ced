import { both, type Frame } from "../changing.ts";
import { type Lie, lie, Misbehaving, sometimes, type Teller } from "../lie.ts";
import { coinMoved, inventing, isTraceCall, refusing, seven, toWallet } from "./traces.ts";

const unsupported = { error: { code: -32_601, message: "the method does not exist" } };
const gone = { error: { code: -32_000, message: "missing trie node" } };

type Call = Parameters<Teller>[0];

/** Answers some calls with a refusal, and the others as it did before. */
const thenRefusing =
  (isMeant: (call: Call) => boolean, how = unsupported) =>
  (before: Teller): Teller =>
  (call, ask) => {
    if (isMeant(call)) throw new Misbehaving(how);
    return before(call, ask);
  };

const honest: Teller = (_, ask) => ask();
const isOfState = ({ method }: Call) => method === "eth_getBalance" || method === "eth_getProof";
const isOfHead = ({ params }: Call) => params[0] === "latest";
const isProof = ({ method }: Call) => method === "eth_getProof";

const notTracing = thenRefusing(isTraceCall);
const notOffering = (isMeant: (call: Call) => boolean) => () => thenRefusing(isMeant)(honest);

const onceWithoutBlock = (before: Teller): Teller => {
  let left = 1;
  return thenRefusing(
    ({ method }) => method === "eth_getBlockByNumber" && left-- > 0,
    gone,
  )(before);
};

const claimingNothing = (): Teller => async (call, ask) => {
  const answer = await ask();
  if (call.method !== "debug_traceBlockByHash") return answer;
  return (answer as { result: Frame }[]).map(({ result, ...trace }) => {
    const { calls: _, ...top } = result;
    return { ...trace, result: top };
  });
};

const invents = inventing(toWallet);
const inventsAndAgrees = both(coinMoved(seven), invents);
const inventsUnproved = both(invents, notOffering(isProof), refusing("eth_getBalance"));

/** Ways in which an endpoint takes back that it can do something. */
const changes = {
  "stops tracing": notTracing,
  "refuses one block": onceWithoutBlock,
  "names no head": thenRefusing(isOfHead, gone),
  "loses the state": thenRefusing(isOfState, gone),
  "stops proving": thenRefusing(isProof),
} as const;

const beginnings = {
  invents: invents,
  "invents, balances agree": inventsAndAgrees,
  "invents, balances unproved": inventsUnproved,
} as const;

/** Between hold and settlement, with and without a restart of the daemon, and while a reorg is on. */
function flips(): [string, Lie][] {
  return Object.entries(beginnings).flatMap(([begins, tell]) =>
    Object.entries(changes).flatMap(([ends, change]): [string, Lie][] => [
      [`${begins}, then ${ends}`, lie(tell, { later: { from: "confirmed", change } })],
      [
        `${begins}, then ${ends} and a restart`,
        lie(tell, { later: { from: "confirmed", change, restarts: true } }),
      ],
    ]),
  );
}

const prunedBeside = (): Teller =>
  thenRefusing((call) => isOfState(call) || isTraceCall(call), gone)(honest);

export const capabilityLies: Readonly<Record<string, Lie>> = {
  ...Object.fromEntries(flips()),
  "invents, then stops tracing in a reorg": lie(invents, {
    later: { from: "reorg", change: notTracing },
  }),
  "invents, then a restart in a reorg": lie(invents, {
    later: { from: "reorg", change: (before) => before, restarts: true },
  }),
  "does not trace, then invents": lie(() => notTracing(honest), {
    from: "start",
    later: { from: "money", change: (_, scene) => invents(scene) },
  }),
  "does not trace, then invents, balances agree": lie(() => notTracing(honest), {
    from: "start",
    later: { from: "money", change: (_, scene) => inventsAndAgrees(scene) },
  }),
  "invents from before the first start": lie(invents, { from: "start" }),
  "traces claimed, and none shown": lie(claimingNothing, { from: "start" }),
  "traces now and then, and invents": lie((scene) =>
    sometimes(scene.random, 2, notTracing(invents(scene))),
  ),
  "added later, and invents": lie(invents, { from: "start", joins: "money" }),
  "added later, and invents, balances agree": lie(inventsAndAgrees, {
    from: "start",
    joins: "money",
  }),
  "added later, and shows nothing": lie(claimingNothing, { from: "start", joins: "confirmed" }),
  "invents beside a pruned one": lie(invents, { beside: prunedBeside }),
  "invents, balances agree, beside a pruned one": lie(inventsAndAgrees, { beside: prunedBeside }),
  "invents beside one that stops tracing": lie(invents, { beside: () => notTracing(honest) }),
  "invents, balances agree, beside one that stops tracing": lie(inventsAndAgrees, {
    beside: () => notTracing(honest),
  }),
  "invents, balances unproved, beside one that stops tracing": lie(inventsUnproved, {
    beside: () => notTracing(honest),
  }),
  "the only one that traces stops before money moves": lie(() => honest, {
    from: "start",
    beside: () => notTracing(honest),
    later: { from: "money", change: notTracing },
  }),
  "no capability at all": lie(
    notOffering((call) => isTraceCall(call) || isProof(call)),
    { from: "start" },
  ),
};
