import { concat, type Hex, keccak256, toHex, toRlp } from "viem";
import { describe, expect, it } from "vitest";
import {
  encodeLoose,
  encodeTransaction,
} from "../../../../src/chain/proof/encoding/transaction.ts";
import { loadCryptography } from "../../../../src/chain/proof/hashing/cryptography.ts";
import { proveContents } from "../../../../src/chain/proof/prove-block.ts";
import { parseBlock } from "../../../../src/chain/rpc/rpc-block.ts";
import { profileOf } from "../../../../src/domain/chain/profiles/known-profiles.ts";

const type = 0x79;
const hash: Hex = `0x${"5".repeat(64)}`;
const sender: Hex = `0x${"a1".repeat(20)}`;
const receiver: Hex = `0x${"b2".repeat(20)}`;

const body = {
  chainId: 8_453,
  sender,
  nonceKey: 0,
  nonceSequence: 7,
  validAfter: 0,
  validBefore: 1_795_000_000_000,
  maxPriorityFeePerGas: 2,
  maxFeePerGas: 9,
  gasLimit: 50_000,
  accountChanges: [],
  calls: [[{ to: receiver, value: 5, data: "0x01" }]],
  metadata: "0x02",
  payer: null,
};
const auth = { senderAuth: "0x03", payerAuth: "0x" } as const;

/** The same, written down by hand as the EIP lists it. */
const expected = concat([
  "0x79",
  toRlp([
    toHex(8_453),
    sender,
    "0x",
    "0x07",
    "0x",
    toHex(1_795_000_000_000),
    "0x02",
    "0x09",
    toHex(50_000),
    [],
    [[[receiver, "0x05", "0x01"]]],
    "0x02",
    "0x",
    "0x03",
    "0x",
  ]),
]);

const encode = (raw: object) => {
  const bytes = encodeTransaction({ type, raw: { ...raw } });
  return bytes === null ? null : toHex(bytes);
};

describe("a transaction of EIP-8130", () => {
  it("has the same bytes whether its body is in `tx`, as plain numbers, or beside the rest", () => {
    expect(encode({ tx: body, ...auth })).toBe(expected);
    const flat = Object.entries(body).map(([key, value]) => [
      key === "gasLimit" ? "gas" : key,
      typeof value === "number" ? toHex(value) : value,
    ]);
    expect(encode({ ...Object.fromEntries(flat), ...auth })).toBe(expected);
  });

  it("may be of the form that came before, with an expiry and calls without value", () => {
    const { validAfter: _, validBefore: __, metadata: ___, ...rest } = body;
    const old = { ...rest, expiry: 1, calls: [[{ to: receiver, data: "0x01" }]] };
    const bytes = toRlp([
      toHex(8_453),
      sender,
      "0x",
      "0x07",
      "0x01",
      "0x02",
      "0x09",
      toHex(50_000),
      [],
      [[[receiver, "0x01"]]],
      "0x",
      "0x03",
      "0x",
    ]);
    expect(encode({ ...old, ...auth })).toBe(concat(["0x79", bytes]));
  });

  it("that cannot be encoded leaves the root open, and stops nothing", async () => {
    const { nonceKey: _, ...changed } = body;
    const raw = { tx: { ...changed, lanes: [1] }, ...auth };
    expect(encodeLoose({ type, raw })).toBeNull();
    expect(() => encodeTransaction({ type, raw })).toThrow(/malformed \(nonceKey\)/);
    const cryptography = await loadCryptography();
    const prove = (chainId: number, transaction: object) => () =>
      proveContents(
        cryptography,
        {
          profile: profileOf(chainId),
          proof: { header: false, transactions: true, receipts: "none" },
        },
        parseBlock({
          number: "0x1",
          hash,
          parentHash: hash,
          timestamp: "0x1",
          miner: sender,
          logsBloom: "0x",
          transactionsRoot: keccak256("0x"),
          transactions: [{ hash, from: sender, to: null, ...transaction }],
        }),
      );
    expect(prove(8_453, { type: "0x79", ...raw })).not.toThrow();
    // X Layer's 0x7b is not Celo's: it has calls, and no value.
    expect(prove(196, { type: "0x7b", ...raw })).not.toThrow();
  });
});
