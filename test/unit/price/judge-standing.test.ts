import { expect, test } from "vitest";
import type { Standing } from "../../../src/domain/price/feed.ts";
import type { PriceProof } from "../../../src/domain/price/price.ts";
import { judgeStanding } from "../../../src/price/judge-standing.ts";

const hourMs = 3_600_000;
const asOfMs = Date.UTC(2026, 0, 2);
const before = (usd: string, proof: PriceProof, agoMs = 0) => ({
  usd,
  proof,
  asOfMs: asOfMs - agoMs,
});

type Case = [string, Standing, string, ReturnType<typeof before> | null, string];

test.each<Case>([
  ["two hosts, for the first time", "agreed", "2000", null, "kept agreed, an anchor"],
  ["two hosts, far away", "agreed", "9", before("2000", "agreed"), "kept agreed, an anchor"],
  ["one beside silent ones, for the first time", "silent", "1000000", null, "unshown"],
  ["one beside silent ones, as it said before", "silent", "2", before("2", "answered"), "unshown"],
  ["one beside silent ones, near", "silent", "2400", before("2000", "agreed"), "kept answered"],
  ["one beside silent ones, too far up", "silent", "2401", before("2000", "agreed"), "unshown"],
  ["one beside silent ones, too far down", "silent", "1666", before("2000", "agreed"), "unshown"],
  [
    "one beside silent ones, after two hours",
    "silent",
    "3200",
    before("2000", "agreed", 2 * hourMs),
    "kept answered",
  ],
  ["of an older round, near", "silent", "2400", before("2000", "agreed", -hourMs), "kept answered"],
  ["the only one, for the first time", "alone", "2000", null, "kept answered, an anchor"],
  ["the only one, near", "alone", "1700", before("2000", "answered"), "kept answered, an anchor"],
  ["the only one, far away", "alone", "1000000", before("2000", "answered"), "refused"],
])("%s", (_title, standing, usd, anchor, expected) => {
  const judged = judgeStanding(standing, { usd, asOfMs }, anchor);
  const isAnchor = judged.kind === "kept" && judged.isAnchor;
  const kept = `kept ${judged.kind === "kept" ? judged.proof : ""}`;
  expect((judged.kind === "kept" ? kept : judged.kind) + (isAnchor ? ", an anchor" : "")).toBe(
    expected,
  );
});
