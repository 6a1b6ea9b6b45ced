import type { ChainStatus, LedgerStatus } from "../chain/chain-status.ts";
import { isOfThePast } from "../chain/confirmation.ts";
import type { UnreadUpgrade } from "../chain/profile.ts";
import type { Liveness } from "../liveness.ts";
import { type AlertKind, alertLimits } from "./alert-kinds.ts";
import { lengthText } from "./length-text.ts";

/** A condition that an operator must know of, as it is stored and sent. */
export type AlertCondition = {
  kind: AlertKind;
  /** The object of the condition, such as the name of a chain; empty if the kind has only one. */
  subject: string;
  /** One line for a person. */
  summary: string;
};

/** The subject of a condition; null: nothing of that sort. */
type AlertAbout = { chain: string | null; endpoint: string | null; asset: string | null };

/** A webhook that fails or is deactivated, and since when, as far as that is known. */
export type TroubledWebhook = {
  webhookId: string;
  url: string;
  businessId: string;
  businessName: string;
  since: Date | null;
};

/** A condition that holds at one moment, with the values in its summary. */
export type HoldingCondition = AlertCondition & {
  about: AlertAbout;
  /** The values, by their names in the API. */
  values: Readonly<Record<string, string | number>>;
  /** In ms since the epoch; null: the ledger does not know since when the condition holds. */
  sinceMs: number | null;
  /** For a condition of webhooks: the webhooks, those in trouble for longest first. */
  webhooks: readonly TroubledWebhook[];
};

/**
 * Webhooks in trouble, among those that are registered. Each list begins with those in trouble for
 * longest, and may leave others out.
 */
export type WebhookTrouble = {
  /** The number of deactivated ones. */
  deactivated: number;
  inactive: readonly TroubledWebhook[];
  failing: readonly (TroubledWebhook & { since: Date })[];
};

