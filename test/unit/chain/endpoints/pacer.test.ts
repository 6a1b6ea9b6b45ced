import { describe, expect, it } from "vitest";
import { createPacer, type Pacer } from "../../../../src/chain/endpoints/pacer.ts";
import type { Clock } from "../../../../src/runtime/clock.ts";
import { createRandom } from "../../../support/random.ts";

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

/** Forty requests a second, or as many as the pacer lets through; answers whether each was refused. */
async function load(
  pacer: Pacer,
  { clock, pass }: ReturnType<typeof heldClock>,
  of: { seconds: number; isRefused: (nowMs: number) => boolean },
): Promise<boolean[]> {
  const untilMs = clock.now() + of.seconds * 1_000;
  const refused: boolean[] = [];
  while (clock.now() < untilMs) {
    const entered = await pacer.enter();
    const isRefused = of.isRefused(clock.now());
    pass(25);
    refused.push(isRefused);
    pacer.leave(
      entered,
      isRefused ? { kind: "throttled", retryAfterMs: null } : { kind: "answered" },
    );
  }
  return refused;
}

/** Refuses what comes after so many in the same second. */
function limitOf(perSecond: number): (nowMs: number) => boolean {
  let second = 0;
  let count = 0;
  return (nowMs) => {
    const current = Math.floor(nowMs / 1_000);
    count = current === second ? count + 1 : 1;
    second = current;
    return count > perSecond;
  };
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

  it("asks nothing for as long as the endpoint says, those who wait already included", async () => {
    const { clock, pass } = heldClock();
    const pacer = createPacer(clock);
    const burst = [];
    for (let sent = 0; sent < 16; sent += 1) burst.push(await pacer.enter());
    pass(10);
    for (const entered of burst) pacer.leave(entered, { kind: "throttled", retryAfterMs: 2_000 });
    const before = clock.now();
    await pacer.enter();
    expect(clock.now() - before).toBe(2_000);
    const late = await pacer.enter();
    pass(10);
    pacer.leave(late, { kind: "throttled", retryAfterMs: 60_000 });
    const asked = clock.now();
    await pacer.enter();
    expect(clock.now() - asked).toBe(10_000);
  });

  it("pauses longer with each further refusal, and never so long that the daemon cannot stop", async () => {
    const { clock, pass } = heldClock();
    const pacer = createPacer(clock);
    const pauses = [];
    for (let complaint = 0; complaint < 14; complaint += 1) {
      const before = clock.now();
      const entered = await pacer.enter();
      pauses.push(entered - before);
      pass(1);
      pacer.leave(entered, { kind: "throttled", retryAfterMs: null });
      pass(1);
    }
    expect(pauses.slice(0, 10)).toEqual([0, 0, 0, 0, 0, 0, 249, 499, 999, 1_999]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
  });

  it("slows to what is answered where more is refused", async () => {
    const time = heldClock();
    const pacer = createPacer(time.clock);
    const refused = await load(pacer, time, { seconds: 120, isRefused: limitOf(20) });
    const answered = refused.filter((one) => !one).length;
    expect(answered / 120).toBeGreaterThan(17);
    // After a start that has to find the limit.
    const later = refused.slice(refused.length / 2);
    expect(later.filter((one) => one).length / later.length).toBeLessThan(0.25);
  });

  it.each([0.1, 0.25, 0.5])(
    "does not take a share of %s that is refused at random for a limit",
    async (share) => {
      const time = heldClock();
      const random = createRandom(7);
      const isRefused = () => random.upTo(1_000) < share * 1_000;
      const refused = await load(createPacer(time.clock), time, { seconds: 120, isRefused });
      // Of 40 a second.
      expect(refused.length / 120).toBeGreaterThan(20);
    },
  );

  it("grows back until it is not limited any more", async () => {
    const { clock, pass } = heldClock();
    const pacer = createPacer(clock);
    for (let refused = 0; refused < 64; refused += 1) {
      const entered = await pacer.enter();
      pass(100);
      pacer.leave(entered, { kind: "throttled", retryAfterMs: null });
    }
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
