import type { Address } from "../domain/chain/address.ts";
import type { BlockHeader } from "../domain/chain/block.ts";
import type { ChainRules } from "../domain/chain/chain-rules.ts";
import { givenUpBy, lacking } from "../domain/chain/chain-rules.ts";
import type { ChainReading } from "../domain/chain/chain-status.ts";
import type { WitnessPolicy } from "../domain/chain/confirmation.ts";
import { endpointHost, noProviders, type Providers } from "../domain/chain/endpoint-host.ts";
import { type NativeAlias, unreadUpgrade } from "../domain/chain/profile.ts";
import { Fault } from "../domain/fault.ts";
import type { ChainSource, HeadAnswer, TracingHosts } from "../domain/watch/chain-source.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { once } from "../runtime/service-group.ts";
import { type BelievedHead, createBelievedHead } from "./agreement/believed-head.ts";
import { collectVotes, type Voters } from "./agreement/collect-votes.ts";
import type { Holds } from "./agreement/holds.ts";
import { createBalanceReader } from "./balances/balances-at.ts";
import { readAncestors } from "./blocks/ancestors.ts";
import {
  askHead,
  askHeader,
  askHeaders,
  askTagged,
  askWholeHead,
} from "./blocks/asking/ask-header.ts";
import type { LoadRules } from "./blocks/asking/load-block.ts";
import { createBlockLoader } from "./blocks/block-loader.ts";
import { createJudges, type JudgingTools } from "./blocks/rule-out.ts";
import { createVerification } from "./blocks/verify-endpoint.ts";
import { createDiscovery } from "./discovery.ts";
import { createCapabilities } from "./endpoints/capabilities.ts";
import { createEndpoint, type Endpoint } from "./endpoints/endpoint.ts";
import { endpointNames } from "./endpoints/endpoint-names.ts";
import { createEndpointPool, type EndpointPool } from "./endpoints/endpoint-pool.ts";
import { createHeadPace } from "./endpoints/head-pace.ts";
import { hideKeys } from "./endpoints/hide-keys.ts";
import { highestHead } from "./endpoints/highest-head.ts";
import { createHeadProbe } from "./endpoints/probe-heads.ts";
import { announcedBy, watchHeads } from "./endpoints/watch-heads.ts";
import { loadCryptography } from "./proof/hashing/cryptography.ts";
import { createTransport, type RpcTransport } from "./rpc/rpc-transport.ts";
import { createShownMoves } from "./shown-moves.ts";

export type ChainSourceOptions = ChainRules & {
  /** http(s) or ws(s) URLs. The first one is preferred. */
  urls: readonly string[];
  /**
   * The companies that run the URLs, as far as the operator names them. Left out: none is named.
   */
  providers?: Providers;
  /** The time limit of one request, in ms. */
  timeoutMs: number;
  /** The number of hosts that have to agree, and the time to wait for hosts that do not answer. */
  witness: WitnessPolicy;
};

/** Connects to a URL. Left out: over the network. */
type Connect = (url: string, timeoutMs: number, clock: Clock) => RpcTransport;

/**
 * Reads one chain from its endpoints. It caches only what no reorg can change. It uses an endpoint
 * only after that has shown that it serves this chain. See ChainSource and Voters for each method.
 */
