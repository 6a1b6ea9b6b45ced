import { describe, expect, test } from "vitest";
import { createTurns, type Pace, type TurnsOptions } from "../../../src/runtime/turns.ts";

const wanted = new AbortController().signal;

/** Turns with a clock that a test moves, and the names of what has begun, in order. */
function turnsOf(options: Omit<TurnsOptions, "elapsed">, pace: Pace | null = null) {
  let nowMs = 0;
  let lastPlace = 0;
  const turns = createTurns({ ...options, elapsed: () => nowMs });
  const paced = pace === null ? {} : { pace };
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    /** Asks for a turn of the owner, which is the first letter of the name: behind all others. */
    async ask(name: string, own: { place?: number; signal?: AbortSignal } = {}) {
      lastPlace += 1;
      const { place = lastPlace, signal = wanted } = own;
      const turn = await turns.begin(name.charAt(0), { place, signal, ...paced });
      begun.push(turn.kind === "begun" ? name : `${name} ${turn.kind}`);
      if (turn.kind === "begun") ends.set(name, turn.end);
    },
    advance(ms: number) {
      nowMs += ms;
    },
    /** Ends a turn after some time, and lets the next begin. */
    async end(name: string, afterMs = 1) {
      nowMs += afterMs;
      ends.get(name)?.();
      await settled();
    },
  };
}

