import { describe, expect, it } from "vitest";
import { createPacer } from "../../../../src/chain/endpoints/pacer.ts";
import type { Clock } from "../../../../src/runtime/clock.ts";

/** Time that stands still, and moves on when it is slept. */
function heldClock() {
  let now = 1_000_000;
  const clock: Clock = {
    now: () => now,
    elapsed: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
  return { clock, pass: (ms: number) => (now += ms) };
}

describe("the pace of requests to an endpoint", () => {
  it("has no limit while the endpoint answers", async () => {
    const { clock } = heldClock();
    const pacer = createPacer(clock);
    for (let sent = 0; sent < 500; sent += 1)
      pacer.leave(await pacer.enter(), { kind: "answered" });
    expect(pacer.perSecond()).toBeNull();
    expect(pacer.concurrency()).toBe(32);
    expect(clock.now()).toBe(1_000_000);
  });

  it("keeps as many in flight as it may, and starts the next when one is done", async () => {
    const pacer = createPacer(heldClock().clock);
    const entered: number[] = [];
    for (let sent = 0; sent < 16; sent += 1) entered.push(await pacer.enter());
    let isIn = false;
    const next = pacer.enter().then(() => {
      isIn = true;
    });
    await Promise.resolve();
    expect(isIn).toBe(false);
    pacer.leave(entered[0] ?? 0, { kind: "answered" });
    await next;
    expect(isIn).toBe(true);
  });

  it("halves the rate when the endpoint answers 429, once for one burst, after the pause it asks for", async () => {
    const { clock, pass } = heldClock();
    const pacer = createPacer(clock);
    const burst = [];
    for (let sent = 0; sent < 16; sent += 1) burst.push(await pacer.enter());
    pass(10);
    for (const entered of burst) pacer.leave(entered, { kind: "throttled", retryAfterMs: 2_000 });
    expect(pacer.perSecond()).toBe(8);
    expect(pacer.concurrency()).toBe(8);
    const before = clock.now();
    await pacer.enter();
    expect(clock.now() - before).toBe(2_000);
    await pacer.enter();
    expect(clock.now() - before).toBe(2_125);
  });

  it("pauses longer with each further 429, and never so long that the daemon cannot stop", async () => {
    const { clock, pass } = heldClock();
    const pacer = createPacer(clock);
    const pauses = [];
    for (let complaint = 0; complaint < 8; complaint += 1) {
      const before = clock.now();
      const entered = await pacer.enter();
      pauses.push(entered - before);
      pass(1);
      pacer.leave(entered, { kind: "throttled", retryAfterMs: null });
    }
    expect(pauses.slice(1, 5)).toEqual([250, 500, 1_000, 2_000]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
  });

  it("grows back until it is not limited any more", async () => {
    const { clock, pass } = heldClock();
    const pacer = createPacer(clock);
    const entered = await pacer.enter();
    pass(1);
    pacer.leave(entered, { kind: "throttled", retryAfterMs: null });
    expect(pacer.perSecond()).toBe(3);
    const started = clock.now();
    while (pacer.perSecond() !== null) pacer.leave(await pacer.enter(), { kind: "answered" });
    expect(clock.now() - started).toBeLessThan(30_000);
  });

  it("sends fewer at once when answers take too long", async () => {
    const { clock, pass } = heldClock();
    const pacer = createPacer(clock);
    for (let late = 0; late < 6; late += 1) {
      const entered = await pacer.enter();
      pass(10_000);
      pacer.leave(entered, { kind: "strained" });
      pass(1);
    }
    expect(pacer.concurrency()).toBe(1);
    expect(pacer.perSecond()).toBeNull();
  });
});
