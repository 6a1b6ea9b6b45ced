import fc from "fast-check";
import { expect, test } from "vitest";
import { alertKinds } from "../../../../src/domain/alerts/alert-kinds.ts";
import type { AlertCondition } from "../../../../src/domain/alerts/conditions.ts";
import { decide, usualPolicy } from "../../../../src/domain/alerts/decide.ts";

type Decided = ReturnType<typeof decide>;

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const everyMs = 30 * secondMs;

const condition = (subject = "ethereum"): AlertCondition => ({
  kind: "ChainbellChainStopped",
  subject,
  summary: `${subject} is stopped`,
});

/** How long it has to hold, of the kind above. */
const { forMs } = alertKinds.ChainbellChainStopped;

/** An installation that looks at a clock of its own. */
function watch(policy = usualPolicy) {
  let states: Decided["states"] = [];
  let nowMs = 1_000_000_000;
  const said: string[] = [];
  const look = (...conditions: AlertCondition[]) => {
    const decided = decide(states, conditions, nowMs, policy);
    states = decided.states;
    said.push(...decided.news.map(({ news }) => news));
    return decided.news;
  };
  return {
    said,
    look,
    step(byMs: number) {
      nowMs += byMs;
    },
    states: () => states,
    /** Looks every half minute for that long. */
    lookFor(ms: number, ...conditions: AlertCondition[]) {
      for (let passedMs = 0; passedMs < ms; passedMs += everyMs) {
        nowMs += everyMs;
        look(...conditions);
      }
    },
  };
}

test("what holds for less than its time is not alerted, and nothing of it is remembered", () => {
  const { lookFor, said, states } = watch();
  lookFor(forMs, condition());
  lookFor(everyMs);
  lookFor(forMs, condition());
  lookFor(everyMs);
  expect(said).toEqual([]);
  expect(states()).toEqual([]);
});

test("what holds is alerted once, again after the repetition's time, and resolved once it is gone", () => {
  const { lookFor, look, said } = watch();
  look(condition());
  lookFor(forMs, condition());
  expect(said).toEqual(["began"]);
  lookFor(usualPolicy.repeatMs - everyMs, condition());
  expect(said).toEqual(["began"]);
  lookFor(everyMs, condition());
  expect(said).toEqual(["began", "lasts"]);
  lookFor(usualPolicy.resolveAfterMs);
  expect(said).toEqual(["began", "lasts"]);
  lookFor(everyMs);
  expect(said).toEqual(["began", "lasts", "resolved"]);
});

test("what comes and goes is one alert and one end, since the first time", () => {
  const { lookFor, look, said, states } = watch();
  lookFor(forMs + everyMs, condition());
  const [first] = states();
  for (let times = 0; times < 20; times += 1) {
    lookFor(usualPolicy.resolveAfterMs - everyMs);
    lookFor(everyMs, condition());
  }
  expect(said).toEqual(["began"]);
  expect(states()).toMatchObject([{ sinceMs: first?.sinceMs }]);
  lookFor(usualPolicy.resolveAfterMs + everyMs);
  expect(said).toEqual(["began", "resolved"]);
  look();
  expect(said).toEqual(["began", "resolved"]);
});

test("nobody knows whether it held while nobody looked", () => {
  const { look, step, said, lookFor } = watch();
  look(condition());
  step(60 * minuteMs);
  expect(look(condition())).toEqual([]);
  lookFor(forMs, condition());
  expect(said).toEqual(["began"]);
});

test("a clock that is put back delays an alert, a repetition and an end by no more than their time", () => {
  const { look, step, lookFor, said } = watch();
  look(condition());
  step(-60 * minuteMs);
  lookFor(forMs + everyMs, condition());
  expect(said).toEqual(["began"]);
  step(-24 * 60 * minuteMs);
  lookFor(usualPolicy.repeatMs + everyMs, condition());
  expect(said).toEqual(["began", "lasts"]);
  look();
  step(-60 * minuteMs);
  lookFor(usualPolicy.resolveAfterMs + everyMs);
  expect(said).toEqual(["began", "lasts", "resolved"]);
});

test("the file's own time counts, and what it ignores is not said, not even that it is over", () => {
  const patient = watch({ ...usualPolicy, forMs: { ChainbellChainStopped: 2 * forMs } });
  patient.lookFor(2 * forMs, condition());
  expect(patient.said).toEqual([]);
  patient.lookFor(everyMs, condition());
  expect(patient.said).toEqual(["began"]);
  const ignoring = { ...usualPolicy, ignored: ["ChainbellChainStopped" as const] };
  expect(decide(patient.states(), [condition()], 0, ignoring)).toEqual({ states: [], news: [] });
});

test("each subject has an alert of its own, however the others come and go", () => {
  const names = ["a", "b", "c"];
  const looks = fc.array(fc.subarray(names), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(looks, (seen) => {
      const { look, step } = watch();
      const open = new Set<string>();
      let saidAt = new Map<string, number>();
      seen.forEach((present, index) => {
        step(everyMs);
        for (const { subject, news } of look(...present.map(condition))) {
          // It begins when it is not open, and only what is open lasts or ends.
          expect(open.has(subject)).toBe(news !== "began");
          // It is not said to hold while it does not, and nothing is over that holds.
          expect(present.includes(subject)).toBe(news !== "resolved");
          if (news === "began") {
            const held = seen.slice(index - forMs / everyMs, index + 1);
            expect(held.every((one) => one.includes(subject))).toBe(true);
          }
          if (news === "lasts") {
            const before = saidAt.get(subject) ?? Number.NaN;
            expect((index - before) * everyMs).toBeGreaterThanOrEqual(usualPolicy.repeatMs);
          }
          if (news === "resolved") {
            const gone = seen.slice(index - usualPolicy.resolveAfterMs / everyMs, index + 1);
            expect(gone.some((one) => one.includes(subject))).toBe(false);
            open.delete(subject);
          } else {
            open.add(subject);
          }
          saidAt = new Map(saidAt).set(subject, index);
        }
      });
    }),
    { numRuns: 100 },
  );
});
