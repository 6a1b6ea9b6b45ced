import type { ChainStatus } from "../../../src/domain/chain/chain-status.ts";
import { createMetrics } from "../../../src/metrics/metrics.ts";
import { plainReading } from "../chain/reading.ts";

const at = new Date(0);
const question = { chain: "ethereum", question: "blockByNumber" };

/**
 * What /metrics answers where everything that can be counted was counted once, so that each series
 * shows its labels.
 */
export async function sampleMetrics(): Promise<string> {
  const metrics = createMetrics({
    readStatus: async () => ({
      chains: [sampleChain()],
      outbox: { waiting: 0, held: 0, oldestWaitingAt: null, lateSince: null },
      idKey: "",
    }),
    readLiveness: async () => ({
      watched: [],
      withWallets: [],
      dispatchers: 0,
      relays: 0,
      withoutQueue: 0,
      claimMs: 0,
    }),
    readWebhookTrouble: async () => ({
      deactivated: 0,
      inactive: [],
      failing: [
        {
          webhookId: "0199c2a1-0000-7000-8000-000000000000",
          url: "https://shop.example/hook",
          businessId: "0199c2a1-0000-7000-8000-000000000001",
          businessName: "Acme",
          since: at,
        },
      ],
    }),
    readTableSizes: async () => [{ table: "transaction", rows: 1 }],
    readPrices: async () => [{ chainName: "ethereum", assetCode: "ETH", asOf: at, isFresh: true }],
    readAuditWaiting: async () => ({ since: null, refused: 0 }),
    readVacuuming: async () => ({ oldestSnapshotMs: 0, dueDeadRows: 0 }),
    readLines: async () => ({ waiting: 0, held: 0, oldestWaitingAt: null }),
    clock: { now: () => 0 },
  });
  metrics.requestAnswered({ method: "GET", route: "/balance", status: 200, latencyMs: 1 });
  metrics.rpcAsked({ ...question, isError: true, latencyMs: 1 });
  metrics.deliveryAttempted({ outcome: "delivered", latencyMs: 1 });
  metrics.reorgUndone("ethereum");
  metrics.troubleLogged("queue.error");
  metrics.priceFailed("http");
  metrics.alertSent("slack", "sent");
  metrics.spansDropped(1);
  return metrics.text();
}

/**
 * A chain whose status has something of everything, and nothing wrong but an upgrade that has
 * passed.
 */
export function sampleChain(): ChainStatus {
  return {
    name: "ethereum",

    position: 1n,
    positionTime: at,
    head: 1n,
    confirmed: 1n,
    lagBlocks: 0n,
    lagSeconds: 0,
    stopped: null,
    reading: {
      ...plainReading,
      reportedAt: at,
      held: null,
      balances: "state" as const,
      upgrade: { name: "Next", atMs: 1 },
      endpoints: [
        {
          name: "rpc.example",
          score: 1,
          head: 1n,
          latencyMs: 1,
          requestsPerSecond: null,

          concurrency: 1,
          failures: 0,
          lastError: null,

          calls: 1,
          callsHours: 1,
          charged: null,
        },
      ],
    },

    discrepancies: 0,
    differsSince: null,
    assetCodes: [],
    leftAssets: [],
    openingAssets: [],
    unproven: 0,
    openingsAnswered: 0,
    histories: 0,

    reconciledAt: null,
    agreed: 1n,
  };
}
