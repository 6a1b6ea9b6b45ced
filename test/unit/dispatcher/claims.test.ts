import { describe, expect, it } from "vitest";
import { createClaims } from "../../../src/dispatcher/claims.ts";
import { createSlots } from "../../../src/dispatcher/slots.ts";
import { systemClock } from "../../../src/runtime/clock.ts";

type Delivery = { token: string; index: number };

/** Claims of known sizes, sends that are answered when the test says so, and what came of each. */
function createBench(count: number, sizes: Record<string, number>) {
  const begun: string[][] = [];
  const given: string[] = [];
  const underWay = new Map<string, (() => void)[]>();
  let beginFails = false;
  const slots = createSlots({
    count,
    slotHeldMs: 60_000,
    hangingShare: 0,
    aheadShare: 0,
    clock: systemClock,
  });
  const claims = createClaims<Delivery>({
    slots,
    clock: systemClock,
    async begin(tokens) {
      begun.push(tokens);
      if (beginFails) throw new Error("away");
      return tokens.flatMap((token) =>
        Array.from({ length: sizes[token] ?? 0 }, (_, index) => ({ token, index })),
      );
    },
    giveBack: async (tokens) => void given.push(...tokens),
    async sendAll(sends) {
      await Promise.all(
        sends.map(async ({ delivery: { token }, slot }) => {
          await slot?.send();
          await new Promise<void>((resolve) => {
            underWay.set(token, [...(underWay.get(token) ?? []), resolve]);
          });
          slot?.end();
        }),
      );
    },
    onError() {},
    gather: async () => {},
  });
  return {
    claims,
    slots,
    begun,
    given,
    underWay,
    start: (token: string, deliveries = sizes[token] ?? 1) => claims.handle({ token, deliveries }),
    answer(token: string) {
      for (const answer of underWay.get(token) ?? []) answer();
      underWay.delete(token);
    },
    failToBegin(isFailing: boolean) {
      beginFails = isFailing;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the claims of a dispatcher", () => {
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

  it("sends a claim that is larger than all slots alone", async () => {
    const { start, begun, underWay, answer } = createBench(2, { before: 1, large: 5, next: 1 });
    await start("before");
    const large = start("large");
    const next = start("next");
    await settled();
    expect(begun).toEqual([["before"]]);
    answer("before");
    await large;
    await settled();
    expect(underWay.get("large")).toHaveLength(5);
    expect(begun).toEqual([["before"], ["large"]]);
    answer("large");
    await next;
    expect(begun).toEqual([["before"], ["large"], ["next"]]);
  });

  it("gives back what of a claim has not begun, and has its slots back", async () => {
    const { start, slots, given, answer } = createBench(3, { shrunk: 1, next: 2 });
    await start("shrunk", 3);
    expect(given).toEqual(["shrunk"]);
    expect(slots.taken()).toBe(1);
    await start("next");
    answer("shrunk");
    answer("next");
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

  it("sends what began with its claim in the slots it reserved, and frees the others", async () => {
    const { claims, slots, underWay, begun, answer } = createBench(8, {});
    const reserved = claims.reserve(4);
    expect([reserved.places, slots.taken()]).toEqual([4, 4]);
    reserved.send([
      [
        { token: "a", index: 0 },
        { token: "a", index: 1 },
      ],
      [{ token: "b", index: 0 }],
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([underWay.get("a")?.length, underWay.get("b")?.length]).toEqual([2, 1]);
    expect(slots.taken()).toBe(3);
    expect(claims.reserve(4).places, "as many as are free").toBe(1);
    expect(begun, "nothing is begun once more").toEqual([]);
    const stopped = claims.stop();
    answer("a");
    answer("b");
    await stopped;
  });

  it("gives back what waits when it stops, and ends with what is being sent", async () => {
    const { claims, start, given, answer } = createBench(1, { a: 1, b: 1 });
    await start("a");
    const waiting = start("b");
    let isStopped = false;
    const stopping = claims.stop().then(() => {
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
});
