import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { barsOf } from "../../../bench/block-to-webhook/chart.ts";
import { type Figures, together } from "../../../bench/block-to-webhook/figures.ts";
import { type Outcome, outcomeOf } from "../../../bench/block-to-webhook/outcome.ts";
import { pageOf } from "../../../bench/block-to-webhook/page.ts";
import { inCheckout } from "../../support/checkout.ts";

const payments = [
  { hash: "0xa", block: 1 },
  { hash: "0xb", block: 1 },
  { hash: "0xc", block: 2 },
];
const announcedAtMs = new Map([
  [1, 100],
  [2, 200],
]);
const came = (hash: string, atMs: number, isAccepted = true) => ({
  hashes: [hash],
  atMs,
  isAccepted,
});

describe("what became of payments", () => {
  test.each<[string, ReturnType<typeof came>[], Partial<Outcome>]>([
    [
      "all in their order",
      [came("0xa", 110), came("0xb", 120), came("0xc", 230)],
      { p50: 20, p90: 20, lost: 0, doubled: 0, outOfOrder: 0 },
    ],
    [
      "two of one block the other way round are in order",
      [came("0xb", 110), came("0xa", 111), came("0xc", 230)],
      { outOfOrder: 0 },
    ],
    [
      "one after a later block",
      [came("0xa", 110), came("0xc", 210), came("0xb", 220)],
      { outOfOrder: 1, p99: 10 },
    ],
    [
      "one that came twice",
      [came("0xa", 110), came("0xa", 900), came("0xb", 120), came("0xc", 230)],
      { doubled: 1, lost: 0, p99: 20 },
    ],
    [
      "one that was refused, and then accepted",
      [came("0xa", 110, false), came("0xb", 120), came("0xa", 150), came("0xc", 230)],
      { doubled: 0, lost: 0, p50: 30 },
    ],
    [
      "one that was refused, and never came again",
      [came("0xa", 110, false)],
      { lost: 3, p50: null },
    ],
    ["hashes that are no payment", [came("0xd", 110)], { lost: 3, doubled: 0, p50: null }],
  ])("%s", (_name, arrivals, expected) => {
    const outcome = outcomeOf({ payments, announcedAtMs, arrivals });
    expect(outcome).toMatchObject({ paid: 3, ...expected });
  });

  test("one body that names several payments is the notification of each", () => {
    const arrivals = [{ hashes: ["0xa", "0xb", "0xa"], atMs: 110, isAccepted: true }];
    expect(outcomeOf({ payments, announcedAtMs, arrivals })).toMatchObject({ lost: 1, doubled: 0 });
  });

  test("of several rounds the median of the times, and the sum of the counts", () => {
    const of = (p50: number | null, lost: number): Outcome => ({
      paid: 10,
      p50,
      p90: p50,
      p99: p50,
      lost,
      doubled: 1,
      outOfOrder: 0,
    });
    expect(together([of(30, 0), of(10, 2), of(20, 0)])).toEqual({
      paid: 30,
      p50: 20,
      p90: 20,
      p99: 20,
      lost: 2,
      doubled: 3,
      outOfOrder: 0,
    });
    expect(together([of(null, 10)])).toMatchObject({ p50: null, lost: 10 });
  });
});

test("a chart draws each value by the largest, and no name breaks it", () => {
  const rows = [
    { label: "a<b & c", bars: [{ value: 10, text: "10 ms" }] },
    { label: "none", bars: [{ value: 0, text: "0" }] },
  ];
  const svg = barsOf("times", ["p50"], rows);
  expect(svg).toContain("a&lt;b &amp; c");
  expect(svg).toContain('width="380" height="14"');
  expect(svg).toContain('width="0" height="14"');
});

test("the page of the documents is made from its figures", async () => {
  const text = await readFile(inCheckout("docs", "block-to-webhook", "figures.json"), "utf8");
  for (const [path, content] of Object.entries(pageOf(JSON.parse(text) as Figures)))
    expect(await readFile(inCheckout("docs", path), "utf8"), path).toBe(content);
});
