import { describe, expect, it } from "vitest";
import { createAgreementGate } from "../../../src/chain/agreement/gate.ts";
import { createHolds } from "../../../src/chain/agreement/holds.ts";
import { usualWitness } from "../../../src/domain/chain/confirmation.ts";
import { createRounds } from "../../../src/watcher/gate/rounds.ts";
import { keepingLog } from "../../support/fault-steps.ts";
import { createSkippingClock } from "../../support/skipping-clock.ts";

const { patienceMs } = usualWitness;

/** A list of words, one a page, and a gate that waits for a second host. */
function begin(words: readonly string[]) {
  const clock = createSkippingClock();
  const { log, lines } = keepingLog();
  const chain = {
    leadingHost: () => "leader",
    isAlone: () => false,
    witness: async () => ({ kind: "alone" }) as const,
  };
  const holds = createHolds({ clock, log }, { chainName: "ethereum", witness: usualWitness });
  const gate = createAgreementGate({ chain, holds }, usualWitness.count);
  const rounds = createRounds<number>(gate);
  const read = async (after: number | null) => {
    const at = (after ?? -1) + 1;
    return { word: words[at] ?? "", next: at + 1 < words.length ? at : null };
  };
  const silent = (word: string) => [{ subject: word, silent: [], number: 1n }];
  return {
    clock,
    gate,
    rounds,
    said: () => lines.map(({ message }) => message),
    /** Answers the word of the page, and whether its patience is over. */
    wait: () =>
      rounds.step(read, async ({ word }) => {
        const isDisputed = word === "disputed";
        const claims = isDisputed
          ? { silent: [], disputed: [1n] }
          : { silent: silent(word), disputed: [] };
        return { word, isPassed: rounds.gate.waitFor("opening", claims).has(word) };
      }),
    fail: () =>
      rounds.step(read, async () => {
        throw new Error("no endpoint answers");
      }),
    move: () =>
      rounds.step(
        read,
        async ({ word }) => word,
        () => true,
      ),
  };
}

async function times<Outcome>(count: number, step: () => Promise<Outcome>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < count) outcomes.push(await step());
  return outcomes;
}

describe("a round", () => {
  it("goes through all pages, and begins anew", async () => {
    const { wait } = begin(["a", "b", "c"]);
    const outcomes = await times(7, wait);
    expect(outcomes.map(({ word }) => word).join("")).toBe("abcabca");
  });

  it("goes on behind a page that fails", async () => {
    const { wait, fail } = begin(["a", "b"]);
    await expect(fail()).rejects.toThrow("no endpoint answers");
    expect((await wait()).word).toBe("b");
  });

  it("goes on with what moves, but others have their turn", async () => {
    const { wait, move } = begin(["a", "b"]);
    await wait();
    expect((await times(17, move)).join("")).toBe(`${"b".repeat(16)}a`);
  });

  it("counts each page's patience while others are looked at", async () => {
    const { wait, clock } = begin(["a", "disputed", "b"]);
    await times(3, wait);
    clock.skip(patienceMs);
    const outcomes = await times(3, wait);
    expect(outcomes.map(({ isPassed }) => isPassed)).toEqual([true, false, true]);
  });

  it("counts it on where a page fails meanwhile", async () => {
    const { wait, fail, clock } = begin(["a", "b"]);
    await times(2, wait);
    await expect(fail()).rejects.toThrow();
    await times(1, wait);
    clock.skip(patienceMs);
    expect((await times(2, wait)).map(({ isPassed }) => isPassed)).toEqual([true, true]);
  });

  it("is held once, for as long as one of its pages is", async () => {
    const words = ["disputed", "b"];
    const { wait, gate, said } = begin(words);
    for (let step = 0; step < 6; step += 1) {
      await wait();
      expect(gate.held()).toMatchObject({ what: "opening", why: "disputed" });
    }
    expect(said()).toEqual(["chain.held"]);
    words[0] = "a";
    await times(4, wait);
    expect(gate.held()).toBeNull();
  });
});
