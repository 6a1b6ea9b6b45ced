import type { AlertKind } from "../../../../src/domain/alerts/alert-kinds.ts";
import type { Snapshot } from "../../../../src/domain/alerts/conditions.ts";
import type { ChainStatus, EndpointHealth } from "../../../../src/domain/chain/chain-status.ts";
import type { Hold } from "../../../../src/domain/chain/confirmation.ts";
import type { Liveness } from "../../../../src/domain/liveness.ts";
import { plainReading } from "../../../support/chain/reading.ts";
import { sampleChain } from "../../../support/docs/sample-metrics.ts";

// What the daemon reads at a look, for the tests of its alerts.

export const nowMs = Date.parse("2026-11-22T12:00:00Z");
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;
const ago = (ms: number) => new Date(nowMs - ms);

const [endpoint] = sampleChain().reading?.endpoints ?? [];
export const well = { ...plainReading, reportedAt: ago(0), held: null };

/** Who works: everybody that there has to be. */
export const atWork = (other: Partial<Liveness> = {}): Liveness => ({
  watched: ["ethereum"],
  dispatchers: 1,
  withWallets: [],
  relays: null,
  withoutQueue: 0,
  claimMs: 0,
  ...other,
});

/** What is read where everything is well but these. */
export const snapshotOf = (
  chain: Partial<ChainStatus> = {},
  more: Partial<Snapshot> = {},
): Snapshot => ({
  chains: [{ ...sampleChain(), reading: well, ...chain }],
  outbox: { waiting: 0, held: 0, oldestWaitingAt: null, lateSince: null },
  liveness: atWork(),
  webhooks: { deactivated: 0, inactive: [], failing: [] },
  audit: { since: null, refused: 0 },
  vacuuming: { oldestSnapshotMs: 0, dueDeadRows: 0 },
  prices: [{ chainName: "ethereum", assetCode: "ETH", isFresh: true }],
  ...more,
});

export const readBy = (endpoints: (Pick<EndpointHealth, "name"> & Partial<EndpointHealth>)[]) => ({
  reading: {
    ...well,
    endpoints: endpoints.flatMap((one) =>
      endpoint === undefined ? [] : [{ ...endpoint, ...one }],
    ),
  },
});

export const held = (sinceMs: number, of: Partial<Pick<Hold, "what" | "why">> = {}) => ({
  reading: {
    ...well,
    held: { what: "confirmation", why: "silent", number: 1n, sinceMs, times: 1, ...of } as const,
  },
});

/** A webhook that has been in trouble for so long. */
export const failingFor = (ms: number, webhookId = "id") => ({
  webhookId,
  url: "https://shop.example/hook",
  businessId: "business",
  businessName: "Acme",
  since: ago(ms),
});
/** A delivery has waited for so long, and its receiver is not failing. */
export const waitingFor = (ms: number) => ({
  waiting: 1,
  held: 0,
  oldestWaitingAt: ago(ms),
  lateSince: ago(ms),
});

const stopped = { code: "wrong_genesis", reason: "another", since: null };

/**
 * For each alert that has a limit: what is read in which all is well, but that what its rule looks
 * at has this value.
 */
export const snapshotsAt = {
  ChainbellChainNotWatched: (count) =>
    snapshotOf({}, { liveness: atWork(count > 0 ? {} : { watched: [] }) }),
  ChainbellChainStopped: (isStopped) => snapshotOf(isStopped > 0 ? { stopped } : {}),
  ChainbellChainSilent: (seconds) =>
    snapshotOf(
      readBy([
        { name: "a", silentMs: seconds * 1_000 },
        { name: "b", silentMs: seconds * 1_000 },
      ]),
    ),
  ChainbellChainBehind: (lagSeconds) => snapshotOf({ lagSeconds }),
  ChainbellChainHeld: (seconds) => snapshotOf(held(nowMs - seconds * 1_000)),
  ChainbellLedgerDiffers: (discrepancies) => snapshotOf({ discrepancies }),
  ChainbellMoneyUnproven: (unproven) => snapshotOf({ unproven }),
  ChainbellNoDispatcher: (dispatchers) => snapshotOf({}, { liveness: atWork({ dispatchers }) }),
  ChainbellNoRelay: (relays) => snapshotOf({}, { liveness: atWork({ relays }) }),
  ChainbellMoneyLate: (seconds) => snapshotOf({}, { outbox: waitingFor(seconds * 1_000) }),
  ChainbellWebhookFailing: (seconds) =>
    snapshotOf(
      {},
      { webhooks: { deactivated: 0, inactive: [], failing: [failingFor(seconds * 1_000)] } },
    ),
  ChainbellWebhookDeactivated: (deactivated) =>
    snapshotOf({}, { webhooks: { deactivated, inactive: [], failing: [] } }),
  ChainbellEndpointFailing: (score) => snapshotOf(readBy([{ name: "a", score }])),
  ChainbellEndpointBehind: (blocks) =>
    snapshotOf(
      readBy([
        { name: "a", head: 10_000n },
        { name: "b", head: 10_000n - BigInt(blocks) },
      ]),
    ),
  ChainbellEndpointSlow: (seconds) =>
    snapshotOf(readBy([{ name: "a", latencyMs: seconds * 1_000 }])),
  ChainbellUpgradeAhead: (seconds) =>
    snapshotOf({
      reading: { ...well, upgrade: { name: "Next", atMs: nowMs + seconds * 1_000 } },
    }),
  ChainbellAuditUnchained: (seconds) =>
    snapshotOf({}, { audit: { since: ago(seconds * 1_000), refused: 0 } }),
  ChainbellSnapshotOld: (seconds) =>
    snapshotOf({}, { vacuuming: { oldestSnapshotMs: seconds * 1_000, dueDeadRows: 0 } }),
  ChainbellDeadRows: (dueDeadRows) =>
    snapshotOf({}, { vacuuming: { oldestSnapshotMs: 0, dueDeadRows } }),
  ChainbellClaimsSlow: (seconds) =>
    snapshotOf({}, { liveness: atWork({ claimMs: seconds * 1_000 }) }),
  ChainbellPriceStale: (isFresh) =>
    snapshotOf({}, { prices: [{ chainName: "ethereum", assetCode: "ETH", isFresh: isFresh > 0 }] }),
} satisfies Partial<Record<AlertKind, (value: number) => Snapshot>>;