/** The facts that the ledger is asked for each time. */
export type Snapshot = Pick<LedgerStatus, "chains" | "outbox"> & {
  liveness: Liveness;
  webhooks: WebhookTrouble;
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

/** The result of one test; false or null: the condition does not hold. */
type Found =
  | (Pick<AlertCondition, "kind" | "summary"> &
      Partial<Pick<HoldingCondition, "values" | "sinceMs" | "webhooks">>)
  | false
  | null;

const nothing: AlertAbout = { chain: null, endpoint: null, asset: null };

/** Answers the conditions that hold, with what they are about. */
function holding(
  found: readonly Found[],
  subject = "",
  about: AlertAbout = nothing,
): HoldingCondition[] {
  return found.flatMap((one) =>
    one === false || one === null
      ? []
      : [{ values: {}, sinceMs: null, webhooks: [], ...one, subject, about }],
  );
}

/**
 * Every condition that holds at `nowMs`, in ms since the epoch. Each pair of kind and subject
 * occurs once.
 */
export function conditionsOf(snapshot: Snapshot, nowMs: number): HoldingCondition[] {
  const { chains, liveness, prices } = snapshot;
  return [
    ...chains.flatMap((chain) => conditionsOfOne(chain, liveness, nowMs)),
    ...conditionsOfDelivery(snapshot, nowMs),
    ...conditionsOfAudit(snapshot, nowMs),
    ...conditionsOfVacuuming(snapshot, nowMs),
    ...prices.flatMap(({ chainName, assetCode, isFresh }) =>
      holding(
        [
          !isFresh && {
            kind: "ChainbellPriceStale",
            summary: `The price of ${assetCode} on ${chainName} is too old: it is left out of net worth.`,
          },
        ],
        `${chainName} ${assetCode}`,
        { ...nothing, chain: chainName, asset: assetCode },
      ),
    ),
  ];
}

/**
 * Fills in when conditions began, if the snapshot does not know it and the daemon has noticed them
 * before.
 */
export function sinceRemembered(
  found: readonly HoldingCondition[],
  starts: readonly (Pick<AlertCondition, "kind" | "subject"> & { sinceMs: number })[],
): HoldingCondition[] {
  return found.map((one) => {
    const start = starts.find(({ kind, subject }) => kind === one.kind && subject === one.subject);
    return { ...one, sinceMs: one.sinceMs ?? start?.sinceMs ?? null };
  });
}

/** Every condition of one chain and of its endpoints that holds at `nowMs`. */
export function conditionsOfOne(
  chain: ChainStatus,
  liveness: Liveness,
  nowMs: number,
): HoldingCondition[] {
  return [...conditionsOfChain(chain, liveness, nowMs), ...conditionsOfEndpoints(chain)];
}

/** Every condition of a chain itself that holds at `nowMs`. */
function conditionsOfChain(
  chain: ChainStatus,
  { watched }: Liveness,
  nowMs: number,
): HoldingCondition[] {
  const { name, stopped, lagSeconds, reading, discrepancies, differsSince, unproven } = chain;
  const lagMs = (lagSeconds ?? 0) * secondMs;
  const found: Found[] = [
    !watched.includes(name) && {
      kind: "ChainbellChainNotWatched",
      summary: `No process watches ${name}: what is paid is not seen.`,
    },
    stopped !== null && {
      kind: "ChainbellChainStopped",
      summary: `${name} is stopped: ${stopped.code}.`,
      values: { code: stopped.code },
      sinceMs: stopped.since?.getTime() ?? null,
    },
    silenceIn(chain),
    lagMs > alertLimits.lagMs && {
      kind: "ChainbellChainBehind",
      summary: `${name} is ${lengthText(lagMs)} behind: deposits are seen that much later.`,
      values: { lag_seconds: lagMs / secondMs },
      // The condition counts from the time of the last block that was read.
      sinceMs: nowMs - lagMs,
    },
    heldIn(chain, nowMs),
    discrepancies > 0 && {
      kind: "ChainbellLedgerDiffers",
      summary: `Balances that differ from what ${name} says: ${discrepancies}.`,
      values: { discrepancies },
      sinceMs: differsSince?.getTime() ?? null,
    },
    unproven > 0 && {
      kind: "ChainbellMoneyUnproven",
      summary: `Transactions of the coin of ${name} that the balances of their blocks do not show: ${unproven}. They stay pending.`,
      values: { unproven },
    },
    upgradeIn(name, reading?.upgrade ?? null, nowMs),
  ];
  return holding(found, name, { ...nothing, chain: name });
}

function silenceIn({ name, reading }: ChainStatus): Found {
  if (reading === null || reading.endpoints.length === 0) return null;
  const silentMs = Math.min(...reading.endpoints.map(({ silentMs: ms }) => ms ?? 0));
  return (
    silentMs > alertLimits.silenceMs && {
      kind: "ChainbellChainSilent",
      summary: `No endpoint of ${name} has answered for ${lengthText(silentMs)}.`,
      values: { silent_seconds: Math.floor(silentMs / secondMs) },
      sinceMs: reading.reportedAt.getTime() - silentMs,
    }
  );
}

function heldIn({ name, reading }: ChainStatus, nowMs: number): Found {
  const held = reading?.held ?? null;
  if (held === null) return null;
  const { what, why, sinceMs } = held;
  // Old blocks that nobody keeps may never come back.
  if (isOfThePast(held) && why === "refused") return null;
  const heldMs = nowMs - sinceMs;
  return (
    heldMs > alertLimits.heldMs && {
      kind: "ChainbellChainHeld",
      summary: `${name} has waited for further endpoints for ${lengthText(heldMs)}: ${what}, ${why}.`,
      values: { what, why },
      sinceMs,
    }
  );
}

function upgradeIn(chain: string, upgrade: UnreadUpgrade | null, nowMs: number): Found {
  if (upgrade === null) return null;
  const { name, atMs } = upgrade;
  const at = new Date(atMs).toISOString().slice(0, 10);
  return (
    atMs - nowMs < alertLimits.upgradeDays * dayMs && {
      kind: "ChainbellUpgradeAhead",
      summary: `${chain} upgrades to ${name} on ${at}: this version does not read that.`,
      values: { upgrade: name, at },
    }
  );
}

function conditionsOfEndpoints({ name: chain, reading }: ChainStatus): HoldingCondition[] {
  if (reading === null) return [];
  const { endpoints, reportedAt } = reading;
  const highest = endpoints.reduce(
    (most, { head }) => (head !== null && head > most ? head : most),
    0n,
  );
  return endpoints.flatMap(({ name, score, head, latencyMs, silentMs }) => {
    const behind = head === null ? 0n : highest - head;
    const tookMs = latencyMs ?? 0;
    const found: Found[] = [
      score < alertLimits.endpointScore && {
        kind: "ChainbellEndpointFailing",
        summary: `The endpoint ${name} of ${chain} answers badly or not at all.`,
        sinceMs:
          silentMs === null || silentMs === undefined ? null : reportedAt.getTime() - silentMs,
      },
      behind > BigInt(alertLimits.endpointBlocksBehind) && {
        kind: "ChainbellEndpointBehind",
        summary: `The endpoint ${name} of ${chain} is ${behind} blocks below another one.`,
        values: { blocks: Number(behind) },
      },
      tookMs > alertLimits.endpointLatencyMs && {
        kind: "ChainbellEndpointSlow",
        summary: `The endpoint ${name} of ${chain} takes ${lengthText(tookMs)} for an answer.`,
        values: { latency_ms: tookMs },
      },
    ];
    return holding(found, `${chain} ${name}`, { ...nothing, chain, endpoint: name });
  });
}

function conditionsOfAudit({ audit }: Snapshot, nowMs: number): HoldingCondition[] {
  const { since, refused } = audit;
  const sinceMs = since?.getTime() ?? nowMs;
  const summary =
    refused > 0
      ? `Entries of the audit trail that Chainbell did not write: ${refused}.`
      : `An entry of the audit trail has waited for its place in the chain for ${lengthText(nowMs - sinceMs)}.`;
  return holding([
    nowMs - sinceMs > alertLimits.auditWaitMs && {
      kind: "ChainbellAuditUnchained",
      summary,
      values: { refused },
      sinceMs,
    },
  ]);
}

function conditionsOfVacuuming({ vacuuming }: Snapshot, nowMs: number): HoldingCondition[] {
  const { oldestSnapshotMs, dueDeadRows } = vacuuming;
  return holding([
    oldestSnapshotMs > alertLimits.snapshotMs && {
      kind: "ChainbellSnapshotOld",
      summary: `A session of the database has held a snapshot for ${lengthText(oldestSnapshotMs)}: vacuum cannot remove dead rows.`,
      sinceMs: nowMs - oldestSnapshotMs,
    },
    dueDeadRows > alertLimits.dueDeadRows && {
      kind: "ChainbellDeadRows",
      summary: `The table of due deliveries has ${dueDeadRows} dead rows: vacuum does not keep up.`,
      values: { dead_rows: dueDeadRows },
    },
  ]);
}

/** Every condition of the deliveries of all businesses that holds at `nowMs`. */
function conditionsOfDelivery(
  { outbox, liveness, webhooks }: Pick<Snapshot, "outbox" | "liveness" | "webhooks">,
  nowMs: number,
): HoldingCondition[] {
  const { claimMs } = liveness;
  return holding([
    liveness.dispatchers === 0 && {
      kind: "ChainbellNoDispatcher",
      summary: "No process sends notifications.",
    },
    // Null: a relay of version 0.1 does not report itself.
    liveness.relays === 0 && {
      kind: "ChainbellNoRelay",
      summary: "No process passes on what is due to be sent.",
    },
    lateIn(outbox.lateSince?.getTime() ?? nowMs, nowMs),
    liveness.withoutQueue > 0 && {
      kind: "ChainbellQueueOutOfReach",
      summary: "The queue is out of reach for a process that passes on what is due to be sent.",
    },
    claimMs > alertLimits.claimMs && {
      kind: "ChainbellClaimsSlow",
      summary: `Claiming due deliveries took ${claimMs} ms: notifications are late.`,
      values: { claim_ms: claimMs },
    },
    failingIn(webhooks, nowMs),
    webhooks.deactivated > 0 && {
      kind: "ChainbellWebhookDeactivated",
      summary: `Deactivated webhooks: ${webhooks.deactivated}. Their events are held.`,
      values: { webhooks: webhooks.deactivated },
      webhooks: webhooks.inactive,
    },
  ]);
}

function lateIn(sinceMs: number, nowMs: number): Found {
  return (
    nowMs - sinceMs > alertLimits.notificationWaitMs && {
      kind: "ChainbellMoneyLate",
      summary: `A notification has waited for ${lengthText(nowMs - sinceMs)}, and its receiver is not failing.`,
      sinceMs,
    }
  );
}

function failingIn({ failing }: WebhookTrouble, nowMs: number): Found {
  const limitMs = alertLimits.webhookFailureMs;
  const long = failing.filter(({ since }) => nowMs - since.getTime() > limitMs);
  if (long.length === 0) return null;
  const sinceMs = Math.min(...long.map(({ since }) => since.getTime()));
  return {
    kind: "ChainbellWebhookFailing",
    summary: `Webhooks that have failed for more than ${lengthText(limitMs)}: ${long.length}, the longest for ${lengthText(nowMs - sinceMs)}.`,
    values: { webhooks: long.length },
    sinceMs,
    webhooks: long,
  };
}
