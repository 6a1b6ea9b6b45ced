import {
  balanceAskedBy,
  both,
  changing,
  ether,
  type Frame,
  hex,
  mapInner,
  ofCoin,
  ofFrames,
  payment,
} from "../changing.ts";
import { type JsonObject, lie, Misbehaving, type Scene, type Teller } from "../lie.ts";

export const isTraceCall = ({ method }: { method: string }) =>
  method === "debug_traceBlockByHash" || method === "trace_block";

export const seven = 7n * ether;

/** Puts a frame into the first transaction that is meant, and into no other. */
export function inventing(
  frame: (scene: Scene) => Frame,
  isMeant: (top: Frame, scene: Scene) => boolean = (top, scene) => top.to === scene.wallet,
) {
  return (scene: Scene): Teller => {
    let place: string | null = null;
    return changing<{ txHash: string; result: Frame }[]>(isTraceCall, (traces) =>
      traces.map((trace) => {
        if (place === null && isMeant(trace.result, scene)) place = trace.txHash;
        if (trace.txHash !== place) return trace;
        const calls = [...(trace.result.calls ?? []), frame(scene)];
        return { ...trace, result: { ...trace.result, calls } };
      }),
    )(scene);
  };
}

/**
 * The coin of one wallet raised or lowered at every block that holds money, as the made-up trace
 * would have it.
 */
export const coinMoved = (by: bigint, whom: (scene: Scene) => string = (scene) => scene.wallet) => {
  return (scene: Scene): Teller => {
    let firstBlock: bigint | null = null;
    return async (call, ask) => {
      if (isTraceCall(call)) {
        const traces = (await ask()) as { result?: Frame }[];
        const pays = JSON.stringify(traces).includes(hex(by < 0n ? -by : by));
        if (pays && firstBlock === null) firstBlock = await heightOf(scene, call.params[0]);
        return traces;
      }
      if (balanceAskedBy(call)?.owner !== whom(scene) || firstBlock === null) return ask();
      const at = (call.params.at(-1) as { blockHash?: string }).blockHash;
      if (at !== undefined && (await heightOf(scene, at)) < firstBlock) return ask();
      return ofCoin((amount) => amount + by)(scene)(call, ask);
    };
  };
};

async function heightOf(scene: Scene, at: unknown): Promise<bigint> {
  if (String(at).length !== 2 + 64) return BigInt(String(at));
  const block = await scene.rpc<{ number: string } | null>("eth_getBlockByHash", at, false);
  return BigInt(block?.number ?? 0);
}

export const refusing =
  (method: string, message = "missing trie node") =>
  (): Teller =>
  (call, ask) => {
    if (call.method === method) throw new Misbehaving({ error: { code: -32_000, message } });
    return ask();
  };

export const toWallet = (scene: Scene) => payment(scene.payer, scene.wallet, seven);
const toHolder = (scene: Scene) => payment(scene.payer, scene.holder, seven);
const isOfStranger = (top: Frame, scene: Scene) => top.to === scene.stranger;

const innerToWallet = (change: (frame: Frame) => Frame[]) =>
  ofFrames((top, scene) =>
    mapInner(top, (frame) =>
      frame.to === scene.wallet && frame.error === undefined ? change(frame) : [frame],
    ),
  );

const parity = { reading: { tracing: "parity" } } as const;
const ofParity = (change: (traces: JsonObject[], scene: Scene) => JsonObject[]) =>
  changing<JsonObject[]>(({ method }) => method === "trace_block", change);

/** An inner call of a transaction to the wallet, as trace_block writes it. */
const parityFrame = (top: JsonObject, scene: Scene, amount: bigint): JsonObject => ({
  ...top,
  traceAddress: [90],
  action: {
    ...(top["action"] as JsonObject),

    callType: "call",
    from: scene.payer,
    to: scene.wallet,
    value: hex(amount),
  },
});

const parityInvents = ofParity((traces, scene) =>
  traces.flatMap((trace) => {
    const isTop = (trace["traceAddress"] as unknown[]).length === 0;
    const isOfWallet = (trace["action"] as JsonObject)["to"] === scene.wallet;
    return isTop && isOfWallet ? [trace, parityFrame(trace, scene, seven)] : [trace];
  }),
);

const isParityInner = (trace: JsonObject, scene: Scene) =>
  (trace["traceAddress"] as unknown[]).length > 0 &&
  (trace["action"] as JsonObject)["to"] === scene.wallet;

