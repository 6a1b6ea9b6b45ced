import { describe, expect, it } from "vitest";
import type { MatchedTransaction } from "../../../src/domain/money/matched-transaction.ts";
import { chooseReading, type Readings } from "../../../src/watcher/choose-reading.ts";

/** Letters are what the block's hash covers, digits what a trace alone shows; each moves its value. */
function readingOf(text: string): MatchedTransaction[] {
  return [...text].map((identity) => {
    const isTraced = /\d/.test(identity);
    const moved = { identity, tracePath: isTraced ? "0" : null };
    return { ...moved, proof: isTraced ? "answered" : "root" } as unknown as MatchedTransaction;
  });
}

const textOf = (reading: MatchedTransaction[] | null) =>
  reading === null ? null : reading.map(({ identity }) => identity).join("");

type Case = [
  what: string,
  kind: Readings["kind"],
  readings: string[],
  shown: string[],
  how: { written?: string; mayRefute?: boolean; mayBeMore?: boolean },
  chosen: string | null,
];

const refuting = { mayRefute: true };

describe("which reading replaces what is written", () => {
  it.each<Case>([
    ["what enough hosts read", "agreed", ["a1"], ["a1"], {}, "a1"],
    [
      "it, though what is written is shown too",
      "agreed",
      ["a1"],
      ["a1", "a2"],
      { written: "a2" },
      "a1",
    ],
    ["not what is not shown, whoever agrees", "agreed", ["a1"], ["a"], {}, null],
    ["the one of several that is shown", "several", ["a1", "a2"], ["a2"], {}, "a2"],
    [
      "none of them while what is written is shown",
      "several",
      ["a1", "a2"],
      ["a3"],
      { written: "a3" },
      null,
    ],
    [
      "none where two parties of one amount are shown",
      "several",
      ["a1", "a2", "a3"],
      ["a2", "a3"],
      {},
      null,
    ],
    ["the only host's, read twice", "alone", ["a", "a"], ["a"], {}, "a"],
    ["nothing where it reads two things", "alone", ["a", "a1"], ["a"], {}, null],
    ["nothing where it reads what is not shown", "alone", ["a1", "a1"], ["a"], {}, null],
    ["nothing of what waits, while others are open", "open", ["a"], ["a"], {}, null],
    ["nothing of what waits, whatever the balances refute", "open", ["a1"], ["a"], {}, null],
    [
      "what the hash covers, where a trace that was believed is refuted",
      "open",
      ["a1"],
      ["a"],
      refuting,
      "a",
    ],
    ["the same beside a host that goes on showing it", "alone", ["a1", "a1"], ["a"], refuting, "a"],
    ["the same against hosts that agree", "agreed", ["a1"], ["a"], refuting, "a"],
    ["nothing where that is not shown either", "alone", ["a1", "a1"], [], refuting, null],
    [
      "what the hash covers of a block without traces, though there is more",
      "alone",
      ["a", "a"],
      [],
      { ...refuting, mayBeMore: true },
      "a",
    ],
    ["not that while what waits may be more", "alone", ["a", "a"], [], { mayBeMore: true }, null],
    [
      "not that while what is written is shown",
      "alone",
      ["a", "a"],
      ["a1"],
      { ...refuting, mayBeMore: true, written: "a1" },
      null,
    ],
  ])("%s", (_, kind, readings, shown, how, chosen) => {
    const [first = [], ...others] = readings.map(readingOf);
    const { written = "", mayRefute = false, mayBeMore = false } = how;
    const read: Readings =
      kind === "agreed" || kind === "open" ? { kind, first } : { kind, first, others };
    const reading = chooseReading(read, {
      mayRefute,
      mayBeMore,
      isWrittenShown: written !== "" && shown.includes(written),
      isShown: (one) => shown.includes(textOf(one) ?? ""),
    });
    expect(textOf(reading)).toBe(chosen);
  });
});
