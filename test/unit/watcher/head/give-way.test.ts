import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createWay } from "../../../../src/watcher/head/give-way.ts";

const never = new AbortController().signal;

/** A clock that stands still, and whose sleeps end by hand. */
function createHeldWay() {
  const sleeps: { ms: number; end: () => void }[] = [];
  const sleep = (ms: number) =>
    new Promise<void>((end) => {
      sleeps.push({ ms, end });
    });
  const way = createWay({ now: () => 0, elapsed: () => 1_000, sleep });
  return { way, sleeps };
}

/** A step that ends by hand. */
function createHeldStep() {
  let end = (_error?: Error) => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  return { run: () => ended, end: (error?: Error) => end(error) };
}

/** Notes when it has given way. */
function giveWay({ way }: ReturnType<typeof createHeldWay>) {
  const given = { isOver: false };
  void way.giveWay(never).then(() => {
    given.isOver = true;
  });
  return given;
}

test("without a step for blocks, nothing waits", async () => {
  const given = giveWay(createHeldWay());
  await setImmediate();
  expect(given.isOver).toBe(true);
});

test("other work waits for the step under way, also for one that fails, and for none after it", async () => {
  const held = createHeldWay();
  const [first, second] = [createHeldStep(), createHeldStep()];
  const failing = held.way.goFirst(first.run);
  const given = giveWay(held);
  void held.way.goFirst(second.run);
  await setImmediate();
  expect(given.isOver).toBe(false);
  first.end(new Error("the block could not be read"));
  await expect(failing).rejects.toThrow("could not be read");
  await setImmediate();
  expect(given.isOver).toBe(true);
});

test("a commit that notifies has time to send, and one that does not takes none", async () => {
  const held = createHeldWay();
  await held.way.goFirst(async () => held.way.noteNotified());
  const given = giveWay(held);
  await setImmediate();
  expect([given.isOver, held.sleeps.map(({ ms }) => ms)]).toEqual([false, [25]]);
  held.sleeps[0]?.end();
  await setImmediate();
  expect(given.isOver).toBe(true);
});
