import { getAddress } from "viem";
import { expect, test } from "vitest";
import { knownProfiles } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import { knownTokens, knownTokensOn } from "../../../../src/domain/setup/known-tokens.ts";

test("every address in the table has a right checksum, stands once, and is on a known chain", () => {
  const all = knownTokens.flatMap(({ addresses }) => Object.entries(addresses));
  expect(all.map(([, address]) => address)).toEqual(all.map(([, address]) => getAddress(address)));
  expect(new Set(all.map(([, address]) => address)).size).toBe(all.length);
  const known = new Set(knownProfiles.map(({ chainId }) => chainId));
  expect(all.filter(([chainId]) => !known.has(Number(chainId)))).toEqual([]);
});

test("every address in the table was compared with a list that is named", () => {
  for (const { compared, addresses } of knownTokens) {
    const chains = compared.flatMap((one) => one.chains);
    expect(chains.toSorted((a, b) => a - b)).toEqual(Object.keys(addresses).map(Number));
  }
});

test("a chain has what its issuers list there, and no other", () => {
  expect(knownTokensOn(1).map(({ code }) => code)).toEqual(["USDC", "USDT"]);
  expect(knownTokensOn(8_453)).toEqual([
    { code: "USDC", decimals: 6, address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
  ]);
  expect(knownTokensOn(31_337)).toEqual([]);
});
