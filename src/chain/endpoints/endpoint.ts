import type { BlockHeader } from "../../domain/chain/block.ts";
import type { Tracing } from "../../domain/chain/block-proof.ts";
import type { ChainHead, EndpointHealth } from "../../domain/chain/chain-status.ts";
import { Fault } from "../../domain/fault.ts";
import type { ChainIdentity } from "../../domain/watch/chain-source.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { AnnouncedHead, RpcBlock } from "../rpc/rpc-block.ts";
import type { RpcCall } from "../rpc/rpc-call.ts";
import { failureOf, type RpcFailure, unavailable } from "../rpc/rpc-fault.ts";
import type { RpcTransport } from "../rpc/rpc-transport.ts";
import type { RpcObject } from "../rpc/rpc-value.ts";
import { createAskedInDay } from "./asked-in-day.ts";
import { batchingOver } from "./batching.ts";
import { createEndpointRecord, type EndpointRecord } from "./endpoint-record.ts";
import { createPacer } from "./pacer.ts";

/** Blocks of the first eth_getLogs: most providers accept so many, and the others say how many they accept. */
const initialLogBlocks = 1_000;

/** The standard one, which takes a height, a tag or a hash (ethereum/execution-apis#726), and what some have in its place. */
export const accessListMethods = [
  "eth_getBlockAccessList",
  "eth_getBlockAccessListByBlockHash",
] as const;

type AccessListMethod = (typeof accessListMethods)[number];

/** What was found out about an endpoint; null: not known yet. */
type Learned = {
  /** Forgotten when the endpoint cannot be reached: it may serve another chain afterwards. */
  identity: ChainIdentity | null;
  /** Never forgotten: a chain must not count as one without traces because its tracing endpoint is away. */
  tracing: Tracing | null;
  /** Whether it gives the receipts of a block at once. */
  hasBlockReceipts: boolean;
  /** Whether the contract that reads many balances at once is on its chain; null: not asked yet. */
  hasMulticall: boolean | null;
  /** Whether it says from which block on it has what (`eth_capabilities`), as far as is known. */
  hasCapabilities: boolean;
  /** Whether it proves what it says of the state. */
  hasProofs: boolean;
  /** How it is asked for access lists; null: it does not have them. */
  accessListMethod: AccessListMethod | null;
  /** Blocks that one eth_getLogs may span. */
  logBlocks: number;
};

/** What is taken for granted of an endpoint that has not been asked yet. */
const nothingLearned: Learned = {
  identity: null,
  tracing: null,
  hasBlockReceipts: true,
  hasMulticall: null,
  hasCapabilities: true,
  hasProofs: true,
  accessListMethod: "eth_getBlockAccessList",
  logBlocks: initialLogBlocks,
};

export type Endpoint = {
  /** For people: the host, never the path, which may contain a key. */
  name: string;
  /** With its port. Endpoints of one host are one where endpoints are to agree. */
  host: string;
  learned: Learned;
  /** The highest block it has announced. */
  head: bigint | null;
  /** The head that it announced or answered with last: a hint of what to ask for, never taken as proved. */
  announced: AnnouncedHead | null;
  /** The head that it answered with last, where that was asked for with its transactions, until it is read. */
  newest: RpcBlock | null;
  /** Whether a websocket of it is subscribed to, and announces. */
  isAnnouncing: boolean;
  /** The head that it named last, in whatever way, and when; null: none yet. It only informs. */
  lastHead: ChainHead | null;
  /** Keeps the head that it has just named. */
  noteHead: (head: BlockHeader) => void;
  /** Counts an announcement of its websocket. */
  noteAnnounced: (head: RpcObject) => void;
  /** The name of the endpoint whose head it had, when last asked, below its own; null: of none. */
  buildsOn: string | null;
  /**
   * One call, paced. `how` batched: together with others of the same moment.
   * @throws Fault `rpc_unavailable`; `facts.failure` says what kind
   */
  ask: (what: string, call: RpcCall, how?: "alone" | "batched") => Promise<unknown>;
  /** Records that an answer was wrong. Counts as a failure. */
  blame: (reason: string) => void;
  record: Pick<EndpointRecord, "benchedUntilMs" | "silentSinceMs">;
  health: () => EndpointHealth;
  transport: RpcTransport;
};

/** One URL of a chain, and what is known of it. */
export function createEndpoint(
  options: {
    name: string;
    host: string;
    transport: RpcTransport;
    redact: (text: string) => string;
  },
  clock: Clock,
): Endpoint {
  const { name, host, transport, redact } = options;
  const pacer = createPacer(clock);
  const record = createEndpointRecord(clock);
  const inDay = createAskedInDay(host, clock);
  const requestBatched = batchingOver(transport, redact);

  function note(enteredMs: number, failure: RpcFailure): void {
    switch (failure.kind) {
      case "throttled":
        pacer.leave(enteredMs, failure);
        record.failed(failure.reason);
        return;
      case "unreachable":
        pacer.leave(enteredMs, { kind: "strained" });
        record.failed(failure.reason);
        record.silent(enteredMs);
        endpoint.learned.identity = null;
        transport.drop();
        return;
      case "unsupported":
      case "refused":
        pacer.leave(enteredMs, { kind: "answered" });
        record.answered(enteredMs);
    }
  }

  const endpoint: Endpoint = {
    name,
    host,
    learned: { ...nothingLearned },
    head: null,
    announced: null,
    newest: null,
    isAnnouncing: false,
    lastHead: null,
    noteHead({ number, timeMs }) {
      endpoint.lastHead = { number, timeMs, seenMs: clock.now() };
    },
    noteAnnounced: inDay.announced,
    buildsOn: null,
    transport,
    async ask(what, call, how = "alone") {
      const enteredMs = await pacer.enter();
      inDay.asked(call.method);
      try {
        const answer = await (how === "alone" ? transport.request(call) : requestBatched(call));
        pacer.leave(enteredMs, { kind: "answered" });
        record.answered(enteredMs);
        return answer;
      } catch (error) {
        const failure = failureOf(error, redact);
        note(enteredMs, failure);
        throw unavailable(name, what, failure);
      }
    },
    blame: record.failed,
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

/** The kind of failure in a Fault of `ask`. */
export function failureKindIn(error: unknown): RpcFailure["kind"] | null {
  if (!(error instanceof Fault) || error.code !== "rpc_unavailable") return null;
  return (error.facts["failure"] as RpcFailure["kind"] | undefined) ?? null;
}

/** Whether a Fault of `ask` says that the endpoint no longer has what was asked for. */
export function isGoneIn(error: unknown): boolean {
  return error instanceof Fault && error.facts["isGone"] === true;
}
