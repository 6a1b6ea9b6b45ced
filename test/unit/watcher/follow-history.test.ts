import { expect, test } from "vitest";
import type { HistoryProgress } from "../../../src/domain/watch/history.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import type { HistoryOutcome } from "../../../src/watcher/history/fill-history.ts";
import { followHistory } from "../../../src/watcher/history/follow-history.ts";

const asked: HistoryProgress = {
  chainName: "anvil",
  fromNumber: 1n,
  nextNumber: 1n,
  untilNumber: 9n,
  verdict: null,
  heldAt: null,
};

/** A scene without waiting, which counts its looks. It fails a follower that looks for ever. */
function scene(of: {
  progressAt: (look: number) => HistoryProgress;
  isWatchedAt: (look: number) => boolean;
  fill: (() => Promise<HistoryOutcome>) | null;
}) {
  let looks = 0;
  let isReleased = false;
  return {
    looks: () => looks,
    isReleased: () => isReleased,
    ports: {
      readProgress: async () => {
        looks += 1;
        if (looks > 1_000) throw new Error("It waits for ever.");
        return of.progressAt(looks);
      },
      fill: of.fill,
      lease: {
        take: async () => !of.isWatchedAt(looks),
        release: async () => {
          isReleased = true;
        },
      },
      clock: { ...systemClock, sleep: async () => {} },
    },
  };
}

const idle = async (): Promise<HistoryOutcome> => ({ kind: "idle" });

test("a history that no daemon and not this process can go on with is left to a daemon", async () => {
  const stuck = scene({ progressAt: () => asked, isWatchedAt: () => false, fill: idle });
  expect(await followHistory(stuck.ports, () => {})).toEqual({ ...asked, isWatched: false });
  // Some seconds: a daemon that starts at the same moment may still take the chain.
  expect(stuck.looks()).toBeGreaterThan(5);
  expect(stuck.isReleased()).toBe(true);
});

test("without an endpoint it is left at once", async () => {
  const without = scene({ progressAt: () => asked, isWatchedAt: () => false, fill: null });
  expect(await followHistory(without.ports, () => {})).toEqual({ ...asked, isWatched: false });
  expect(without.looks()).toBe(1);
});

test("a daemon that watches the chain is waited for", async () => {
  const daemons = scene({
    progressAt: (look) => (look < 500 ? asked : { ...asked, nextNumber: 10n, verdict: "agrees" }),
    isWatchedAt: () => true,
    fill: idle,
  });
  expect(await followHistory(daemons.ports, () => {})).toMatchObject({
    isWatched: true,
    verdict: "agrees",
  });
});

test("a verdict that waits for the opening balance is left to the daemon after some seconds", async () => {
  const read = { ...asked, nextNumber: 10n };
  const judging = scene({ progressAt: () => read, isWatchedAt: () => true, fill: idle });
  expect(await followHistory(judging.ports, () => {})).toEqual({ ...read, isWatched: true });
});

test("a history that the daemon holds is left to it after some seconds, with the block", async () => {
  const held = { ...asked, heldAt: 1n };
  const stuck = scene({ progressAt: () => held, isWatchedAt: () => true, fill: idle });
  expect(await followHistory(stuck.ports, () => {})).toEqual({ ...held, isWatched: true });
});

test("a history that goes on is followed although the daemon holds another one", async () => {
  const moving = scene({
    progressAt: (look) =>
      look < 500
        ? { ...asked, nextNumber: BigInt(Math.ceil(look / 20)), untilNumber: 99n, heldAt: 1n }
        : { ...asked, nextNumber: 100n, untilNumber: 99n, verdict: "agrees", heldAt: 1n },
    isWatchedAt: () => true,
    fill: idle,
  });
  expect(await followHistory(moving.ports, () => {})).toMatchObject({ verdict: "agrees" });
});

test("a history that this process cannot read is left with the block", async () => {
  const fill = async (): Promise<HistoryOutcome> => ({ kind: "not_linked", from: 1n, to: 9n });
  const alone = scene({ progressAt: () => asked, isWatchedAt: () => false, fill });
  const held = { ...asked, heldAt: 1n, isWatched: false };
  expect(await followHistory(alone.ports, () => {})).toEqual(held);
});
