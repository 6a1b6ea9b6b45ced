import type { BlockHeader } from "../../domain/chain/block.ts";
import type { Tracing } from "../../domain/chain/block-proof.ts";
import type { ChainHead, EndpointHealth } from "../../domain/chain/chain-status.ts";
import { Fault } from "../../domain/fault.ts";
import type { ChainIdentity } from "../../domain/watch/chain-source.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { AnnouncedHead } from "../rpc/rpc-block.ts";
import type { RpcCall } from "../rpc/rpc-call.ts";
import { failureOf, type RpcFailure, unavailable } from "../rpc/rpc-fault.ts";
import type { RpcTransport } from "../rpc/rpc-transport.ts";
import type { RpcObject } from "../rpc/rpc-value.ts";
import { createAskedInDay } from "./asked-in-day.ts";
import { batchingOver } from "./batching.ts";
import { createEndpointRecord, type EndpointRecord } from "./endpoint-record.ts";
import { createPacer } from "./pacer.ts";

/**
 * Blocks of the first eth_getLogs: most providers accept so many, and the others say how many they
 * accept.
 */
const initialLogBlocks = 1_000;

/**
 * The standard one, which takes a height, a tag or a hash (ethereum/execution-apis#726), and what
 * some have in its place.
 */
export const accessListMethods = [
  "eth_getBlockAccessList",
  "eth_getBlockAccessListByBlockHash",
] as const;

type AccessListMethod = (typeof accessListMethods)[number];

/** The capabilities of an endpoint, as they were found out. Null: not known yet. */
type Capabilities = {
  /** Forgotten when the endpoint cannot be reached: it may serve another chain afterwards. */
  identity: ChainIdentity | null;
  /**
   * Never forgotten: a chain must not count as one without traces because its tracing endpoint is
   * away.
   */
  tracing: Tracing | null;
  /** True if the endpoint has answered with the traces of a block. */
  hasTraced: boolean;
  /** True if the endpoint gives the receipts of a block in one answer. */
  hasBlockReceipts: boolean;
  /** True if its chain has the contract that reads many balances at once. Null: not asked yet. */
  hasMulticall: boolean | null;
  /**
   * False once the endpoint has refused to say from which block on it has data
   * (`eth_capabilities`).
   */
  hasCapabilities: boolean;
  /** True if the endpoint proves its answers about the state. */
  hasProofs: boolean;
  /** The way to ask it for access lists; null: it does not have them. */
  accessListMethod: AccessListMethod | null;
  /** Blocks that one eth_getLogs may span. */
  logBlocks: number;
};

/** The capabilities that an endpoint is assumed to have until it has been asked. */
const unknownCapabilities: Capabilities = {
  identity: null,
  tracing: null,
  hasTraced: false,
  hasBlockReceipts: true,
  hasMulticall: null,
  hasCapabilities: true,
  hasProofs: true,
  accessListMethod: "eth_getBlockAccessList",
  logBlocks: initialLogBlocks,
};

/**
 * The patience with an endpoint that refused a question because there were too many. The question
 * is asked again this many times, and for this long. An endpoint with others beside it is left for
 * them soon. The daemon must be able to end within 20 s.
 */
const patience = { tries: 8, aloneMs: 8_000, besideOthersMs: 1_500, firstPauseMs: 50 };

export type Endpoint = {
  /** For people: the host, never the path, which may contain a key. */
  name: string;
  /**
   * The provider that the operator names, or the URL's host and port. Endpoints of one host are one
   * where endpoints are to agree.
   */
  host: string;
  capabilities: Capabilities;
  /** The highest block it has announced. */
  head: bigint | null;
  /**
   * The head that it announced or answered with last: a hint of what to ask for, never taken as
   * proved.
   */
  announced: AnnouncedHead | null;
  /** True while a websocket of the endpoint is subscribed to, and announces. */
  isAnnouncing: boolean;
  /** The head that it named last, in whatever way, and when; null: none yet. It only informs. */
  lastHead: ChainHead | null;
  /** Keeps the head that it has just named. */
  noteHead: (head: BlockHeader) => void;
  /** Counts an announcement of its websocket. */
  noteAnnounced: (head: RpcObject) => void;
  /** The name of the endpoint whose head it had, when last asked, below its own; null: of none. */
  isAncestorOf: string | null;
  /**
   * One call, paced. `how` batched: together with others of the same moment. Where the endpoint
   * asks for fewer requests, this call alone is asked again for some time: see `patience`.
   * @throws Fault `rpc_unavailable`; `facts.failure` says what kind
   */
  ask: (what: string, call: RpcCall, how?: "alone" | "batched") => Promise<unknown>;
  /** Records that an answer was wrong. Counts as a failure. */
  recordFailure: (reason: string) => void;
  record: Pick<EndpointRecord, "benchedUntilMs" | "silentSinceMs">;
  health: () => EndpointHealth;
  transport: RpcTransport;
};

