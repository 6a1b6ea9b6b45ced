import { describe, expect, it } from "vitest";
import { createSlots, type Slot } from "../../../src/dispatcher/slots.ts";
import type { Clock } from "../../../src/runtime/clock.ts";

/**
 * Four slots, and time that passes when the test says so. Who has one keeps it, unless the test
 * says how many may hang. None begins ahead, unless the test says how many.
 */
function createBench(hangingShare = 0, aheadShare = 0) {
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
  const slots = createSlots({ count: 4, slotHeldMs: 100, hangingShare, aheadShare, clock });
  const held: Slot[] = [];
  const take = async (howMany = 1) => {
    const taken = await slots.take(howMany);
    for (const slot of taken ?? []) void slot.send();
    held.push(...(taken ?? []));
    return taken !== null;
  };
  return {
    slots,
    take,
    /** The one that was taken longest ago is answered. */
    free: () => held.shift()?.end(),
    async takeAll() {
      expect(await take(4)).toBe(true);
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

  it("are given together to one who asks for several, and before to nobody who came later", async () => {
    const { take, free, takeAll, pass } = createBench();
    await takeAll();
    const order: number[] = [];
    const waiting = [2, 1].map(async (howMany) => {
      if (await take(howMany)) order.push(howMany);
    });
    free();
    await pass(0);
    expect(order).toEqual([]);
    free();
    await waiting[0];
    expect(order).toEqual([2]);
    free();
    await Promise.all(waiting);
    expect(order).toEqual([2, 1]);
  });

  it("are given to one who asks for more than there are when all are free", async () => {
    const { slots, take, free, takeAll } = createBench();
    await takeAll();
    const large = take(6);
    for (let answered = 0; answered < 4; answered += 1) free();
    expect(await large).toBe(true);
    expect(slots.taken()).toBe(6);
    const next = take();
    for (let answered = 0; answered < 3; answered += 1) free();
    expect(await next).toBe(true);
  });

  it("are taken at once where they are free, up to a number of all that are taken", async () => {
    const { slots, take, free } = createBench();
    await take(1);
    expect(slots.takeFree(1)).toEqual([]);
    const taken = slots.takeFree(3);
    expect([taken.length, slots.taken()]).toEqual([2, 3]);
    expect(slots.takeFree(9), "no more than there are").toHaveLength(1);
    const waiting = take(1);
    free();
    await waiting;
    for (const slot of taken) slot.end();
    expect(slots.taken()).toBe(2);
  });

  it("are not taken past one who waits, nor once they are closed", async () => {
    const { slots, take, takeAll, free } = createBench();
    await takeAll();
    const waiting = take(2);
    free();
    expect(slots.takeFree(4)).toEqual([]);
    free();
    await waiting;
    free();
    slots.close();
    expect(slots.takeFree(4)).toEqual([]);
  });

  it("are refused to all who wait or ask once they are closed", async () => {
    const { slots, take, free, takeAll } = createBench();
    await takeAll();
    const waiting = [take(), take()];
    slots.close();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    free();
    expect(await take()).toBe(false);
  });

  it("are free again where nothing was sent", async () => {
    const { slots, take } = createBench(2);
    const unsent = await slots.take(4);
    const waiting = take(4);
    for (const slot of unsent ?? []) slot.end();
    expect(await waiting).toBe(true);
  });

  it("are given up by what hangs, so that others are sent meanwhile, and it ends without one", async () => {
    const { slots, take, free, takeAll, pass } = createBench(2);
    await takeAll();
    const waiting = take();
    await pass(99);
    expect(slots.taken()).toBe(4);
    await pass(1);
    expect(await waiting).toBe(true);
    expect(slots.taken()).toBe(1);
    for (let answered = 0; answered < 4; answered += 1) free();
    expect(slots.taken(), "what hung is answered").toBe(1);
    free();
    expect(slots.taken(), "what came after it had a slot").toBe(0);
  });

  it("are held while nothing was sent yet, however long that takes", async () => {
    const { slots, pass } = createBench(2);
    await slots.take(4);
    await pass(1_000);
    expect(slots.taken()).toBe(4);
  });

  it("let a share begin ahead, and send each as a slot becomes free, the first one first", async () => {
    const { slots, take, free, takeAll, pass } = createBench(2, 1 / 2);
    await takeAll();
    const ahead = (await slots.take(2)) ?? [];
    const later = take(1);
    const sent: number[] = [];
    ahead.forEach((slot, at) => void slot.send().then(() => sent.push(at)));
    await pass(0);
    expect([sent, slots.taken()], "two beyond four slots, and no third").toEqual([[], 6]);
    free();
    await pass(0);
    expect(sent).toEqual([0]);
    expect(await later, "there is room for another").toBe(true);
    await pass(100);
    expect(sent, "what hangs gives its slot too").toEqual([0, 1]);
  });

  it("send all that has begun ahead, and let nothing more begin so, once so many hang", async () => {
    const { slots, takeAll, free, pass } = createBench(1 / 4, 1 / 2);
    await takeAll();
    const ahead = (await slots.take(2)) ?? [];
    const sent: number[] = [];
    ahead.forEach((slot, at) => void slot.send().then(() => sent.push(at)));
    await pass(100);
    expect(sent, "one hangs, and one slot is free").toEqual([0, 1]);
    let isTaken = false;
    const later = slots.take(1).then(() => (isTaken = true));
    await pass(0);
    expect([isTaken, slots.taken()]).toEqual([false, 5]);
    free();
    await pass(0);
    expect([isTaken, slots.taken()], "the next one hangs").toEqual([false, 4]);
    free();
    await later;
  });

  it("send what has begun ahead when they are closed", async () => {
    const { slots, takeAll } = createBench(2, 1 / 2);
    await takeAll();
    const [ready] = (await slots.take(1)) ?? [];
    const isSent = ready?.send();
    slots.close();
    await isSent;
    expect(await slots.take(1)).toBeNull();
  });

  it("are held until the answer once so many hang", async () => {
    const { slots, take, free, takeAll, pass } = createBench(1);
    await takeAll();
    await pass(100);
    await takeAll();
    await pass(100);
    expect(slots.taken()).toBe(4);
    const waiting = take();
    free();
    await pass(0);
    expect(await waiting, "one that hung is over, so another may hang").toBe(true);
  });
});
