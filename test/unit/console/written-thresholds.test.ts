import { expect, test } from "vitest";
import {
  thresholdsIn,
  thresholdsText,
} from "../../../console/src/pages/wallets/written-thresholds.ts";

test("thresholds are written as assets and amounts, and read back", () => {
  const thresholds = [
    { asset: "USDC", below: "100", restored_from: "150" },
    { asset: "ETH", below: "0.5", restored_from: "0.5" },
  ];
  const written = thresholdsText(thresholds);
  expect(written).toBe("USDC 100 150, ETH 0.5");
  expect(thresholdsIn(written)).toEqual([
    { asset: "USDC", below: "100", restored_from: "150" },
    { asset: "ETH", below: "0.5" },
  ]);
});

test.each([
  ["", []],
  [" , ", []],
  ["USDC", null],
  ["USDC 1 2 3", null],
  ["ETH 1, USDC", null],
] as const)("%j stands for %j", (written, thresholds) => {
  expect(thresholdsIn(written)).toEqual(thresholds);
});
