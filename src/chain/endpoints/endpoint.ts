import { setMaxListeners } from "node:events";
import { type Ability, abilities, type ShownAbilities } from "../../domain/chain/ability.ts";
import type { BlockHeader, Hash } from "../../domain/chain/block.ts";
import type { Tracing } from "../../domain/chain/block-proof.ts";
import type { ChainHead, EndpointHealth } from "../../domain/chain/chain-status.ts";
import { Fault } from "../../domain/fault.ts";
import { keysOf } from "../../domain/keys-of.ts";
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
import { createShownAbilities } from "./shown-abilities.ts";

/**
 * The most blocks of the first eth_getLogs. Most providers accept as many, and the others name
 * their limit.
 */
const initialLogBlocks = 1_000;

/**
 * The known abilities of an endpoint, beside the methods that it offers. Null: not known yet.
 */
type Capabilities = {
  /** Forgotten when the endpoint is out of reach, because it may serve another chain afterwards. */
  identity: ChainIdentity | null;
  /**
   * Never forgotten: a chain must not seem to be without traces while its tracing endpoint is away.
   * An endpoint without traces is asked again (see resolveTracing).
   */
  tracing: Tracing | null;
  /** True if the endpoint has answered with the traces of a block. */
  hasTraced: boolean;
  /**
   * True if the block that was last asked about had the contract that reads many balances at once.
   * Null: not asked yet. It only informs, since older blocks may lack the contract.
   */
  hasMulticall: boolean | null;
  /** The most blocks of one eth_getLogs. */
  logBlocks: number;
};

/** The abilities of an endpoint until it is asked. */
const unknownCapabilities: Capabilities = {
  identity: null,
  tracing: null,
  hasTraced: false,
  hasMulticall: null,
  logBlocks: initialLogBlocks,
};

/**
 * The number of repetitions, and their pauses, if the endpoint refuses a call for too many
 * requests. If there are other endpoints, they are asked soon. The daemon must be able to end
 * within 20 s.
 */
const patience = { tries: 8, aloneMs: 8_000, besideOthersMs: 1_500, firstPauseMs: 50 };

export type Endpoint = {
  /** A name for people: the host, never the path, which may contain a key. */
  name: string;
  /**
   * The provider that the operator names, or the URL's host and port. When hosts have to agree,
   * endpoints with the same host count once.
   */
  host: string;
  capabilities: Capabilities;
  /**
   * False if the endpoint has refused the method lately. It is asked for again after some time.
   */
  offers: (method: string) => boolean;
  /** Notes that the endpoint does not offer the method, where its failure does not say so. */
  refuse: (method: string) => void;
  /**
   * The height that it named last as its head. It may be lower than one before: an endpoint that
   * has fallen back must not count as being ahead.
   */
  head: bigint | null;
  /**
   * The head that it announced or answered last. It is a hint of what to ask for, never a proof.
   */
  announced: AnnouncedHead | null;
  /** True while its websocket is subscribed to heads. */
  isAnnouncing: boolean;
  /**
   * The head that it named last, in whatever way, and when; null: none yet. For information only.
   */
  lastHead: ChainHead | null;
  /** Stores the head that it has just named. */
  noteHead: (head: BlockHeader) => void;
  /** True for the head that it named last, and for that head's parent. */
  isNewest: (blockHash: Hash) => boolean;
  /** Counts an announcement of its websocket. */
  noteAnnounced: (head: RpcObject) => void;
  /**
   * The name of the endpoint whose head was an ancestor of its own, when last compared; null: none.
   */
  descendsFrom: string | null;
  /**
   * Sends one call at the endpoint's pace. `how` batched: with other calls of the same moment. If
   * the endpoint asks for fewer requests, the call is repeated for some time: see `patience`.
   * @throws Fault `rpc_unavailable`; `facts.failure` is the kind of failure
   */
  ask: (what: string, call: RpcCall, how?: "alone" | "batched") => Promise<unknown>;
  /** Records that an answer was wrong, as a failure. */
  recordFailure: (reason: string) => void;
  record: Pick<EndpointRecord, "benchedUntilMs" | "silentSinceMs">;
  health: () => EndpointHealth;
  transport: RpcTransport;
  /** Closes its connections for good. Calls under way fail at once, and so do later ones. */
  close: () => void;
};

type Answer = { kind: "answered"; answer: unknown } | { kind: "failed"; failure: RpcFailure };

