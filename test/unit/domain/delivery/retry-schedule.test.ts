import { describe, expect, it } from "vitest";
import { nextAttempt, standardSchedule } from "../../../../src/domain/delivery/retry-schedule.ts";

const hourMs = 60 * 60 * 1000;
const failed = {
  schedule: standardSchedule,
  attempt: 1,
  maxAttempts: null,
  retryAfterMs: null,
  random: 0.5,
};

describe("the retry schedule", () => {
  it("waits 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h between ten attempts", () => {
    const waits = standardSchedule.map((_wait, index) =>
      nextAttempt({ ...failed, attempt: index + 1 }),
    );
    const expectedMs = [
      5_000,
      300_000,
      1_800_000,
      ...[2, 5, 10, 14, 20, 24].map((h) => h * hourMs),
    ];
    expect(waits.slice(0, 9)).toEqual(expectedMs.map((delayMs) => ({ kind: "retry", delayMs })));
    expect(waits[9]).toEqual({ kind: "exhausted" });
  });

  it("ends early where a delivery may make fewer attempts than the schedule has", () => {
    expect(nextAttempt({ ...failed, maxAttempts: 1 })).toEqual({ kind: "exhausted" });
    expect(nextAttempt({ ...failed, maxAttempts: 2 })).toMatchObject({ kind: "retry" });
  });

  it("takes the later of the schedule and what the receiver asked for", () => {
    expect(nextAttempt({ ...failed, retryAfterMs: 60_000 })).toMatchObject({ delayMs: 60_000 });
    expect(nextAttempt({ ...failed, retryAfterMs: 1 })).toMatchObject({ delayMs: 5_000 });
  });

  it("does not let a receiver ask for more than a day", () => {
    expect(nextAttempt({ ...failed, retryAfterMs: 1000 * hourMs })).toMatchObject({
      delayMs: 24 * hourMs,
    });
  });
});
