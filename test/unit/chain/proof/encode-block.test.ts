import { createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import fc from "fast-check";
import { privateKeyToAccount } from "viem/accounts";
import { keccak256, numberToHex, parseTransaction } from "viem/utils";
import { describe, expect, it } from "vitest";
import { toBytes } from "../../../../src/chain/proof/encoding/fields.ts";
import { encodeReceipt } from "../../../../src/chain/proof/encoding/receipt.ts";
import { encodeRlp } from "../../../../src/chain/proof/encoding/rlp.ts";
import { encodeTransaction } from "../../../../src/chain/proof/encoding/transaction.ts";
import { loadKeccak256 } from "../../../../src/chain/proof/hashing/keccak.ts";
import { bloomHolds, bloomOf } from "../../../../src/chain/proof/hashing/logs-bloom.ts";
import { indexedTrieRoot } from "../../../../src/chain/proof/hashing/trie-root.ts";
import {
  parseReceipt,
  type RpcLog,
  type RpcTransaction,
} from "../../../../src/chain/rpc/rpc-block.ts";

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const address = `0x${"a1".repeat(20)}` as const;
const word = (digit: string) => `0x${digit.repeat(64)}` as const;

describe("the bytes that consensus hashes", () => {
  it("RLP is what another implementation makes of it, for bytes and lists of any shape", () => {
    const bytes = fc.uint8Array({ maxLength: 80 });
    const { item } = fc.letrec((tie) => ({
      item: fc.oneof({ maxDepth: 4 }, bytes, fc.array(tie("item"), { maxLength: 6 })),
    }));
    fc.assert(
      fc.property(item, (value) => {
        expect(hex(encodeRlp(value as Uint8Array))).toBe(hex(RLP.encode(value as Uint8Array)));
      }),
    );
    const long = new Uint8Array(70_000).fill(7);
    expect(hex(encodeRlp([long]))).toBe(hex(RLP.encode([long])));
  });

  it.each([0, 1, 2, 16, 17, 127, 128, 129, 256, 300])(
    "the root over %i values is what another implementation finds",
    async (count) => {
      const keccak = await loadKeccak256();
      // Short ones too: a node below 32 bytes stands in its parent itself.
      const values = Array.from({ length: count }, (_, index) =>
        new Uint8Array(1 + ((index * 37) % 90)).fill(index + 1),
      );
      const trie = await createMPT();
      for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
      expect(hex(indexedTrieRoot(keccak, values))).toBe(hex(trie.root()));
    },
  );

  it("keccak-256 is what another implementation finds", async () => {
    const keccak = await loadKeccak256();
    for (const length of [0, 1, 135, 136, 137, 1_000]) {
      const bytes = new Uint8Array(length).fill(3);
      expect(hex(keccak(bytes))).toBe(keccak256(bytes));
    }
  });

  const account = privateKeyToAccount(word("7"));
  const common = { chainId: 1, nonce: 300, gas: 21_000n, to: address, value: 10n ** 18n } as const;
  const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n } as const;
  const accessList = [{ address, storageKeys: [word("1"), word("2")] }];
  const signable = {
    legacy: { ...common, type: "legacy", gasPrice: 7n },
    "a deployment": { ...common, type: "legacy", gasPrice: 7n, to: null, data: "0x6001" },
    "EIP-2930": { ...common, type: "eip2930", gasPrice: 7n, accessList },
    "EIP-1559": { ...common, type: "eip1559", ...fees, accessList, data: "0x00ff" },
    "EIP-4844": {
      ...common,
      type: "eip4844",
      ...fees,
      maxFeePerBlobGas: 3n,
      blobVersionedHashes: [`0x01${"5".repeat(62)}`],
    },
  } as const;

  it.each(Object.entries(signable))("a transaction (%s) is what was signed", async (_, request) => {
    const serialized = await account.signTransaction(
      request as Parameters<typeof account.signTransaction>[0],
    );
    const answered = { ...toRpc(parseTransaction(serialized)), to: request.to };
    const encoded = encodeTransaction({
      type: answered.type,
      raw: answered.raw(request.to),
    } as never);
    expect(encoded === null ? null : hex(encoded)).toBe(serialized);
  });

  it("a transaction (EIP-7702) is what was signed", async () => {
    const authorization = await account.signAuthorization({ address, chainId: 1, nonce: 3 });
    const request = {
      ...common,
      type: "eip7702",
      ...fees,
      authorizationList: [authorization],
    } as const;
    const serialized = await account.signTransaction(request);
    const answered = toRpc(parseTransaction(serialized));
    const encoded = encodeTransaction({ type: answered.type, raw: answered.raw(address) } as never);
    expect(encoded === null ? null : hex(encoded)).toBe(serialized);
  });

  it("a receipt without a status has a whole root, which hides no status", () => {
    const common = { transactionHash: word("1"), blockHash: word("2"), gasUsed: "0x1", logs: [] };
    const rest = { ...common, cumulativeGasUsed: "0x1", logsBloom: `0x${"0".repeat(512)}` };
    const encode = (outcome: object) => hex(encodeReceipt(parseReceipt({ ...rest, ...outcome })));
    expect(encode({ root: word("5") })).toContain("5".repeat(64));
    expect(encode({ status: "0x0" })).not.toBe(encode({ status: "0x1" }));
    for (const root of ["0x", "0x01"]) expect(() => encode({ root })).toThrow(/malformed \(root\)/);
  });

  it("a transaction of a type that is not known has none", () => {
    const raw = { r: "0x1", s: "0x1", v: "0x0", chainId: "0x1", nonce: "0x0" };
    expect(encodeTransaction({ type: 0x55, raw } as unknown as RpcTransaction)).toBeNull();
  });

  it("a bloom holds its own logs and, as good as always, no others", async () => {
    const keccak = await loadKeccak256();
    const log = { address, topics: [word("1"), word("2")] } as unknown as RpcLog;
    const other = { address, topics: [word("3")] } as unknown as RpcLog;
    const bloom = bloomOf(keccak, [log]);
    expect(bloomHolds(bloom, bloomOf(keccak, [log]))).toBe(true);
    expect(bloomHolds(bloom, bloomOf(keccak, [other]))).toBe(false);
    expect(bloom).toHaveLength(256);
    expect(toBytes("0x0102")).toEqual(Buffer.from([1, 2]));
  });
});

/** A parsed transaction as JSON-RPC answers it. */
function toRpc(parsed: ReturnType<typeof parseTransaction>) {
  const types = { legacy: 0, eip2930: 1, eip1559: 2, eip4844: 3, eip7702: 4 } as Record<
    string,
    number
  >;
  const rpcValue = (value: unknown): unknown => {
    if (typeof value === "bigint" || typeof value === "number") return numberToHex(value);
    if (Array.isArray(value)) return value.map(rpcValue);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rpcValue(inner)]));
  };
  const { data, gas, nonce, value, ...rest } = parsed as Record<string, unknown>;
  return {
    type: types[String(parsed.type)] ?? -1,
    raw: (to: string | null) => ({
      ...(rpcValue(rest) as object),

      to,
      nonce: rpcValue(nonce ?? 0),
      gas: rpcValue(gas),
      value: rpcValue(value ?? 0n),
      input: data ?? "0x",
    }),
  };
}
