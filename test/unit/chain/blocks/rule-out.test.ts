import { describe, expect, it } from "vitest";
import type { LoadRules } from "../../../../src/chain/blocks/asking/load-block.ts";
import { createJudges } from "../../../../src/chain/blocks/rule-out.ts";
import { loadCryptography } from "../../../../src/chain/proof/hashing/cryptography.ts";
import { stateSyncHash } from "../../../../src/chain/proof/state-sync.ts";
import { parseBlock } from "../../../../src/chain/rpc/rpc-block.ts";
import type { BlockProof } from "../../../../src/domain/chain/block-proof.ts";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";

const { keccak } = await loadCryptography();
const hash = `0x${"5".repeat(64)}` as const;
const stranger = `0x${"a1".repeat(20)}` as const;
const wallet = `0x${"b2".repeat(20)}` as const;
const token = `0x${"c3".repeat(20)}` as const;

const rooted: BlockProof = { header: true, transactions: true, receipts: "root" };

const watchFilter = {
  tokens: [token],
  isCoinWatched: true,
  isWatched: (address: string) => address === wallet,
  fewWallets: [wallet],
};

function verdict(
  chainId: number,
  { bloom = 0, proof = rooted, last = hash as string, number = "0x100" } = {},
): string {
  const rules: LoadRules = {
    aliases: new Map(),
    profile: profileOf(chainId),
    proof,
    tracing: "off",
  };
  const transaction = { hash: last, from: stranger, to: stranger, value: "0x0" };
  const block = parseBlock({
    number,
    hash,
    parentHash: hash,
    timestamp: "0x1",
    miner: stranger,
    logsBloom: `0x${bloom.toString(16).padStart(2, "0").repeat(256)}`,
    transactions: [transaction],
  });
  return createJudges(keccak, rules)(watchFilter)(block);
}

describe("a block of which only the header and the transactions are read", () => {
  it("holds no log of ours where a bloom that its hash covers is empty", () => {
    expect(verdict(1)).toBe("cannot");
    expect(verdict(137)).toBe("cannot");
    expect(verdict(1, { bloom: 255 })).toBe("may");
  });

  it("may hold one where nothing says that the chain keeps a bloom", () => {
    expect(verdict(1, { proof: { ...rooted, header: false } })).toBe("ask_logs");
    // Of a chain that is not known.
    expect(verdict(987_654_321)).toBe("ask_logs");
    expect(verdict(1, { proof: { ...rooted, receipts: "none" } })).toBe("ask_logs");
  });

  it("may hold one where a state sync is in it, whatever its bloom says", () => {
    const last = stateSyncHash(keccak, { number: 0x100n, hash });
    expect(verdict(137, { last })).toBe("may");
    expect(verdict(1, { last })).toBe("cannot");
  });
});
