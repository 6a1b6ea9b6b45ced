import type { ChainStatus, LedgerStatus } from "../chain/chain-status.ts";
import type { Liveness } from "../liveness.ts";
import type { AlertKind } from "./alert-kinds.ts";
import { lengthText } from "./length-text.ts";

/** Something that an operator has to know of, as it is at one moment. */
export type AlertCondition = {
  kind: AlertKind;
  /** What it is about, such as the name of a chain; empty where there is one alone of its kind. */
  subject: string;
  /** One line for a person. */
  summary: string;
};

/** What is read of the ledger at each look. */
export type Sight = Pick<LedgerStatus, "chains" | "outbox"> & {
  liveness: Liveness;
  webhooks: { deactivated: number; failing: readonly { webhookId: string; since: Date }[] };
  prices: readonly { chainName: string; assetCode: string; isFresh: boolean }[];
};

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;

// The same limits as those of monitoring/alerts.yml.
const longestLagMs = 5 * minuteMs;
const longestHoldMs = 15 * minuteMs;
const longestWaitMs = 5 * minuteMs;
const longestFailureMs = 30 * minuteMs;
const leastScore = 0.5;
const mostBlocksBehind = 100n;
const upgradeWithinMs = 14 * dayMs;

export const ledgerUnreadable: AlertCondition = {
  kind: "ChainbellLedgerUnreadable",
  subject: "",
  summary: "PostgreSQL cannot be read: no money is seen, and none is announced.",
};

/** Every condition that holds at this moment, in ms since the epoch. Each kind and subject is there once. */
export function conditionsOf(sight: Sight, nowMs: number): AlertCondition[] {
  const { chains, liveness, prices } = sight;
  return [
    ...chains.flatMap((chain) => [
      ...conditionsOfChain(chain, liveness, nowMs),
      ...conditionsOfEndpoints(chain),
    ]),
    ...conditionsOfDelivery(sight, nowMs),
    ...prices
      .filter(({ isFresh }) => !isFresh)
      .map(
        ({ chainName, assetCode }): AlertCondition => ({
          kind: "ChainbellPriceStale",
          subject: `${chainName} ${assetCode}`,
          summary: `The price of ${assetCode} on ${chainName} is too old: it is left out of net worth.`,
        }),
      ),
  ];
}

function conditionsOfChain(chain: ChainStatus, { watched }: Liveness, nowMs: number) {
  const { name, stopped, lagSeconds, reading, discrepancies, unproven } = chain;
  const lagMs = (lagSeconds ?? 0) * secondMs;
  const held = reading?.held ?? null;
  const heldMs = held === null ? 0 : nowMs - held.sinceMs;
  const upgrade = reading?.upgrade ?? null;
  const found: [AlertKind, string | false][] = [
    [
      "ChainbellChainNotWatched",
      !watched.includes(name) && `No process watches ${name}: what is paid is not seen.`,
    ],
    ["ChainbellChainStopped", stopped !== null && `${name} is stopped: ${stopped.code}.`],
    [
      "ChainbellChainBehind",
      lagMs > longestLagMs &&
        `${name} is ${lengthText(lagMs)} behind: deposits are seen that much later.`,
    ],
    [
      "ChainbellChainHeld",
      held !== null &&
        heldMs > longestHoldMs &&
        `${name} has waited for further endpoints for ${lengthText(heldMs)}: ${held.what}, ${held.why}.`,
    ],
    [
      "ChainbellLedgerDiffers",
      discrepancies > 0 && `Balances that differ from what ${name} says: ${discrepancies}.`,
    ],
    [
      "ChainbellMoneyUnproven",
      unproven > 0 &&
        `Transactions of the coin of ${name} that the balances of their blocks do not show: ${unproven}. They stay pending.`,
    ],
    [
      "ChainbellUpgradeAhead",
      upgrade !== null &&
        upgrade.atMs - nowMs < upgradeWithinMs &&
        `${name} upgrades to ${upgrade.name} on ${new Date(upgrade.atMs).toISOString().slice(0, 10)}: this version does not read that.`,
    ],
  ];
  return found.flatMap(([kind, summary]): AlertCondition[] =>
    summary === false ? [] : [{ kind, subject: name, summary }],
  );
}

function conditionsOfEndpoints({ name, reading }: ChainStatus): AlertCondition[] {
  const endpoints = reading?.endpoints ?? [];
  const highest = endpoints.reduce(
    (most, { head }) => (head !== null && head > most ? head : most),
    0n,
  );
  return endpoints.flatMap((endpoint): AlertCondition[] => {
    const subject = `${name} ${endpoint.name}`;
    const behind = endpoint.head === null ? 0n : highest - endpoint.head;
    return [
      ...(endpoint.score < leastScore
        ? [
            {
              kind: "ChainbellEndpointFailing" as const,
              subject,
              summary: `The endpoint ${endpoint.name} of ${name} answers badly or not at all.`,
            },
          ]
        : []),
      ...(behind > mostBlocksBehind
        ? [
            {
              kind: "ChainbellEndpointBehind" as const,
              subject,
              summary: `The endpoint ${endpoint.name} of ${name} is ${behind} blocks below another one.`,
            },
          ]
        : []),
    ];
  });
}

function conditionsOfDelivery(sight: Sight, nowMs: number): AlertCondition[] {
  const { outbox, liveness, webhooks } = sight;
  const waitedMs = outbox.oldestWaitingAt === null ? 0 : nowMs - outbox.oldestWaitingAt.getTime();
  const failures = webhooks.failing.map(({ since }) => nowMs - since.getTime());
  const long = failures.filter((ms) => ms > longestFailureMs);
  const found: [AlertKind, string | false][] = [
    ["ChainbellNoDispatcher", liveness.dispatchers === 0 && "No process sends notifications."],
    // Null: a relay of 0.1 does not say that it is there.
    ["ChainbellNoRelay", liveness.relays === 0 && "No process passes on what is due to be sent."],
    [
      "ChainbellMoneyLate",
      waitedMs > longestWaitMs &&
        !failures.some((ms) => ms > longestWaitMs) &&
        `A notification has waited for ${lengthText(waitedMs)}, and no receiver is failing.`,
    ],
    [
      "ChainbellQueueOutOfReach",
      liveness.withoutQueue > 0 &&
        "The queue is out of reach for a process that passes on what is due to be sent.",
    ],
    [
      "ChainbellWebhookFailing",
      long.length > 0 &&
        `Webhooks that have failed for more than ${lengthText(longestFailureMs)}: ${long.length}, the longest for ${lengthText(Math.max(...long))}.`,
    ],
    [
      "ChainbellWebhookDeactivated",
      webhooks.deactivated > 0 &&
        `Deactivated webhooks: ${webhooks.deactivated}. Their events are held.`,
    ],
  ];
  return found.flatMap(([kind, summary]): AlertCondition[] =>
    summary === false ? [] : [{ kind, subject: "", summary }],
  );
}