type Answer = { kind: "answered"; answer: unknown } | { kind: "failed"; failure: RpcFailure };

/** One URL of a chain, and what is known of it. */
export function createEndpoint(
  options: {
    name: string;
    host: string;
    transport: RpcTransport;
    redact: (text: string) => string;
    /** The only one of its chain. */
    isAlone: boolean;
  },
  clock: Clock,
): Endpoint {
  const { name, host, transport, redact, isAlone } = options;
  const pacer = createPacer(clock);
  const record = createEndpointRecord(clock);
  const inDay = createAskedInDay(host, clock);
  const requestBatched = batchingOver(transport, redact);

  function note(enteredMs: number, failure: RpcFailure): void {
    if (failure.kind === "throttled") {
      pacer.leave(enteredMs, failure);
      record.failed(failure.reason, failure.retryAfterMs ?? 0);
    } else if (failure.kind === "unreachable") {
      pacer.leave(enteredMs, { kind: "strained" });
      record.failed(failure.reason);
      record.silent(enteredMs);
      endpoint.capabilities.identity = null;
      transport.drop();
    } else {
      pacer.leave(enteredMs, { kind: "answered" });
      record.answered(enteredMs);
    }
  }

  async function askOnce(call: RpcCall, how: "alone" | "batched"): Promise<Answer> {
    const enteredMs = await pacer.enter();
    inDay.asked(call.method);
    try {
      const answer = await (how === "alone" ? transport.request(call) : requestBatched(call));
      pacer.leave(enteredMs, { kind: "answered" });
      record.answered(enteredMs);
      return { kind: "answered", answer };
    } catch (error) {
      const failure = failureOf(error, redact);
      note(enteredMs, failure);
      return { kind: "failed", failure };
    }
  }

  const endpoint: Endpoint = {
    name,
    host,
    capabilities: { ...unknownCapabilities },
    head: null,
    announced: null,
    isAnnouncing: false,
    lastHead: null,
    noteHead({ number, timeMs }) {
      endpoint.lastHead = { number, timeMs, seenMs: clock.now() };
    },
    noteAnnounced: inDay.announced,
    isAncestorOf: null,
    transport,
    async ask(what, call, how = "alone") {
      const answer = await askPatiently(() => askOnce(call, how), { clock, isAlone });
      if (answer.kind === "answered") return answer.answer;
      throw unavailable(name, what, answer.failure);
    },
    recordFailure: record.failed,
    record,
    health: () => ({
      name,
      head: endpoint.lastHead?.number ?? endpoint.head,
      requestsPerSecond: pacer.perSecond(),
      concurrency: pacer.concurrency(),
      ...record.summary(),
      ...inDay.summary(),
    }),
  };
  return endpoint;
}

/**
 * Asks again while the endpoint refuses because there were too many requests, and patience lasts.
 */
async function askPatiently(
  ask: () => Promise<Answer>,
  { clock, isAlone }: { clock: Clock; isAlone: boolean },
): Promise<Answer> {
  const never = new AbortController().signal;
  const untilMs = clock.elapsed() + (isAlone ? patience.aloneMs : patience.besideOthersMs);
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.kind === "answered" || answer.failure.kind !== "throttled") return answer;
    const waitMs = answer.failure.retryAfterMs ?? patience.firstPauseMs * 2 ** (tries - 1);
    if (tries === patience.tries || clock.elapsed() + waitMs > untilMs) return answer;
    await clock.sleep(waitMs, never);
  }
}

/** The kind of failure in a Fault of `ask`. */
export function failureKindIn(error: unknown): RpcFailure["kind"] | null {
  if (!(error instanceof Fault) || error.code !== "rpc_unavailable") return null;
  return (error.facts["failure"] as RpcFailure["kind"] | undefined) ?? null;
}

/** True if a Fault of `ask` says that the contract that was called fails: its state is there. */
export function isRevertedIn(error: unknown): boolean {
  return error instanceof Fault && error.facts["isReverted"] === true;
}

/** True if a Fault of `ask` says that the endpoint no longer has the data that was asked for. */
export function isGoneIn(error: unknown): boolean {
  return error instanceof Fault && error.facts["isGone"] === true;
}
