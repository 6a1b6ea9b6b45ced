import { describe, expect, it } from "vitest";
import { createSlots } from "../../../src/dispatcher/slots.ts";
import type { Clock } from "../../../src/runtime/clock.ts";

/** Four slots, of which a half may be begun ahead, and time that passes when the test says so. */
function createBench() {
  let nowMs = 0;
  const sleeping: (() => void)[] = [];
  const clock: Clock = {
    now: () => nowMs,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        sleeping.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const slots = createSlots({ count: 4, aheadShare: 1 / 2, patienceMs: 1_000, clock });
  return {
    slots,
    async takeAll() {
      for (let taken = 0; taken < 4; taken += 1) expect(await slots.take()).toBe(true);
    },
    async pass(ms: number) {
      nowMs += ms;
      for (const wake of sleeping.splice(0)) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("the slots", () => {
  it("are given to those who wait in the order of asking", async () => {
    const { slots, takeAll } = createBench();
    await takeAll();
    const order: string[] = [];
    const waiting = ["first", "second"].map(async (name) => {
      if (await slots.take()) order.push(name);
    });
    slots.free();
    await waiting[0];
    expect(order).toEqual(["first"]);
    slots.free();
    await Promise.all(waiting);
    expect(order).toEqual(["first", "second"]);
  });

  it("are refused to those whose patience has ended, and to nobody who came later", async () => {
    const { slots, takeAll, pass } = createBench();
    await takeAll();
    const early = slots.take();
    const late = pass(500).then(() => {
      const asked = slots.take();
      return { asked };
    });
    const { asked } = await late;
    expect(await early).toBe(false);
    slots.free();
    expect(await asked).toBe(true);
  });

  it("are refused to all who wait when they are closed, and still given where one is free", async () => {
    const { slots, takeAll } = createBench();
    await takeAll();
    const waiting = [slots.take(), slots.take()];
    slots.close();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(await slots.take()).toBe(false);
    slots.free();
    expect(await slots.take()).toBe(true);
  });

  it("have room for more than themselves only while they become free quickly", async () => {
    const { slots, takeAll, pass } = createBench();
    await takeAll();
    expect(slots.haveRoom(4, 1)).toBe(false);
    slots.free();
    slots.free();
    expect(slots.haveRoom(4, 2)).toBe(true);
    expect(slots.haveRoom(4, 3)).toBe(false);
    await pass(1_000);
    expect(slots.haveRoom(4, 1)).toBe(false);
    expect(slots.haveRoom(3, 1)).toBe(true);
  });

  it("have room for a claim of any size where nothing is begun", () => {
    expect(createBench().slots.haveRoom(0, 40)).toBe(true);
  });
});
