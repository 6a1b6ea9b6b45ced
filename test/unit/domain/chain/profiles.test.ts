import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { evidenceLevels } from "../../../../src/domain/chain/profile.ts";
import { knownGenesis } from "../../../../src/domain/chain/profiles/known-genesis.ts";
import { knownProfiles, profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";
import { inCheckout } from "../../../support/checkout.ts";
import { withChainTables } from "../../../support/docs/chain-table.ts";

describe("the profiles of chains", () => {
  it("are in docs/chains.md as they are here (node scripts/run.mjs chain-table)", () => {
    const page = readFileSync(inCheckout("docs", "chains.md"), "utf8");
    expect(withChainTables(page)).toBe(page);
  });

  it("name each chain once", () => {
    const ids = knownProfiles.map(({ chainId }) => chainId);
    const names = knownProfiles.map(({ name }) => name);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(knownProfiles.map((profile) => [profile.name, profile] as const))(
    "%s says what it is founded on, and when that was looked up",
    (_, { evidence, blockTimeMs }) => {
      expect(evidenceLevels).toContain(evidence.level);
      expect(evidence.source.length).toBeGreaterThan(10);
      expect(evidence.checked).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(blockTimeMs).toBeGreaterThan(0);
    },
  );

  it("have a first block that is known, but for these", () => {
    const without = knownProfiles.filter(({ chainId }) => knownGenesis(chainId) === null);
    expect(without.map(({ name }) => name)).toEqual([
      "Anvil and Hardhat",
      "Mantle",
      "Mantle Sepolia",
      "Celo Sepolia",
      "Robinhood Chain Testnet",
      "Taiko",
      "Plasma",
      "Sei",
      "Stable",
      "Stable Testnet",
    ]);
  });

  it("take for granted of a chain that they do not name only what every EVM chain is said to do", () => {
    expect(profileOf(424_242)).toMatchObject({
      coin: { code: null },
      evidence: { level: "assumed" },
      receipts: "bloom",
      hasTransactionsRoot: false,
    });
  });
});
