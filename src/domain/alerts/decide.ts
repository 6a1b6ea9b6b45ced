import { type AlertKind, alertKinds } from "./alert-kinds.ts";
import type { AlertCondition } from "./conditions.ts";

// When an alert is sent. Times are ms since the epoch, by one clock.

/** What is remembered of a condition from one look to the next. */
export type AlertState = AlertCondition & {
  /** Since when it has held; of one that came back before its alert was resolved, since the first time. */
  sinceMs: number;
} & (
    | {
        /** It holds, and nothing was sent of it. */
        stage: "waiting";
        /** When it was last looked at. */
        seenMs: number;
      }
    | {
        /** Its alert was sent. */
        stage: "open";
        notifiedMs: number;
        /** Since when it is gone; null: it holds. */
        goneMs: number | null;
      }
  );

export type AlertPolicy = {
  /** How long a condition has to hold before its alert is sent, where that is not the kind's own time. */
  forMs: Readonly<Partial<Record<AlertKind, number | undefined>>>;
  /** While it holds, its alert is sent again after this. */
  repeatMs: number;
  /** Once a condition has been gone for this, its alert is resolved. */
  resolveAfterMs: number;
  /** Nothing is sent of these. */
  ignored: readonly AlertKind[];
};

export const usualPolicy: AlertPolicy = {
  forMs: {},
  repeatMs: 4 * 3_600_000,
  resolveAfterMs: 5 * 60_000,
  ignored: [],
};

/** What one look gives to say: `began` for the first time, `lasts` again, `resolved`: it is over. */
export type AlertNews = { news: "began" | "lasts" | "resolved" } & Pick<
  AlertState,
  "kind" | "subject" | "summary" | "sinceMs"
>;

/** Looks come every half minute. After a pause that is longer than this nobody knows whether a condition held all the time. */
const longestPauseMs = 3 * 60_000;

/**
 * From what was remembered and what holds now, what is remembered from now on and what is to be said. An alert begins once its
 * condition was there at each look for `forMs`, is said again every `repeatMs` while it holds, and is resolved once the condition was gone at each look
 * for `resolveAfterMs`: so one that comes and goes is one alert. A clock that was put back delays nothing: what is in the future counts as now.
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
