import { type AlertKind, alertKinds } from "./alert-kinds.ts";
import type { AlertCondition } from "./conditions.ts";

// Decides when an alert is sent. All times are in ms since the epoch, by one clock.

/** The stored state of a condition. */
export type AlertState = AlertCondition & {
  /**
   * Since when the condition holds. If it came back before its alert was resolved, the first time
   * counts.
   */
  sinceMs: number;
} & (
    | {
        /** The condition holds, and no message about it was sent yet. */
        stage: "waiting";
        /** The time of the last look. */
        seenMs: number;
      }
    | {
        /** Its alert was sent. */
        stage: "open";
        notifiedMs: number;
        /** Since when the condition is gone; null: it holds. */
        goneMs: number | null;
      }
  );

export type AlertPolicy = {
  /**
   * The time that a condition must hold before its alert is sent, in ms. A kind that is not named
   * has its own time in `alertKinds`.
   */
  forMs: Readonly<Partial<Record<AlertKind, number | undefined>>>;
  /** While a condition holds, its alert is sent again after this time, in ms. */
  repeatMs: number;
  /** Once a condition has been gone for this time, in ms, its alert is resolved. */
  resolveAfterMs: number;
  /** Alerts of these kinds are never sent. */
  ignored: readonly AlertKind[];
};

export const usualPolicy: AlertPolicy = {
  forMs: {},
  repeatMs: 4 * 3_600_000,
  resolveAfterMs: 5 * 60_000,
  ignored: [],
};

/**
 * The news in a message. `began`: the alert is sent for the first time. `lasts`: it is sent again.
 * `resolved`: the condition is over.
 */
export type AlertNews = { news: "began" | "lasts" | "resolved" } & Pick<
  AlertState,
  "kind" | "subject" | "summary" | "sinceMs"
>;

/**
 * Conditions are tested every 30 s. After a longer pause than this, in ms, it is unknown whether a
 * waiting condition held all the time.
 */
const longestPauseMs = 3 * 60_000;

/**
 * Maps the stored states and the present conditions to new states and messages. An alert begins
 * once its condition was present at every test for `forMs`. It is sent again every `repeatMs` while
 * the condition holds. It is resolved once the condition was absent at every test for
 * `resolveAfterMs`. So a condition that comes and goes is one alert. A clock that was set back
 * delays nothing, because a time in the future counts as now.
 */
export function decide(
  states: readonly AlertState[],
  conditions: readonly AlertCondition[],
  nowMs: number,
  policy: AlertPolicy,
): { states: AlertState[]; news: AlertNews[] } {
  const isHeard = ({ kind }: { kind: AlertKind }) => !policy.ignored.includes(kind);
  const before = new Map(states.filter(isHeard).map((state) => [keyOf(state), state]));
  const present = new Map(conditions.filter(isHeard).map((one) => [keyOf(one), one]));
  const steps = [
    ...[...present].map(([key, condition]) =>
      whileItHolds(before.get(key), condition, nowMs, policy),
    ),
    ...[...before]
      .filter(([key]) => !present.has(key))
      .map(([, state]) => onceItIsGone(state, nowMs, policy)),
  ];
  return {
    states: steps.flatMap(({ state }) => (state === null ? [] : [state])),
    news: steps.flatMap(({ news }) => (news === null ? [] : [news])),
  };
}

function keyOf({ kind, subject }: Pick<AlertCondition, "kind" | "subject">): string {
  return `${kind} ${subject}`;
}

type Step = { state: AlertState | null; news: AlertNews | null };

function whileItHolds(
  before: AlertState | undefined,
  { kind, subject, summary }: AlertCondition,
  nowMs: number,
  policy: AlertPolicy,
): Step {
  const condition = { kind, subject, summary };
  const sinceMs = sinceOf(before, nowMs);
  const shown = { ...condition, sinceMs };
  if (before?.stage === "open") {
    const notifiedMs = Math.min(before.notifiedMs, nowMs);
    const isDue = nowMs - notifiedMs >= policy.repeatMs;
    return {
      state: { ...shown, stage: "open", notifiedMs: isDue ? nowMs : notifiedMs, goneMs: null },
      news: isDue ? { ...shown, news: "lasts" } : null,
    };
  }
  return nowMs - sinceMs >= (policy.forMs[kind] ?? alertKinds[kind].forMs)
    ? {
        state: { ...shown, stage: "open", notifiedMs: nowMs, goneMs: null },
        news: { ...shown, news: "began" },
      }
    : { state: { ...shown, stage: "waiting", seenMs: nowMs }, news: null };
}

function sinceOf(before: AlertState | undefined, nowMs: number): number {
  if (before === undefined) return nowMs;
  const isUnknown = before.stage === "waiting" && nowMs - before.seenMs > longestPauseMs;
  return isUnknown ? nowMs : Math.min(before.sinceMs, nowMs);
}

function onceItIsGone(before: AlertState, nowMs: number, { resolveAfterMs }: AlertPolicy): Step {
  if (before.stage === "waiting") return { state: null, news: null };
  const { kind, subject, summary, sinceMs } = before;
  const goneMs = Math.min(before.goneMs ?? nowMs, nowMs);
  return nowMs - goneMs >= resolveAfterMs
    ? { state: null, news: { kind, subject, summary, sinceMs, news: "resolved" } }
    : { state: { ...before, goneMs }, news: null };
}
