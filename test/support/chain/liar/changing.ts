import type { ProxiedCall } from "../rpc-proxy.ts";
import { type Ask, type JsonObject, type Scene, type Teller, together } from "./lie.ts";

// The parts of a chain that an endpoint answers with, each with how to change it.

export const hex = (value: bigint | number) => `0x${value.toString(16)}`;
export const word = (value: string | bigint) =>
  `0x${(typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0")}`;
export const ether = 10n ** 18n;
export const nonsenseHash = `0x${"ba".repeat(32)}`;
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

export type Change<T> = (part: T, scene: Scene, call: ProxiedCall) => T | Promise<T>;

/** Whether a call asks for what is known of a block by its height, its tag or its hash. */
export function isBlockCall({ method }: ProxiedCall): boolean {
  return method === "eth_getBlockByNumber" || method === "eth_getBlockByHash";
}

const isThere = (answer: unknown) => answer !== null && answer !== undefined;

/** A teller that changes the answers to some calls. */
export function changing<T>(
  isMeant: (call: ProxiedCall) => boolean,
  change: (part: T, scene: Scene, call: ProxiedCall) => unknown,
) {
  return (scene: Scene): Teller =>
    async (call: ProxiedCall, ask: Ask) => {
      const answer = await ask();
      return isMeant(call) && isThere(answer) ? change(answer as T, scene, call) : answer;
    };
}

/** Headers and whole blocks alike. */
export const ofHeader = (change: Change<JsonObject>) => changing(isBlockCall, change);

/** Blocks that are asked for with their transactions. */
export const ofBlock = (change: Change<JsonObject>) =>
  changing((call) => isBlockCall(call) && call.params[1] === true, change);

/**
 * Each transaction of a whole block that is of one sender or to one receiver; of all where neither
 * is given.
 */
export function ofTransaction(
  isMeant: (transaction: JsonObject, scene: Scene) => boolean,
  change: (transaction: JsonObject, scene: Scene) => JsonObject | JsonObject[],
) {
  return ofBlock((block, scene) => ({
    ...block,
    transactions: (block["transactions"] as JsonObject[]).flatMap((one) =>
      isMeant(one, scene) ? change(one, scene) : [one],
    ),
  }));
}

/** The receipts of a whole block, or one by one. */
export const ofReceipts =
  (change: Change<JsonObject[]>) =>
  (scene: Scene): Teller =>
  async (call, ask) => {
    const answer = await ask();
    if (!isThere(answer)) return answer;
    if (call.method === "eth_getBlockReceipts") return change(answer as JsonObject[], scene, call);
    if (call.method !== "eth_getTransactionReceipt") return answer;
    return (await change([answer as JsonObject], scene, call))[0] ?? null;
  };

export const ofReceipt = (change: (receipt: JsonObject, scene: Scene) => JsonObject) =>
  ofReceipts((receipts, scene) => receipts.map((one) => change(one, scene)));

export type Log = { address: string; topics: string[]; data: string } & JsonObject;

/** The logs of each receipt, numbered again as if nothing had happened. */
export const ofLogs = (change: (logs: Log[], receipt: JsonObject, scene: Scene) => Log[]) =>
  ofReceipts((receipts, scene) => {
    let index = 0;
    return receipts.map((receipt) => {
      const logs = change(receipt["logs"] as Log[], receipt, scene);
      return { ...receipt, logs: logs.map((log) => ({ ...log, logIndex: hex(index++) })) };
    });
  });

export type Frame = {
  type: string;
  from: string;
  to: string;
  value?: string;
  error?: string;
  calls?: Frame[];
} & JsonObject;

/** The top frame of each transaction of a block that is traced with the callTracer. */
export const ofFrames = (change: (top: Frame, scene: Scene) => Frame) =>
  changing<{ result: Frame }[]>(
    ({ method }) => method === "debug_traceBlockByHash",
    (traces, scene) =>
      traces.map((trace) => ({ ...trace, result: change(structuredClone(trace.result), scene) })),
  );

/** Every frame below the top one. */
export function mapInner(top: Frame, change: (frame: Frame) => Frame[]): Frame {
  const calls = top.calls?.flatMap((frame) => change(mapInner(frame, change)));
  return calls === undefined ? top : { ...top, calls };
}

/** A frame that pays. */
export function payment(from: string, to: string, amountAtomic: bigint, type = "CALL"): Frame {
  return { type, from, to, value: hex(amountAtomic), gas: "0x0", gasUsed: "0x0", input: "0x" };
}

/**
 * The balance that a call asks for: of whom, and of which token (null: the coin). Null where it
 * asks for none.
 */
export function balanceAskedBy(call: ProxiedCall): { owner: string; token: string | null } | null {
  const [target] = call.params;
  if (call.method === "eth_getBalance" || call.method === "eth_getProof")
    return { owner: String(target).toLowerCase(), token: null };
  if (call.method !== "eth_call") return null;
  const { to, data, input } = target as { to: string; data?: string; input?: string };
  const text = (data ?? input ?? "0x").toLowerCase();
  if (!text.startsWith("0x70a08231")) return null;
  return { owner: `0x${text.slice(-40)}`, token: to.toLowerCase() };
}

/** The coin that the owner holds, whichever way it is asked for. */
export const ofCoin =
  (
    change: (amount: bigint, scene: Scene, call: ProxiedCall) => bigint,
    isMeant: (owner: string, scene: Scene) => boolean = () => true,
  ) =>
  (scene: Scene): Teller =>
  async (call, ask) => {
    const asked = balanceAskedBy(call);
    const answer = await ask();
    if (asked === null || asked.token !== null || !isMeant(asked.owner, scene)) return answer;
    if (typeof answer === "string") return hex(change(BigInt(answer), scene, call));
    const account = answer as JsonObject;
    return { ...account, balance: hex(change(BigInt(String(account["balance"])), scene, call)) };
  };

/** What balanceOf answers. */
export const ofToken =
  (
    change: (amount: bigint, scene: Scene, call: ProxiedCall) => bigint,
    isMeant: (token: string, scene: Scene, owner: string) => boolean = () => true,
  ) =>
  (scene: Scene): Teller =>
  async (call, ask) => {
    const asked = balanceAskedBy(call);
    const answer = await ask();
    if (asked === null || asked.token === null || !isMeant(asked.token, scene, asked.owner))
      return answer;
    return word(change(BigInt(String(answer)), scene, call));
  };

/** Several lies at once. */
export const both =
  (...tells: ((scene: Scene) => Teller)[]) =>
  (scene: Scene): Teller =>
    together(tells.map((tell) => tell(scene)));

/** The first so many times only. */
export const times =
  (count: number, isMeant: (call: ProxiedCall) => boolean, tell: (scene: Scene) => Teller) =>
  (scene: Scene): Teller => {
    let left = count;
    const teller = tell(scene);
    return (call, ask) => {
      if (!isMeant(call) || left === 0) return ask();
      left -= 1;
      return teller(call, ask);
    };
  };
