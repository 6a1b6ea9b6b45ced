import { describe, expect, it } from "vitest";
import { createSemaphore } from "../../../src/runtime/semaphore.ts";

const never = new AbortController().signal;

/** Work that goes on until it is ended. */
function work() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, run: () => ended };
}

describe("turns", () => {
  it("let so many work at a time, and the others in the order in which they came", async () => {
    const turns = createSemaphore(2);
    const begun: number[] = [];
    const all = [work(), work(), work(), work()];
    const taken = all.map((one, index) =>
      turns.take(() => {
        begun.push(index);
        return one.run();
      }, never),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    all[1]?.end();
    await taken[1];
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    for (const one of all) one.end();
    await Promise.all(taken);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it("go to the next one also when work fails, and when who waited has left", async () => {
    const turns = createSemaphore(1);
    const first = work();
    const holding = turns.take(first.run, never);
    const leaving = new AbortController();
    const left = turns.take(async () => "begun", leaving.signal);
    const failing = turns.take(() => Promise.reject(new Error("failed")), never);
    const last = turns.take(async () => "last", never);
    leaving.abort(new Error("too late"));
    await expect(left).rejects.toThrow("too late");
    first.end();
    await holding;
    await expect(failing).rejects.toThrow("failed");
    expect(await last).toBe("last");
  });
});