export function createChainSource(
  ports: {
    clock: Clock;
    log: Logger;
    tracingHosts: TracingHosts;
    /** The matters of this chain that wait for further hosts. Its gate shares them. */
    holds: Holds;
    connect?: Connect;
  },
  options: ChainSourceOptions,
): ChainSource & Voters {
  const { clock } = ports;
  const { proof, profile, witness } = options;
  const { isEconomical, tracing } = tracingOf(options);
  const pool = createEndpointPool(openEndpoints(options, ports), { ...ports, ...options });
  const rules = { proof, tracing, aliases: byAddress(options.nativeAliases), profile };
  const loadTools = once(() => createTools(rules));
  const capabilities = createCapabilities({ ...ports, pool }, { ...options, tracing });
  const { verify, verifyForBlocks, learnTracing, identify, otherChain } = createVerification(pool, {
    chainId: options.chainId,
    rules,
  });
  const pace = createHeadPace(clock);
  const probeHeads = createHeadProbe(pool, clock, async (one) => {
    await verify(one);
    await compareHeads(one, pool);
    await learnTracing(one);
  });
  logShared(ports.log, options);
  const { keepHeader, hasAccessList, lastProof, ...asked } = createBalanceReader(
    { ...ports, pool, verify },
    { ...rules, needed: witness.count, chainId: options.chainId },
  );
  const { agreed, lacksTraces, discovered, ...loading } = createBlockLoader(
    {
      ...ports,
      ...options,
      pool,
      probeHeads,
      verify,
      verifyForBlocks,
      discovery: createDiscovery(ports.log, options),
      capabilities,
      loadTools,
      keepHeader,
    },
    { ...options, tracing },
  );
  const seeing = { pool, capabilities, hasAccessList };
  const shown = createShownMoves(seeing, rules);
  const ask = <T>(work: (endpoint: Endpoint) => Promise<T>) => pool.first(work, verify);
  const header = (number: bigint) => ask((one) => askHeader(one, number, "alone"));
  const collect: Voters["witness"] = (question) =>
    collectVotes(pool, question, { clock, verify, otherChain });
  const heads = createBelievedHead({ collect, header, needed: witness.count });

  return {
    header,

    async head() {
      pool.failOver();
      // Not awaited: the answers count the next time.
      probeHeads();
      const head = await ask<BlockHeader & HeadAnswer>(isEconomical ? askWholeHead : askHead);
      pace.note(head);
      return heads.judge(head);
    },

    quietMs: () => (isEconomical ? pace.dueInMs() : 0),

    announcedHead: () => announcedBy(pool.leader(), clock, profile),

    tagged: (tag) => ask((one) => askTagged(one, tag)),

    identity: identify,

    headers: (from, to) =>
      heads.reading(
        to,
        ask((one) => askHeaders(one, from, to)),
      ),

    async ancestors(request) {
      const tools = await loadTools();
      return ask((one) => readAncestors(one, request, tools));
    },

    ...notingUnread(heads, loading),

    showsInternalMoves: shown.showsInternalMoves,

    seesEveryMove: async (blockHash) => options.balanceCheck && shown.showsInternalMoves(blockHash),

    ...asked,

    witness: collect,

    isAlone: () => pool.hosts() === 1,

    leadingHost: () => pool.leader().host,

    status: () =>
      readingOf(options, { clock, pool, shown, heads, lacksTraces, agreed, lastProof, discovered }),

    // If requests cost money, an announcement costs more than one question for a due block.
    onAnnounced: (wake) => (isEconomical ? () => {} : watchAllHeads(pool, clock, wake)),

    close: () => pool.close(),
  };
}

type Read = {
  clock: Clock;
  pool: EndpointPool;
  shown: ReturnType<typeof createShownMoves>;
  heads: BelievedHead;
} & Pick<ReturnType<typeof createBlockLoader>, "agreed" | "lacksTraces" | "discovered"> &
  Pick<ReturnType<typeof createBalanceReader>, "lastProof">;

/** The way in which the chain is being read, for the operator. */
function readingOf(
  { reading, proof, profile }: ChainSourceOptions,
  { clock, pool, shown, heads, lacksTraces, agreed, lastProof, discovered }: Read,
): ChainReading {
  return {
    tracing: shown.tracing(),
    reading,
    givenUp: [...givenUpBy(reading, shown.showsNow()), ...lacking(lacksTraces())],
    verification: proof,
    evidence: profile.evidence,
    upgrade: unreadUpgrade(profile, clock.now()),
    head: heads.shown(highestHead(pool.endpoints)),
    agreed: agreed(),
    balances: lastProof(),
    discovered: discovered(),
    endpoints: pool.endpoints.map((endpoint) => endpoint.health()),
  };
}

