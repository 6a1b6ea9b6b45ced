import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCryptography } from "../../src/chain/proof/hashing/cryptography.ts";
import { hasSamples, readSamples, unlistedSamples } from "../support/chain/sample.ts";
import { judge } from "./judge.ts";

// Every recorded block of a real chain through the code that the daemon uses. What must come of each is in
// expected.json; `npm run real-chains` prints it as one table.

type Expected = { outcome: string[]; why?: string };

const expected = JSON.parse(
  readFileSync(new URL("expected.json", import.meta.url), "utf8"),
) as Record<string, Expected>;

const isGood = (text: string) => /^(ok\b|root$|bloom$|-$)/.test(text);

describe.runIf(hasSamples)("recorded blocks of real chains", () => {
  it("are all listed with the chain they are of", () => {
    expect(unlistedSamples()).toEqual([]);
  });

  it.each(hasSamples ? readSamples().map((sample) => [sample.name, sample] as const) : [])(
    "%s",
    async (name, sample) => {
      const { hash, roots, receipts, decode, traces, fee } = await judge(
        await createCryptography(),
        sample,
      );
      expect([hash, roots, receipts, decode, traces, fee]).toEqual(expected[name]?.outcome);
    },
  );

  it("are right, or it is said why they are not", () => {
    const unexplained = Object.entries(expected)
      .filter(([, { outcome, why }]) => !outcome.every(isGood) && why === undefined)
      .map(([name]) => name);
    expect(unexplained).toEqual([]);
  });
});
