import { describe, expect, it } from "vitest";
import { createClaimStarter } from "../../../src/dispatcher/claim-starter.ts";
import { createSlots } from "../../../src/dispatcher/slots.ts";
import { systemClock } from "../../../src/runtime/clock.ts";

type Send = { token: string; index: number };

/** Claims of known sizes, sends that are answered when the test says so, and what came of each. */
function createBench(slots: number, sizes: Record<string, number>) {
  const begun: string[][] = [];
  const given: string[] = [];
  const unsent: string[] = [];
  const underWay = new Map<string, { answer: () => void }[]>();
  let beginFails = false;
  const starter = createClaimStarter<Send>({
    slots: createSlots({
      ...{ count: slots, aheadShare: 0, patienceMs: 1_000, clock: systemClock },
      ...{ slotHeldMs: 60_000, hangingShare: 0 },
    }),
    async begin(tokens) {
      begun.push(tokens);
      if (beginFails) throw new Error("away");
      return tokens.flatMap((token) =>
        Array.from({ length: sizes[token] ?? 0 }, (_, index) => ({ token, index })),
      );
    },
    giveBack: async (tokens) => void given.push(...tokens),
    async sendAll(sends, takeSlot) {
      await Promise.all(
        sends.map(async ({ token }) => {
          const answered = await takeSlot();
          if (answered === null) return void unsent.push(token);
          await new Promise<void>((resolve) => {
            const answer = () => {
              answered();
              resolve();
            };
            underWay.set(token, [...(underWay.get(token) ?? []), { answer }]);
          });
        }),
      );
    },
    onError() {},
    gather: async () => {},
  });
  return {
    starter,
    begun,
    given,
    unsent,
    underWay,
    start: (token: string, deliveries = sizes[token] ?? 1) => starter.start({ token, deliveries }),
    answer(token: string) {
      for (const { answer } of underWay.get(token) ?? []) answer();
      underWay.delete(token);
    },
    failToBegin(isFailing: boolean) {
      beginFails = isFailing;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the start of claims", () => {
  it("begins together what came while others were begun", async () => {
    const { start, begun } = createBench(10, { a: 1, b: 2, c: 3 });
    await Promise.all([start("a"), start("b"), start("c")]);
    expect(begun).toEqual([["a"], ["b", "c"]]);
  });

  it("keeps what does not fit waiting until enough was answered", async () => {
    const { start, begun, answer } = createBench(5, { a: 3, b: 3, c: 1 });
    await start("a");
    const waiting = [start("b"), start("c")];
    await settled();
    expect(begun).toEqual([["a"]]);
    answer("a");
    await Promise.all(waiting);
    expect(begun).toEqual([["a"], ["b"], ["c"]]);
  });

  it("sends a claim that is larger than all slots alone, as many at a time as there are slots", async () => {
    const { start, begun, underWay, answer } = createBench(2, { large: 5, next: 1 });
    await start("large");
    const next = start("next");
    for (const count of [2, 2]) {
      await settled();
      expect(underWay.get("large")).toHaveLength(count);
      answer("large");
    }
    await next;
    expect(begun).toEqual([["large"], ["next"]]);
  });

  it("gives a claim back that has nothing to send, and its slots to the next", async () => {
    const { start, begun, given } = createBench(2, { next: 2 });
    await start("lost", 2);
    await start("next");
    expect(given).toEqual(["lost"]);
    expect(begun).toEqual([["lost"], ["next"]]);
  });

  it("reports a claim that could not be begun, and goes on with the next", async () => {
    const bench = createBench(2, { a: 2, b: 2 });
    bench.failToBegin(true);
    await expect(bench.start("a")).rejects.toThrow("away");
    bench.failToBegin(false);
    await bench.start("b");
    expect(bench.begun).toEqual([["a"], ["b"]]);
  });

  it("gives back what waits when it stops, and ends with what is being sent", async () => {
    const { starter, start, given, answer } = createBench(1, { a: 1, b: 1 });
    await start("a");
    const waiting = start("b");
    let isStopped = false;
    const stopping = starter.stop().then(() => {
      isStopped = true;
    });
    await waiting;
    expect(given).toEqual(["b"]);
    expect(isStopped).toBe(false);
    await start("late");
    expect(given).toEqual(["b", "late"]);
    answer("a");
    await stopping;
  });

  it("ends with what was begun and has no slot, when it stops", async () => {
    const { starter, start, answer, begun, unsent } = createBench(1, { large: 3 });
    await start("large");
    const stopping = starter.stop();
    answer("large");
    await stopping;
    expect(begun).toEqual([["large"]]);
    expect(unsent).toEqual(["large", "large"]);
  });
});