/** Makes the endpoint of one URL. */
export function createEndpoint(
  options: {
    name: string;
    host: string;
    transport: RpcTransport;
    redact: (text: string) => string;
    /** True if the chain has no other endpoint. */
    isAlone: boolean;
  },
  clock: Clock,
): Endpoint {
  const { name, host, transport, redact, isAlone } = options;
  const pacer = createPacer(clock);
  const record = createEndpointRecord(clock);
  const inDay = createAskedInDay(host, clock);
  const shown = createShownAbilities(clock);
  const requestBatched = batchingOver(transport, redact);
  const closing = new AbortController();
  // Every call under way adds a listener.
  setMaxListeners(0, closing.signal);

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
      shown.answered(call.method);
      return { kind: "answered", answer };
    } catch (error) {
      const failure = failureOf(error, redact);
      shown.failed(call.method, failure);
      note(enteredMs, failure);
      return { kind: "failed", failure };
    }
  }

  let newest: readonly Hash[] = [];
  const endpoint: Endpoint = {
    name,
    host,
    capabilities: { ...unknownCapabilities },
    offers: shown.offers,
    refuse: shown.refuse,
    head: null,
    announced: null,
    isAnnouncing: false,
    lastHead: null,
    noteHead({ number, hash, parentHash, timeMs }) {
      newest = [hash, parentHash];
      endpoint.lastHead = { number, timeMs, seenMs: clock.now() };
    },
    isNewest: (blockHash) => newest.includes(blockHash),
    noteAnnounced: inDay.announced,
    descendsFrom: null,
    transport,
    async ask(what, call, how = "alone") {
      const asking = () => askPatiently(() => askOnce(call, how), { clock, isAlone });
      const answer = await unlessClosed(asking, closing.signal);
      if (answer.kind === "answered") return answer.answer;
      throw unavailable(name, what, answer.failure);
    },
    recordFailure: record.failed,
    record,
    close() {
      closing.abort();
      transport.close();
    },
    health: () => ({
      name,
      head: endpoint.lastHead?.number ?? endpoint.head,
      requestsPerSecond: pacer.perSecond(),
      concurrency: pacer.concurrency(),
      ...record.summary(),
      ...inDay.summary(),
      shown: abilitiesOf(endpoint, shown.has),
    }),
  };
  return endpoint;
}

/** The abilities that an endpoint has shown, by its answers and by the way its blocks are read. */
function abilitiesOf(
  { capabilities, transport, isAnnouncing }: Endpoint,
  hasShown: (ability: Ability) => boolean | null,
): ShownAbilities {
  const has = (ability: Ability): boolean | null => {
    if (ability === "many_balances") return capabilities.hasMulticall;
    if (ability !== "announcements") return hasShown(ability);
    if (transport.subscribeHeads === null) return false;
    return isAnnouncing ? true : null;
  };
  const names = keysOf(abilities);
  return {
    can: names.filter((name) => has(name) === true),
    cannot: names.filter((name) => has(name) === false),
    logBlocks: hasShown("logs") === true ? capabilities.logBlocks : null,
  };
}

/** Repeats a call while the endpoint refuses it for too many requests, within `patience`. */
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

const closed = {
  kind: "failed",
  failure: { kind: "unreachable", reason: "it is closed" },
} as const;

/** Asks, and answers a failure as soon as the endpoint is closed. */
function unlessClosed(asking: () => Promise<Answer>, closing: AbortSignal): Promise<Answer> {
  if (closing.aborted) return Promise.resolve(closed);
  return new Promise((resolve, reject) => {
    const end = () => resolve(closed);
    closing.addEventListener("abort", end);
    asking()
      .then(resolve, reject)
      .finally(() => closing.removeEventListener("abort", end));
  });
}

/** The kind of failure in a Fault of `ask`. */
export function failureKindIn(error: unknown): RpcFailure["kind"] | null {
  if (!(error instanceof Fault) || error.code !== "rpc_unavailable") return null;
  return (error.facts["failure"] as RpcFailure["kind"] | undefined) ?? null;
}

/** True if a Fault of `ask` says that the called contract failed. So the endpoint has the state. */
export function isRevertedIn(error: unknown): boolean {
  return error instanceof Fault && error.facts["isReverted"] === true;
}

/** True if a Fault of `ask` says that the endpoint has deleted the data. */
export function isGoneIn(error: unknown): boolean {
  return error instanceof Fault && error.facts["isGone"] === true;
}

/** True if a Fault of `ask` says that the endpoint does not have the block. It may be behind. */
export function isAbsentIn(error: unknown): boolean {
  return error instanceof Fault && error.facts["isAbsent"] === true;
}
