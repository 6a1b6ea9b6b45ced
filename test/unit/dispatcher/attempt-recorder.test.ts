import { describe, expect, it } from "vitest";
import { createAttemptRecorder } from "../../../src/dispatcher/attempt-recorder.ts";
import { Fault } from "../../../src/domain/fault.ts";
import { systemClock } from "../../../src/runtime/clock.ts";

/** A store that refuses whole batches as a database does, and can be away. */
function createStore(options: { poison: number[]; outages: number }) {
  const written: number[][] = [];
  let outages = options.outages;
  return {
    written,
    async write(outcomes: number[]) {
      if (outages-- > 0) throw new Fault("database_unavailable", "away");
      if (outcomes.some((outcome) => options.poison.includes(outcome))) throw new Error("poison");
      written.push(outcomes);
    },
  };
}

function createRecorder(store: ReturnType<typeof createStore>, batchSize = 100) {
  return createAttemptRecorder({ write: store.write, batchSize, lingerMs: 1, clock: systemClock });
}

const eight = [1, 2, 3, 4, 5, 6, 7, 8];

describe("the attempt recorder", () => {
  it.each([
    ["writes what comes at the same time in one batch", 0],
    ["waits until the database is back, and does not split for that", 2],
  ])("%s", async (_promise, outages) => {
    const store = createStore({ poison: [], outages });
    const recorder = createRecorder(store);
    await Promise.all(eight.map(recorder.record));
    expect(store.written).toEqual([eight]);
  });

  it("keeps a batch within its size", async () => {
    const store = createStore({ poison: [], outages: 0 });
    const recorder = createRecorder(store, 3);
    await Promise.all(eight.map(recorder.record));
    expect(store.written.map((batch) => batch.length)).toEqual([3, 3, 2]);
  });

  it("fails only the outcome that cannot be recorded", async () => {
    const store = createStore({ poison: [3, 6], outages: 0 });
    const recorder = createRecorder(store);
    const ends = await Promise.allSettled(eight.map(recorder.record));
    expect(ends.map(({ status }) => status === "fulfilled")).toEqual(
      eight.map((outcome) => outcome !== 3 && outcome !== 6),
    );
    expect(store.written.flat()).toEqual([1, 2, 4, 5, 7, 8]);
  });

  it("gives up what it could not write when it is stopped in an outage", async () => {
    const store = createStore({ poison: [], outages: Number.POSITIVE_INFINITY });
    const recorder = createRecorder(store);
    const record = expect(recorder.record(1)).rejects.toThrow("away");
    await recorder.stop();
    await record;
  });
});
