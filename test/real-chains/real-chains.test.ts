import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createCryptography } from "../../src/chain/proof/hashing/cryptography.ts";
import { faultIn } from "../../src/domain/fault.ts";
import { type LoadedBlock, proofOf } from "../../src/domain/money/movement.ts";
import { hasSamples, readSamples, type Sample, unlistedSamples } from "../support/chain/sample.ts";
import { judge, loadSample } from "./judge.ts";

// Every recorded block of a real chain through the code that the daemon uses. What must come of
// each is in expected.json; `npm run real-chains` prints it as one table.

type Expected = { outcome: string[]; why?: string };

const expected = JSON.parse(
  readFileSync(new URL("expected.json", import.meta.url), "utf8"),
) as Record<string, Expected>;

/**
 * Arbitrum of before Nitro and Hedera charge less than was signed, and only the receipt says how
 * much.
 */
const chargingLess = [42_161, 295];

type Hash = LoadedBlock["movements"][number]["txHash"];

const feesOf = ({ movements }: LoadedBlock): Map<Hash, bigint> =>
  new Map(
    movements
      .filter(({ kind }) => kind === "fee")
      .map(({ txHash, amountAtomic }) => [txHash, amountAtomic]),
  );

/** Null: it is refused, because nothing says what was paid. */
async function withoutPrices(sample: Sample): Promise<LoadedBlock | null> {
  const receipts = sample.receipts?.map(({ effectiveGasPrice: _, ...receipt }) => receipt) ?? null;
  try {
    return await loadSample({ ...sample, receipts }, "off");
  } catch (error) {
    expect(faultIn(error)?.message).toMatch(/nothing says what transaction \d+ paid/);
    return null;
  }
}

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

  it("have the same fees without the prices of their receipts, or it is said", async () => {
    const invented: string[] = [];
    let compared = 0;
    for (const sample of readSamples()) {
      if (!expected[sample.name]?.outcome[3]?.startsWith("ok")) continue;
      const fees = feesOf(await loadSample(sample, "off"));
      const left = await withoutPrices(sample);
      if (left === null) continue;
      const shown = feesOf(left);
      const mayDiffer = chargingLess.includes(sample.chainId);
      compared += fees.size;
      for (const [hash, amount] of fees) {
        const fee = { kind: "fee", txHash: hash, logIndex: null, tracePath: null } as const;
        const isSaid = proofOf(left.evidence, fee) === "answered";
        if (shown.get(hash) !== amount && !(isSaid && mayDiffer))
          invented.push(`${sample.name} ${hash}`);
      }
    }
    expect(invented).toEqual([]);
    expect(compared).toBeGreaterThan(500);
  });

  it("are right, or it is said why they are not", () => {
    const unexplained = Object.entries(expected)
      .filter(([, { outcome, why }]) => !outcome.every(isGood) && why === undefined)
      .map(([name]) => name);
    expect(unexplained).toEqual([]);
  });
});
