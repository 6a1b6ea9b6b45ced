import { describe, expect, it } from "vitest";
import { overdueIn, type Wait, type Waits, waitOn } from "../../../../src/domain/watch/patience.ts";

const patienceMs = 10;

/** `payment: b c`: hosts b and c are silent about a payment. */
function waitsOf(text: string): Wait[] {
  if (text === "") return [];
  return text.split(", ").map((one) => {
    const [subject = "", hosts = ""] = one.split(": ");
    return { subject, silent: hosts === "" ? [] : hosts.split(" ") };
  });
}

type Case = [what: string, asked: [atMs: number, waiting: string][], overdue: string[]];

describe("patience with silent hosts", () => {
  it.each<Case>([
    [
      "is over after so long",
      [
        [0, "old: b"],
        [10, "old: b"],
      ],
      ["old"],
    ],
    [
      "is not over a moment before",
      [
        [0, "old: b"],
        [9, "old: b"],
      ],
      [],
    ],
    [
      "is each subject's own: a newcomer waits",
      [
        [0, "old: b"],
        [9, "old: b, new: b"],
        [10, "old: b, new: b"],
      ],
      ["old"],
    ],
    [
      "is over for a newcomer in its own time",
      [
        [0, "old: b"],
        [9, "new: b"],
        [19, "new: b"],
      ],
      ["new"],
    ],
    [
      "is each silent host's own",
      [
        [0, "old: b"],
        [9, "old: b c"],
        [10, "old: b c"],
      ],
      [],
    ],
    [
      "is over once it is over with the last of them",
      [
        [0, "old: b"],
        [9, "old: b c"],
        [19, "old: b c"],
      ],
      ["old"],
    ],
    [
      "begins anew with a host that has said something",
      [
        [0, "old: b c"],
        [5, "old: c"],
        [9, "old: b c"],
        [10, "old: b c"],
      ],
      [],
    ],
    [
      "goes on with the others meanwhile",
      [
        [0, "old: b c"],
        [5, "old: c"],
        [10, "old: c"],
      ],
      ["old"],
    ],
    [
      "begins anew for what did not wait meanwhile",
      [
        [0, "old: b"],
        [5, ""],
        [6, "old: b"],
        [10, "old: b"],
      ],
      [],
    ],
    [
      "is with all others together where none is named",
      [
        [0, "old"],
        [9, "old"],
        [10, "old"],
      ],
      ["old"],
    ],
    [
      "is with every host that is silent in any of a subject's waits",
      [
        [0, "old: b"],
        [9, "old: c, old: b"],
        [10, "old: c, old: b"],
      ],
      [],
    ],
    [
      "goes on in whichever order a subject's waits come",
      [
        [0, "old: b, old: c"],
        [9, "old: c, old: b"],
        [10, "old: c, old: b"],
      ],
      ["old"],
    ],
    [
      "is of nothing where nothing waits",
      [
        [0, "old: b"],
        [20, ""],
      ],
      [],
    ],
  ])("%s", (_, asked, overdue) => {
    let waits: Waits = new Map();
    for (const [atMs, waiting] of asked) waits = waitOn(waits, waitsOf(waiting), atMs);
    const [nowMs] = asked.at(-1) ?? [0];
    expect([...overdueIn(waits, nowMs, patienceMs)]).toEqual(overdue);
  });
});