/** The same methods, which also note blocks that no endpoint could give. */
function notingUnread(
  { reading }: Pick<BelievedHead, "reading">,
  loading: Omit<ReturnType<typeof createBlockLoader>, "agreed" | "lacksTraces" | "discovered">,
): typeof loading {
  return {
    ...loading,
    loadNext: (number, ...how) => reading(number, loading.loadNext(number, ...how)),
    loadRange: (request) => reading(request.from, loading.loadRange(request)),
  };
}

async function createTools(rules: LoadRules): Promise<JudgingTools> {
  const cryptography = await loadCryptography();
  return { cryptography, rules, judgeOf: createJudges(cryptography.keccak, rules) };
}

function byAddress(aliases: readonly NativeAlias[]): Map<Address, NativeAlias> {
  return new Map(aliases.map((alias) => [alias.address, alias]));
}

/**
 * The way in which traces are asked for. If logs show every move of the coin, traces add nothing.
 * Economical reading asks for traces only if they are configured.
 */
function tracingOf({ nativeAliases, reading, tracing }: ChainSourceOptions) {
  const isAllLogged = nativeAliases.some(({ logs }) => logs === "all");
  const isEconomical = reading === "economical";
  const isUntraced = isAllLogged || (isEconomical && tracing === "auto");
  return { isEconomical, tracing: isUntraced ? "off" : tracing } as const;
}

function watchAllHeads(pool: EndpointPool, clock: Clock, wake: () => void): () => void {
  const sockets = pool.endpoints.filter((one) => one.transport.subscribeHeads !== null);
  const stops = sockets.map((one) => watchHeads(one, clock, wake));
  return () => {
    for (const stop of stops) stop();
  };
}

/** Makes one endpoint for each URL. The first is preferred. */
export function openEndpoints(
  options: ChainSourceOptions,
  ports: { clock: Clock; connect?: Connect },
): [Endpoint, ...Endpoint[]] {
  const { urls, timeoutMs, providers = noProviders } = options;
  const { clock, connect = createTransport } = ports;
  const names = endpointNames(urls);
  const redact = hideKeys(urls);
  const [first, ...others] = urls.map((url, index) => {
    const transport = connect(url, timeoutMs, clock);
    const name = names[index] ?? "endpoint";
    const host = endpointHost(url, providers);
    return createEndpoint({ name, host, transport, redact, isAlone: urls.length === 1 }, clock);
  });
  if (first === undefined) throw new Fault("invariant_broken", "A chain has an endpoint.");
  return [first, ...others];
}

/**
 * Logs URLs without a label that have the same host. Where hosts have to agree, such URLs count
 * once: one company would agree with itself. An operator who has labelled URLs knows that.
 */
function logShared(log: Logger, options: ChainSourceOptions): void {
  const { chainId, urls, providers = noProviders } = options;
  const unlabelled = urls.filter((url) => !providers.has(url));
  const hosts = unlabelled.map((url) => endpointHost(url, providers));
  const shared = new Set(hosts.filter((host, at) => hosts.indexOf(host) !== at));
  for (const host of shared) log.warn({ chainId, host }, "endpoint.same_host");
}

/**
 * Asks an endpoint for its head. If that is well above the leader's head, checks that the leader's
 * head is below it on the same branch.
 */
async function compareHeads(endpoint: Endpoint, pool: EndpointPool): Promise<void> {
  await askHead(endpoint);
  const { name, announced } = pool.leader();
  if (announced === null || !pool.isAhead(endpoint)) return;
  const below = await askHeader(endpoint, announced.number, "alone");
  endpoint.descendsFrom = below.hash === announced.hash ? name : null;
}
