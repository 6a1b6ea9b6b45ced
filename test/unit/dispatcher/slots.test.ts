import { describe, expect, it } from "vitest";
import { createSlots } from "../../../src/dispatcher/slots.ts";
import type { Clock } from "../../../src/runtime/clock.ts";

/**
 * Four slots, of which a half may be begun ahead, and time that passes when the test says so. Who has one keeps it, unless
 * the test says how many may hang.
 */
function createBench(hangingShare = 0) {
  let nowMs = 0;
  const sleeping: { untilMs: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs,
    elapsed: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeping.push({ untilMs: nowMs + ms, wake: resolve });
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const options = { count: 4, aheadShare: 1 / 2, patienceMs: 1_000, slotHeldMs: 100 };
  const slots = createSlots({ ...options, hangingShare, clock });
  const held: (() => void)[] = [];
  let freed = 0;
  const take = async () => {
    const answered = await slots.take(() => {
      freed += 1;
    });
    if (answered !== null) held.push(answered);
    return answered !== null;
  };
  return {
    slots,
    take,
    /** The one that has had a slot for longest is answered. */
    free: () => held.shift()?.(),
    freed: () => freed,
    async takeAll() {
      for (let taken = 0; taken < 4; taken += 1) expect(await take()).toBe(true);
    },
    async pass(ms: number) {
      nowMs += ms;
      for (const { untilMs, wake } of sleeping) if (untilMs <= nowMs) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("the slots", () => {
  it("are given to those who wait in the order of asking", async () => {
    const { take, free, takeAll } = createBench();
    await takeAll();
    const order: string[] = [];
    const waiting = ["first", "second"].map(async (name) => {
      if (await take()) order.push(name);
    });
    free();
    await waiting[0];
    expect(order).toEqual(["first"]);
    free();
    await Promise.all(waiting);
    expect(order).toEqual(["first", "second"]);
  });

  it("are refused to those whose patience has ended, and to nobody who came later", async () => {
    const { take, free, takeAll, pass } = createBench();
    await takeAll();
    const early = take();
    const late = pass(500).then(() => {
      const asked = take();
      return { asked };
    });
    const { asked } = await late;
    await pass(500);
    expect(await early).toBe(false);
    free();
    expect(await asked).toBe(true);
  });

  it("are refused to all who wait when they are closed, and still given where one is free", async () => {
    const { slots, take, free, takeAll } = createBench();
    await takeAll();
    const waiting = [take(), take()];
    slots.close();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(await take()).toBe(false);
    free();
    expect(await take()).toBe(true);
  });

  it("have room for more than themselves only while they become free quickly", async () => {
    const { slots, free, takeAll, pass } = createBench();
    await takeAll();
    expect(slots.haveRoom(4, 1)).toBe(false);
    free();
    free();
    expect(slots.haveRoom(4, 2)).toBe(true);
    expect(slots.haveRoom(4, 3)).toBe(false);
    await pass(1_000);
    expect(slots.haveRoom(4, 1)).toBe(false);
    expect(slots.haveRoom(3, 1)).toBe(true);
  });

  it("have room for a claim of any size where nothing is begun", () => {
    expect(createBench().slots.haveRoom(0, 40)).toBe(true);
  });

  it("are given up by what hangs, so that others are sent meanwhile, and it ends without one", async () => {
    const { take, free, freed, takeAll, pass } = createBench(2);
    await takeAll();
    const waiting = take();
    await pass(99);
    expect(freed()).toBe(0);
    await pass(1);
    expect(await waiting).toBe(true);
    expect(freed()).toBe(4);
    for (let answered = 0; answered < 4; answered += 1) free();
    expect(freed(), "what hung is answered").toBe(4);
    free();
    expect(freed(), "what came after it had a slot").toBe(5);
  });

  it("are held until the answer once so many hang", async () => {
    const { slots, take, free, takeAll, pass } = createBench(1);
    await takeAll();
    await pass(100);
    await takeAll();
    await pass(100);
    expect(slots.haveRoom(4, 3)).toBe(false);
    const waiting = take();
    free();
    await pass(0);
    expect(await waiting, "one that hung is over, so another may hang").toBe(true);
  });
});