export const traceLies = {
  "trace invents a payment": lie(inventing(toWallet)),
  "trace invents, balances agree": lie(both(coinMoved(seven), inventing(toWallet))),
  "trace invents, balances refused": lie(
    both(inventing(toWallet), refusing("eth_getBalance"), refusing("eth_getProof")),
  ),
  "trace invents for a holder": lie(inventing(toHolder, isOfStranger)),
  "trace invents for a holder, balances agree": lie(
    both(
      coinMoved(seven, (scene) => scene.holder),
      inventing(toHolder, isOfStranger),
    ),
  ),
  "trace invents a creation": lie(
    inventing((scene) => payment(scene.payer, scene.wallet, seven, "CREATE2")),
  ),
  "trace invents a selfdestruct": lie(
    inventing((scene) => payment(scene.payer, scene.wallet, seven, "SELFDESTRUCT")),
  ),
  "trace invents a withdrawal": lie(
    inventing((scene) => payment(scene.sender, scene.stranger, ether)),
  ),
  "trace invents a withdrawal, balances agree": lie(
    both(
      coinMoved(-ether, (scene) => scene.sender),
      inventing((scene) => payment(scene.sender, scene.stranger, ether)),
    ),
  ),
  "trace gives value to a delegatecall": lie(
    inventing((scene) => payment(scene.payer, scene.wallet, seven, "DELEGATECALL")),
  ),
  "trace repeats a frame": lie(innerToWallet((frame) => [frame, frame])),
  "trace multiplies an amount": lie(
    innerToWallet((frame) => [{ ...frame, value: hex(10n * BigInt(frame.value ?? 0)) }]),
  ),
  "trace lowers an amount": lie(innerToWallet((frame) => [{ ...frame, value: "0x1" }])),
  "trace hides a frame": lie(innerToWallet(() => [])),
  "trace hides a frame, balances refused": lie(
    both(
      innerToWallet(() => []),
      refusing("eth_getBalance"),
      refusing("eth_getProof"),
    ),
  ),
  "trace redirects a frame": lie(
    ofFrames((top, scene) =>
      mapInner(top, (frame) => [
        frame.to === scene.stranger ? { ...frame, to: scene.holder } : frame,
      ]),
    ),
  ),
  "trace says a true frame failed": lie(
    innerToWallet((frame) => [{ ...frame, error: "execution reverted" }]),
  ),
  "trace says a failed frame did not": lie(
    ofFrames((top) => mapInner(top, ({ error: _, ...frame }) => [frame as Frame])),
  ),
  "trace changes who paid": lie(
    ofFrames((top, scene) =>
      mapInner(top, (frame) => [
        frame.to === scene.wallet ? { ...frame, from: scene.stranger } : frame,
      ]),
    ),
  ),
  "trace changes the top value": lie(ofFrames((top) => ({ ...top, value: hex(seven) }))),
  "traces without inner frames": lie(ofFrames(({ calls: _, ...top }) => top as Frame)),
  "traces of the block before": lie(() => async (call, ask) => {
    if (call.method !== "debug_traceBlockByHash") return ask();
    const params = [call.params[0], false];
    const block = (await ask({ method: "eth_getBlockByHash", params })) as JsonObject | null;
    return ask({ ...call, params: [block?.["parentHash"], call.params[1]] });
  }),
  "traces that all failed": lie(
    changing<JsonObject[]>(isTraceCall, (traces) => traces.map(() => ({ error: "timeout" }))),
  ),
  "traces null": lie(changing(isTraceCall, () => null)),
  "traces empty": lie(changing(isTraceCall, () => [])),
  "traces not offered": lie(
    () => (call, ask) => {
      if (!isTraceCall(call)) return ask();
      throw new Misbehaving({ error: { code: -32_601, message: "the method does not exist" } });
    },
    { from: "start" },
  ),
  "traces no longer offered": lie(() => (call, ask) => {
    if (!isTraceCall(call)) return ask();
    throw new Misbehaving({ error: { code: -32_601, message: "the method does not exist" } });
  }),
  "parity trace invents a payment": lie(parityInvents, parity),
  "parity trace invents, balances agree": lie(both(coinMoved(seven), parityInvents), parity),
  "parity trace hides a frame": lie(
    ofParity((traces, scene) => traces.filter((trace) => !isParityInner(trace, scene))),
    parity,
  ),
  "parity trace multiplies an amount": lie(
    ofParity((traces, scene) =>
      traces.map((trace) => {
        if (!isParityInner(trace, scene)) return trace;
        const action = trace["action"] as JsonObject;
        return {
          ...trace,
          action: { ...action, value: hex(10n * BigInt(String(action["value"]))) },
        };
      }),
    ),
    parity,
  ),
};
