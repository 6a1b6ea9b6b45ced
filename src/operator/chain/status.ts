import { z } from "zod";
import { conditionsOfOne, type HoldingCondition } from "../../domain/alerts/conditions.ts";
import { abilities } from "../../domain/chain/ability.ts";
import {
  balanceProofDescription,
  balanceProofs,
  blockParts,
  receiptsProofs,
} from "../../domain/chain/block-proof.ts";
import { drawbacks, readings } from "../../domain/chain/chain-rules.ts";
import type {
  AgreedReading,
  ChainStatus,
  Discovery,
  EndpointHealth,
  LedgerStatus,
} from "../../domain/chain/chain-status.ts";
import { type Hold, heldReasons, heldThings } from "../../domain/chain/confirmation.ts";
import { evidenceLevels, type UnreadUpgrade } from "../../domain/chain/profile.ts";
import { keysOf, meaningsIn } from "../../domain/keys-of.ts";
import type { Liveness } from "../../domain/liveness.ts";
import { remedyOf } from "../../domain/remedy.ts";
import { presentAlerts, shownAlert } from "../../schema/alert.ts";
import { assetCodes, count, height, heightOf, timeText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";

type Ports = {
  ledger: {
    readStatus: (nowMs: number) => Promise<LedgerStatus>;
    readLiveness: () => Promise<Liveness>;
  };
  clock: { now: () => number };
};

const shownEndpoint = z.object({
  name: z.string(),
  score: z.number(),
  head: height,
  latency_ms: z.number().nullable(),
  requests_per_second: z.number().nullable(),
  concurrency: z.number(),
  failures: count,
  calls: count.meta({
    description:
      "The number of calls that its watcher sent within `calls_hours`. Each call of a batch counts.",
  }),
  calls_hours: z.number().meta({
    description: "The hours that `calls` covers: 24, or those since its watcher began.",
  }),
  charged: z.number().nullable().meta({
    description:
      "The provider's charge for these calls by its public prices, in `charged_in`. Null: not known.",
  }),
  charged_in: z
    .string()
    .nullable()
    .meta({ description: "The unit of `charged`, in the provider's words. Null: not known." }),
  last_error: z.string().nullable(),
  silent_ms: z.number().nullable().meta({
    description: "The time for which it has answered nothing, in ms. Null: it answers.",
  }),
  can: z.array(z.enum(keysOf(abilities))).meta({
    description: `Abilities that it has shown since its watcher began. ${meaningsIn(abilities)}`,
  }),
  cannot: z.array(z.enum(keysOf(abilities))).meta({
    description:
      "Abilities that it has refused since its watcher began, or whose data it no longer has. An ability that it was not asked for stands in neither list.",
  }),
  log_blocks: count.nullable().meta({
    description:
      "The blocks that one question for logs may span, as its answers have shown. Null: it was not asked for logs.",
  }),
});

const shownChain = z.object({
  name: z.string(),
  alerts: z.array(shownAlert).meta({
    description:
      "The conditions of the chain and its endpoints that hold now, the worst first. An alert is sent of one that lasts.",
  }),
  position: height,
  cursor: height.meta({
    deprecated: true,
    description: "The old name of `position`. Read `position`.",
  }),
  head: height,
  confirmed: height,
  lag_blocks: height,
  lag_seconds: count.nullable(),
  stopped: z
    .object({
      code: z.string(),
      reason: z.string(),
      remedy: z.string(),
      since: timeText.nullable(),
    })
    .nullable(),
  held: z
    .object({
      what: z.enum(keysOf(heldThings)),
      why: z.enum(heldReasons),
      number: count,
      since: timeText,
      times: count,
    })
    .nullable()
    .meta({
      description: `Blocks that wait for agreement of further endpoints. ${meaningsIn(heldThings)}`,
    }),
  discrepancies: count,
  assets: assetCodes,
  left_assets: z.array(z.string()).meta({
    description:
      "The codes of assets that were left out of the configuration. They are recorded as before, and nobody is notified of them.",
  }),
  opening_assets: z.array(z.object({ asset: z.string(), wallets: count, opened: count })).meta({
    description:
      "Added assets whose balances are still being read. `wallets` is the number of wallets, `opened` the number of those that have their balance.",
  }),
  unproven: count,
  openings_answered: count.meta({
    description: "The number of balances whose opening only one endpoint has given.",
  }),
  histories: count,
  reconciled_at: timeText.nullable(),
  agreed: height,
  read_at: timeText.nullable(),
  tracing: z.enum(["debug", "parity", "off"]).nullable(),
  reading: z
    .enum(keysOf(readings))
    .nullable()
    .meta({ description: `The amount of questions to its endpoints. ${meaningsIn(readings)}` }),
  gives_up: z
    .array(z.string())
    .nullable()
    .meta({ description: "The drawbacks of this reading, one sentence for each." }),
  gives_up_codes: z
    .array(z.enum(keysOf(drawbacks)))
    .nullable()
    .meta({ description: "The drawbacks of this reading as codes, for a text of your own." }),
  verification: z
    .object({ header: z.boolean(), transactions: z.boolean(), receipts: z.enum(receiptsProofs) })
    .nullable(),
  evidence: z
    .object({ level: z.enum(evidenceLevels), source: z.string(), checked: z.string() })
    .nullable(),
  upgrade: z.object({ name: z.string(), at: timeText }).nullable().meta({
    description:
      "The chain's next upgrade, if this version cannot read its blocks. It is shown from four weeks before. Null: none is known.",
  }),
  agreed_blocks: z
    .object({
      count,
      last: height,
      endpoints: z.array(z.string()),
      why: z.string(),
      unread: z.enum(blockParts).nullable().meta({
        description:
          "The part of the last one that could not be read: its header, or its transactions. Null: not known.",
      }),
      unknown: z.array(z.string()).meta({
        description: "The fields or types of it that this version does not know.",
        examples: [["blockAccessListHash"]],
      }),
    })
    .nullable(),
  balances: z
    .enum(balanceProofs)
    .nullable()
    .meta({
      description: `The proof of the balances that were read last. ${balanceProofDescription}.`,
    }),
  discovered: z
    .object({
      blocks: count,
      complete: z.boolean(),
      header: z.boolean(),
      transactions: z.boolean().nullable(),
      receipts: z.enum(receiptsProofs).nullable(),
    })
    .nullable()
    .meta({
      description:
        "For a chain without a recorded or documented profile, the findings in its first 64 blocks. They say whether headers hash, whether transactions make up their root, and the strongest proof of receipts that held.",
    }),
  endpoints: z.array(shownEndpoint).nullable(),
});

/** Shows the height of each chain, the state of its endpoints, and how many notifications wait. */
export const chainStatus = defineReading({
  noun: "chain",
  http: {
    method: "GET",
    path: "/status",
    summary: "How far each chain is, and how many notifications wait",
    input: () => ({}),
  },
  cli: {
    name: "status",
    isTopLevel: true,
    help: "Show how far each chain is, and how many notifications wait.",
    examples: ["status", "status --json"],
    takes: {},
  },
  check: (input: object) => input,
  async call({ ledger, clock }: Ports) {
    const nowMs = clock.now();
    const [status, liveness] = await Promise.all([ledger.readStatus(nowMs), ledger.readLiveness()]);
    return { ...status, liveness, nowMs };
  },
  answer: z.object({
    chains: z.array(shownChain),
    outbox: z.object({ waiting: count, held: count, oldest_waiting_at: timeText.nullable() }),
    id_key: z.string().meta({
      description:
        "The fingerprint of the key that ids are derived with. A restored database or a replica has the same.",
      examples: ["5f2c0a9be1d34c77"],
    }),
  }),
  present: ({ chains, outbox, idKey, liveness, nowMs }) => ({
    chains: chains.map((chain) => presentChain(chain, conditionsOfOne(chain, liveness, nowMs))),
    outbox: {
      waiting: outbox.waiting,
      held: outbox.held,
      oldest_waiting_at: outbox.oldestWaitingAt?.toISOString() ?? null,
    },
    id_key: idKey,
  }),
});

function presentChain(
  chain: ChainStatus,
  alerts: readonly HoldingCondition[],
): z.output<typeof shownChain> {
  const { reading } = chain;
  return {
    name: chain.name,
    alerts: presentAlerts(alerts),
    position: heightOf(chain.position),
    // The old name, for one more version.
    cursor: heightOf(chain.position),
    head: heightOf(chain.head),
    confirmed: heightOf(chain.confirmed),
    lag_blocks: heightOf(chain.lagBlocks),
    lag_seconds: chain.lagSeconds,
    stopped: presentStop(chain),
    held: presentHold(reading?.held ?? null),
    discrepancies: chain.discrepancies,
    assets: chain.assetCodes,
    left_assets: chain.leftAssets,
    opening_assets: chain.openingAssets.map(({ assetCode, ...of }) => ({
      asset: assetCode,
      ...of,
    })),
    unproven: chain.unproven,
    openings_answered: chain.openingsAnswered,
    histories: chain.histories,
    reconciled_at: chain.reconciledAt?.toISOString() ?? null,
    agreed: heightOf(chain.agreed),
    // All null until a watcher has reported.
    read_at: reading?.reportedAt.toISOString() ?? null,
    tracing: reading?.tracing ?? null,
    reading: reading?.reading ?? null,
    gives_up: reading?.givenUp.map((one) => drawbacks[one]) ?? null,
    gives_up_codes: reading?.givenUp ?? null,
    verification: reading?.verification ?? null,
    evidence: reading?.evidence ?? null,
    upgrade: presentUpgrade(reading?.upgrade ?? null),
    agreed_blocks: presentAgreed(reading?.agreed ?? null),
    balances: reading?.balances ?? null,
    discovered: presentDiscovery(reading?.discovered ?? null),
    endpoints: reading?.endpoints.map(presentEndpoint) ?? null,
  };
}

function presentDiscovery(discovered: Discovery | null) {
  if (discovered === null) return null;
  const { blocks, isComplete, header, transactions, receipts } = discovered;
  return { blocks, complete: isComplete, header, transactions, receipts };
}

function presentUpgrade(upgrade: UnreadUpgrade | null) {
  return upgrade && { name: upgrade.name, at: new Date(upgrade.atMs).toISOString() };
}

function presentAgreed(agreed: AgreedReading | null) {
  if (agreed === null) return null;
  const { blocks, number, ...rest } = agreed;
  return { count: blocks, last: heightOf(number), ...rest };
}

function presentStop({ stopped }: ChainStatus) {
  if (stopped === null) return null;
  const { code, reason, since } = stopped;
  return { code, reason, remedy: remedyOf(code), since: since?.toISOString() ?? null };
}

function presentHold(held: Hold | null) {
  if (held === null) return null;
  const { what, why, number, sinceMs, times } = held;
  return { what, why, number: Number(number), since: new Date(sinceMs).toISOString(), times };
}

function presentEndpoint(endpoint: EndpointHealth): z.output<typeof shownEndpoint> {
  return {
    name: endpoint.name,
    score: endpoint.score,
    head: heightOf(endpoint.head),
    latency_ms: endpoint.latencyMs,
    requests_per_second: endpoint.requestsPerSecond,
    concurrency: endpoint.concurrency,
    failures: endpoint.failures,
    calls: endpoint.calls,
    calls_hours: endpoint.callsHours,
    charged: endpoint.charged?.units ?? null,
    charged_in: endpoint.charged?.unit ?? null,
    last_error: endpoint.lastError,
    silent_ms: endpoint.silentMs ?? null,
    can: endpoint.shown?.can ?? [],
    cannot: endpoint.shown?.cannot ?? [],
    log_blocks: endpoint.shown?.logBlocks ?? null,
  };
}