/** Everything that could go on has gone on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("turns without a number of places", () => {
  test("an owner has a few at a time, its others wait in order, and nobody waits for another", async () => {
    const { ask, end, begun } = turnsOf({ ofOwner: 2, mostWaiting: 2 });
    for (const name of ["a1", "a2", "a3", "a4", "a5", "b1"]) void ask(name);
    await settled();
    expect([...begun].sort()).toEqual(["a1", "a2", "a5 refused", "b1"]);
    await end("a1");
    await end("a1");
    expect(begun.slice(4)).toEqual(["a3"]);
    await end("a2");
    expect(begun.slice(5)).toEqual(["a4"]);
    await end("a3");
    await end("a4");
    await end("b1");
    await ask("a6");
    expect(begun.at(-1)).toBe("a6");
  });
});

describe("turns that wait", () => {
  const one = { ofOwner: 1, mostWaiting: 2 };

  test("begin by their places, whichever was asked for first", async () => {
    const { ask, end, begun } = turnsOf(one);
    void ask("a1", { place: 5 });
    void ask("a3", { place: 9 });
    void ask("a2", { place: 5 });
    await settled();
    await end("a1");
    await end("a2");
    expect(begun).toEqual(["a1", "a2", "a3"]);
  });

  test("are refused from the last place on", async () => {
    const { ask, begun } = turnsOf(one);
    void ask("a1", { place: 5 });
    void ask("a2", { place: 6 });
    void ask("a3", { place: 7 });
    void ask("a4", { place: 5 });
    void ask("a5", { place: 8 });
    await settled();
    expect(begun).toEqual(["a1", "a3 refused", "a5 refused"]);
  });

  test("take no place once nobody wants them, and one that has begun goes on", async () => {
    const { ask, end, begun } = turnsOf({ atOnce: 1, ...one });
    const left = new AbortController();
    void ask("a1", { signal: left.signal });
    void ask("a2", { signal: left.signal });
    void ask("b1", { signal: left.signal });
    void ask("a3");
    left.abort();
    void ask("b2", { signal: left.signal });
    await settled();
    expect([...begun].sort()).toEqual(["a1", "a2 left", "b1 left", "b2 left"]);
    await end("a1");
    expect(begun.slice(4)).toEqual(["a3"]);
    await end("a3");
    await ask("b3");
    expect(begun.at(-1)).toBe("b3");
  });
});

describe("turns with four places", () => {
  const four = { atOnce: 4, ofOwner: 2, mostWaiting: 10 };

  test("one owner has two of them, and others have the rest, one each", async () => {
    const { ask, begun } = turnsOf(four);
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1", "c2", "d1"]) void ask(name);
    await settled();
    expect(begun).toEqual(["a1", "a2", "b1", "c1"]);
  });

  test("an owner who has none comes before a second turn of another", async () => {
    const { ask, end, begun } = turnsOf(four);
    for (const name of ["a1", "a2", "a3", "b1", "c1", "b2", "c2", "d1"]) void ask(name);
    await settled();
    await end("a1");
    expect(begun.slice(4)).toEqual(["d1"]);
  });

  test("three owners who ask without end leave one place, and a fourth has it at once", async () => {
    const { ask, end, begun } = turnsOf(four);
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1", "c2"]) void ask(name);
    await settled();
    await end("a1");
    expect(begun).toEqual(["a1", "a2", "b1", "c1"]);
    await ask("d1");
    expect(begun.at(-1)).toBe("d1");
  });
});

describe("turns with one place", () => {
  const one = { atOnce: 1, ofOwner: 2, mostWaiting: 10 };

  test("go to the owner whose turns took least time", async () => {
    const { ask, end, begun } = turnsOf(one);
    for (const name of ["a1", "a2", "a3", "b1", "b2", "b3", "b4"]) void ask(name);
    await settled();
    await end("a1", 100);
    for (const name of ["b1", "b2", "b3"]) await end(name, 10);
    expect(begun).toEqual(["a1", "b1", "b2", "b3", "b4"]);
    await end("b4", 100);
    expect(begun.at(-1)).toBe("a2");
  });

  test("are taken in turn where they cost the same", async () => {
    const { ask, end, begun } = turnsOf(one);
    for (const name of ["a1", "a2", "b1", "b2", "c1"]) void ask(name);
    await settled();
    for (const name of ["a1", "b1", "c1", "a2"]) await end(name, 0);
    expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2"]);
  });

  test("are not saved up: who comes late is no cheaper than the one who had the last", async () => {
    const { ask, end, begun } = turnsOf(one);
    for (const name of ["a1", "a2", "a3", "a4"]) void ask(name);
    await settled();
    await end("a1", 900);
    await end("a2", 900);
    for (const name of ["b1", "b2", "b3"]) void ask(name);
    await end("a3", 10);
    await end("b1", 900);
    expect(begun.slice(3)).toEqual(["b1", "a4"]);
  });

  test("count a long one for a second: its owner does not wait as long again", async () => {
    const { ask, end, begun } = turnsOf(one);
    for (const name of ["a1", "a2", "b1", "b2", "b3"]) void ask(name);
    await settled();
    await end("a1", 3_600_000);
    await end("b1", 600);
    await end("b2", 600);
    expect(begun).toEqual(["a1", "b1", "b2", "a2"]);
  });
});

describe("turns at a pace", () => {
  const paced = (share: number) =>
    turnsOf({ atOnce: 4, ofOwner: 2, mostWaiting: 2 }, { share, burstMs: 10 });

  test("an owner that has used its time waits, and takes no place of another", async () => {
    const { ask, end, advance, begun } = paced(0.5);
    await ask("a1");
    await end("a1", 20);
    const second = ask("a2");
    await ask("b1");
    expect(begun).toEqual(["a1", "b1"]);
    // 20 ms are paid for in 40, of which 20 may be owed.
    advance(19);
    await ask("b2");
    expect(begun).toEqual(["a1", "b1", "b2"]);
    advance(1);
    await second;
    expect(begun).toEqual(["a1", "b1", "b2", "a2"]);
  });

  test("no more wait than may, and none waits for longer than for a second of its turns", async () => {
    const { ask, end, advance, begun } = paced(20);
    await ask("a1");
    await end("a1", 3_600_000);
    const waiting = [ask("a2"), ask("a3")];
    await ask("a4");
    expect(begun).toEqual(["a1", "a4 refused"]);
    advance(50);
    await Promise.all(waiting);
    expect(begun.slice(2)).toEqual(["a2", "a3"]);
  });

  test("all owners that press on have together the pace of one, until they are without work", async () => {
    const one = { atOnce: 5, ofOwner: 1, mostWaiting: 2 };
    const { ask, end, advance, begun } = turnsOf(one, { share: 0.5, burstMs: 10 });
    await Promise.all([ask("a1"), ask("b1")]);
    await end("a1", 20);
    await end("b1", 0);
    const second = [ask("a2"), ask("b2")];
    const third = [ask("a3"), ask("b3")];
    await settled();
    expect(begun).toEqual(["a1", "b1"]);
    advance(20);
    await Promise.all(second);
    await end("a2", 10);
    await end("b2", 0);
    // Each may go on after 10 ms. Both together have 20 ms to pay for, in 40.
    advance(39);
    await ask("c1");
    await end("c1", 0);
    expect(begun.slice(4)).toEqual(["c1"]);
    advance(1);
    await Promise.all(third);
    await end("a3", 10);
    await end("b3", 0);
    advance(11);
    await Promise.all([ask("a4"), ask("b4")]);
    expect(begun.slice(7)).toEqual(["a4", "b4"]);
  });
});
