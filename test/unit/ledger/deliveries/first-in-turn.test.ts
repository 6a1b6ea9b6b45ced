import { expect, it } from "vitest";
import { firstInTurn } from "../../../../src/ledger/deliveries/claim-memory.ts";

type Case = {
  what: string;
  /** The businesses with the place of a first attempt or of a retry, or with neither. */
  known: [businessId: string, kind: "firsts" | "retries" | "none", place: bigint][];
  turns?: [businessId: string, number: bigint][];
  passed?: string[];
  most: number;
  first: string[];
  last: { businessId: string; number: bigint } | null;
};

const cases: Case[] = [
  { what: "nothing is known", known: [], most: 2, first: [], last: null },
  {
    what: "the oldest claim comes first, then the lower id",
    known: [
      ["c", "firsts", 1n],
      ["b", "firsts", 1n],
      ["a", "firsts", 1n],
    ],
    turns: [
      ["a", 7n],
      ["b", 3n],
      ["c", 3n],
    ],
    most: 2,
    first: ["c", "b"],
    last: { businessId: "c", number: 3n },
  },
  {
    what: "a business that was never claimed for comes first",
    known: [
      ["a", "firsts", 1n],
      ["b", "firsts", 1n],
    ],
    turns: [["a", 1n]],
    most: 1,
    first: ["b"],
    last: { businessId: "b", number: 0n },
  },
  {
    what: "there is no last one where all are chosen",
    known: [
      ["a", "firsts", 1n],
      ["b", "firsts", 1n],
    ],
    most: 2,
    first: ["a", "b"],
    last: null,
  },
  {
    what: "a retry counts from the time that it is due",
    known: [
      ["a", "retries", 1_001n],
      ["b", "retries", 1_000n],
      ["c", "none", 0n],
    ],
    most: 3,
    first: ["b"],
    last: null,
  },
  {
    what: "a business counts once, and brings all its webhooks",
    known: [
      ["a", "firsts", 1n],
      ["a", "retries", 1n],
      ["b", "firsts", 1n],
    ],
    most: 1,
    first: ["a", "a"],
    last: { businessId: "a", number: 0n },
  },
  {
    what: "a business that was passed is left out",
    known: [
      ["a", "firsts", 1n],
      ["b", "firsts", 1n],
    ],
    passed: ["a"],
    most: 1,
    first: ["b"],
    last: null,
  },
];

it.each(cases)("$what", ({ known, turns = [], passed = [], most, first, last }) => {
  const webhooks = new Map(
    known.map(([businessId, kind, place], index) => [
      `webhook ${index}`,
      {
        businessId,
        firsts: kind === "firsts" ? place : null,
        retries: kind === "retries" ? place : null,
      },
    ]),
  );
  const memory = { webhooks, turns: new Map(turns) };
  const found = firstInTurn(memory, { nowMs: 1_000, passed: new Set(passed), most });
  expect(found.webhooks.map(([, { businessId }]) => businessId).toSorted()).toEqual(
    first.toSorted(),
  );
  expect(found.last).toEqual(last);
});
