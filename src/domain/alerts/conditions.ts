import type { ChainStatus, LedgerStatus } from "../chain/chain-status.ts";
import type { Liveness } from "../liveness.ts";
import { type AlertKind, alertLimits } from "./alert-kinds.ts";
import { lengthText } from "./length-text.ts";

/** Something that an operator has to know of, at one moment. */
export type AlertCondition = {
  kind: AlertKind;
  /** The object of the condition, such as the name of a chain; empty if the kind has only one. */
  subject: string;
  /** One line for a person. */
  summary: string;
};

/** The facts that each look reads from the ledger. */
export type Snapshot = Pick<LedgerStatus, "chains" | "outbox"> & {
  liveness: Liveness;
  webhooks: { deactivated: number; failing: readonly { webhookId: string; since: Date }[] };
  audit: { since: Date | null; refused: number };
  vacuuming: { oldestSnapshotMs: number; dueDeadRows: number };
  prices: readonly { chainName: string; assetCode: string; isFresh: boolean }[];
};

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;

export const ledgerUnreadable: AlertCondition = {
  kind: "ChainbellLedgerUnreadable",
  subject: "",
  summary: "PostgreSQL cannot be read: no money is seen, and none is announced.",
};

/**
 * Every condition that holds at `nowMs`, in ms since the epoch. Each pair of kind and subject
 * occurs once.
 */
export function conditionsOf(snapshot: Snapshot, nowMs: number): AlertCondition[] {
  const { chains, liveness, prices } = snapshot;
  return [
    ...chains.flatMap((chain) => conditionsOfOne(chain, liveness, nowMs)),
    ...conditionsOfDelivery(snapshot, nowMs),
    ...conditionsOfAudit(snapshot, nowMs),
    ...conditionsOfVacuuming(snapshot),
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

/** Every condition of one chain and of its endpoints that holds at `nowMs`. */
export function conditionsOfOne(
  chain: ChainStatus,
  liveness: Liveness,
  nowMs: number,
): AlertCondition[] {
  return [...conditionsOfChain(chain, liveness, nowMs), ...conditionsOfEndpoints(chain)];
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
      lagMs > alertLimits.lagMs &&
        `${name} is ${lengthText(lagMs)} behind: deposits are seen that much later.`,
    ],
    [
      "ChainbellChainHeld",
      held !== null &&
        heldMs > alertLimits.heldMs &&
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
        upgrade.atMs - nowMs < alertLimits.upgradeDays * dayMs &&
        `${name} upgrades to ${upgrade.name} on ${new Date(upgrade.atMs).toISOString().slice(0, 10)}: this version does not read that.`,
    ],
  ];
  return conditionsIn(found, name);
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
      ...(endpoint.score < alertLimits.endpointScore
        ? [
            {
              kind: "ChainbellEndpointFailing" as const,
              subject,
              summary: `The endpoint ${endpoint.name} of ${name} answers badly or not at all.`,
            },
          ]
        : []),
      ...(behind > BigInt(alertLimits.endpointBlocksBehind)
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

function conditionsOfAudit({ audit }: Snapshot, nowMs: number): AlertCondition[] {
  const waitedMs = audit.since === null ? 0 : nowMs - audit.since.getTime();
  if (waitedMs <= alertLimits.auditWaitMs) return [];
  const summary =
    audit.refused > 0
      ? `Entries of the audit trail that Chainbell did not write: ${audit.refused}.`
      : `An entry of the audit trail has waited for its place in the chain for ${lengthText(waitedMs)}.`;
  return [{ kind: "ChainbellAuditUnchained", subject: "", summary }];
}

function conditionsOfVacuuming({ vacuuming }: Snapshot): AlertCondition[] {
  const { oldestSnapshotMs, dueDeadRows } = vacuuming;
  const found: [AlertKind, string | false][] = [
    [
      "ChainbellSnapshotOld",
      oldestSnapshotMs > alertLimits.snapshotMs &&
        `A session of the database has held a snapshot for ${lengthText(oldestSnapshotMs)}: vacuum cannot remove dead rows.`,
    ],
    [
      "ChainbellDeadRows",
      dueDeadRows > alertLimits.dueDeadRows &&
        `The table of due deliveries has ${dueDeadRows} dead rows: vacuum does not keep up.`,
    ],
  ];
  return conditionsIn(found, "");
}

/** Answers the kinds that hold: those with a summary. */
function conditionsIn(found: [AlertKind, string | false][], subject: string): AlertCondition[] {
  return found.flatMap(([kind, summary]) =>
    summary === false ? [] : [{ kind, subject, summary }],
  );
}

function conditionsOfDelivery(snapshot: Snapshot, nowMs: number): AlertCondition[] {
  const { outbox, liveness, webhooks } = snapshot;
  const waitedMs = outbox.oldestWaitingAt === null ? 0 : nowMs - outbox.oldestWaitingAt.getTime();
  const failures = webhooks.failing.map(({ since }) => nowMs - since.getTime());
  const long = failures.filter((ms) => ms > alertLimits.webhookFailureMs);
  const found: [AlertKind, string | false][] = [
    ["ChainbellNoDispatcher", liveness.dispatchers === 0 && "No process sends notifications."],
    // Null: a relay of version 0.1 does not report itself.
    ["ChainbellNoRelay", liveness.relays === 0 && "No process passes on what is due to be sent."],
    [
      "ChainbellMoneyLate",
      waitedMs > alertLimits.notificationWaitMs &&
        !failures.some((ms) => ms > alertLimits.notificationWaitMs) &&
        `A notification has waited for ${lengthText(waitedMs)}, and no receiver is failing.`,
    ],
    [
      "ChainbellQueueOutOfReach",
      liveness.withoutQueue > 0 &&
        "The queue is out of reach for a process that passes on what is due to be sent.",
    ],
    [
      "ChainbellClaimsSlow",
      liveness.claimMs > alertLimits.claimMs &&
        `Claiming due deliveries took ${liveness.claimMs} ms: notifications are late.`,
    ],
    [
      "ChainbellWebhookFailing",
      long.length > 0 &&
        `Webhooks that have failed for more than ${lengthText(alertLimits.webhookFailureMs)}: ${long.length}, the longest for ${lengthText(Math.max(...long))}.`,
    ],
    [
      "ChainbellWebhookDeactivated",
      webhooks.deactivated > 0 &&
        `Deactivated webhooks: ${webhooks.deactivated}. Their events are held.`,
    ],
  ];
  return conditionsIn(found, "");
}
