import { describe, expect, it } from "vitest";
import type { LoadRules } from "../../../../src/chain/blocks/asking/load-block.ts";
import { createJudges } from "../../../../src/chain/blocks/rule-out.ts";
import { loadCryptography } from "../../../../src/chain/proof/hashing/cryptography.ts";
import { bloomOf } from "../../../../src/chain/proof/hashing/logs-bloom.ts";
import { stateSyncHash } from "../../../../src/chain/proof/state-sync.ts";
import { parseBlock } from "../../../../src/chain/rpc/rpc-block.ts";
import type { Address } from "../../../../src/domain/chain/address.ts";
import type { Hash } from "../../../../src/domain/chain/block.ts";
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

type Shown = {
  bloom?: number;
  logs?: { address: Address; topics: Hash[] }[];
  proof?: BlockProof;
  last?: string;
  number?: string;
  transaction?: object;
};

function verdict(chainId: number, shown: Shown = {}): string {
  const { bloom = 0, logs, proof = rooted, last = hash, number = "0x100" } = shown;
  const profile = profileOf(chainId);
  const aliases = new Map(profile.nativeAliases.map((alias) => [alias.address, alias]));
  const rules: LoadRules = { aliases, profile, proof, tracing: "off" };
  const common = { hash: last, from: stranger, to: stranger, value: "0x0" };
  const transaction = { ...common, ...shown.transaction };
  const repeated = bloom.toString(16).padStart(2, "0").repeat(256);
  const bytes = logs === undefined ? repeated : Buffer.from(bloomOf(keccak, logs)).toString("hex");
  const block = parseBlock({
    number,
    hash,
    parentHash: hash,
    timestamp: "0x1",
    miner: stranger,
    logsBloom: `0x${bytes}`,
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

  it("may hold coin that the parent chain brings a wallet, which no Transfer shows", () => {
    const coin = "0x0000000000000000000000000000000000001010";
    const synced = "0x4e2ca0515ed1aef1395f66b5303bb5d6f1bf9d61a353fa53f73f8ac9973fa9f6";
    const word = (address: string): Hash => `0x${address.slice(2).padStart(64, "0")}`;
    const of = (address: string): Shown => ({
      logs: [{ address: coin, topics: [synced, word(coin), word(address)] }],
    });
    expect(verdict(137, of(wallet))).toBe("may");
    expect(verdict(137, of(stranger))).toBe("cannot");
  });

  it("may hold the fee of a wallet that pays for another account (EIP-8130)", () => {
    const of = (named: object) => ({ transaction: { type: "0x79", ...named } });
    // A chain on which no transaction of that type may be outside of the root.
    expect(verdict(1, of({ payer: wallet, payerAuth: "0x01" }))).toBe("may");
    expect(verdict(1, of({ tx: { payer: wallet }, payerAuth: "0x01" }))).toBe("may");
    expect(verdict(1, of({ payerAuth: "0x01" }))).toBe("may");
    expect(verdict(1, of({ payer: stranger, payerAuth: "0x01" }))).toBe("cannot");
    expect(verdict(1, of({ payerAuth: "0x" }))).toBe("cannot");
    expect(verdict(1, of({}))).toBe("cannot");
  });

  it("may hold anything where a transaction is in no root, as its bytes are not known", () => {
    expect(verdict(8_453, { transaction: { type: "0x79" } })).toBe("may");
    expect(verdict(8_453, { transaction: { type: "0x2" } })).toBe("cannot");
  });
});
