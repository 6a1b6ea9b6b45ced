import type { TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { numberToHex, parseTransaction } from "viem/utils";
import { describe, expect, it } from "vitest";
import {
  type Cryptography,
  loadCryptography,
} from "../../../../src/chain/proof/hashing/cryptography.ts";
import { findSigners, proveSender } from "../../../../src/chain/proof/prove-senders.ts";
import { parseBlock } from "../../../../src/chain/rpc/rpc-block.ts";

const cryptography = await loadCryptography();
const hash = (digit: string) => `0x${digit.repeat(64)}` as const;
const account = privateKeyToAccount(hash("7"));
const stranger = `0x${"a1".repeat(20)}` as const;
const common = { nonce: 300, gas: 21_000n, to: stranger, value: 10n ** 18n } as const;
const fees = { chainId: 1, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n } as const;

const signable = {
  "a legacy one from before EIP-155": { ...common, type: "legacy", gasPrice: 7n },
  "a legacy one": { ...common, type: "legacy", gasPrice: 7n, chainId: 1 },
  "a legacy one of a chain with a large id": {
    ...common,
    type: "legacy",
    gasPrice: 7n,
    chainId: 2_000_000_000,
  },
  "a deployment": { ...common, type: "legacy", gasPrice: 7n, chainId: 1, to: null, data: "0x6001" },
  "EIP-2930": { ...common, type: "eip2930", gasPrice: 7n, chainId: 1, accessList: [] },
  "EIP-1559": { ...common, type: "eip1559", ...fees, data: "0x00ff" },
  "EIP-4844": {
    ...common,
    type: "eip4844",
    ...fees,
    maxFeePerBlobGas: 3n,
    blobVersionedHashes: [`0x01${"5".repeat(62)}`],
  },
  "EIP-7702": {
    ...common,
    type: "eip7702",
    ...fees,
    authorizationList: [
      { chainId: 1, address: stranger, nonce: 4, yParity: 1, r: hash("1"), s: hash("2") },
    ],
  },
} as const satisfies Record<string, TransactionSerializable>;

/** A transaction as a node answers it. */
async function answered(request: TransactionSerializable) {
  const signed = await account.signTransaction(request);
  const parsed = parseTransaction(signed) as Record<string, unknown>;
  const types: unknown[] = ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"];
  const hexed = toHex(parsed) as Record<string, unknown>;
  const parity = parsed["type"] === "legacy" ? "v" : "yParity";
  return {
    accessList: [],
    input: "0x",
    value: "0x0",
    ...hexed,
    ...(parsed["data"] === undefined ? {} : { input: parsed["data"] }),

    [parity]: hexed[parity],
    type: numberToHex(types.indexOf(parsed["type"])),

    hash: hash("5"),
    from: account.address,
    to: request.to ?? null,
  };
}

function toHex(value: unknown): unknown {
  if (typeof value === "bigint" || typeof value === "number") return numberToHex(value);
  if (Array.isArray(value)) return value.map(toHex);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toHex(inner)]));
}

function blockOf(transactions: readonly object[]) {
  return parseBlock({
    number: "0x1",
    hash: hash("8"),
    parentHash: hash("9"),
    timestamp: "0x1",

    miner: stranger,
    logsBloom: "0x",
    transactions,
  });
}

function prove(transaction: object): void {
  const block = blockOf([transaction]);
  for (const one of block.transactions) proveSender(cryptography, block, one);
}

describe("the sender of a transaction", () => {
  it.each(Object.entries(signable))("is found in the signature of %s", async (_, request) => {
    const transaction = await answered(request);
    prove(transaction);
    expect(() => prove({ ...transaction, from: stranger })).toThrow(/was not sent by 0xa1a1/);
  });

  it("is nobody where no key can have made the signature", async () => {
    const transaction = await answered(signable["EIP-1559"]);
    expect(() => prove({ ...transaction, r: hash("f") })).toThrow(/was not sent by/);
  });

  it("of what Nitro does itself is its own account", () => {
    const own = { type: "0x6a", hash: hash("5"), to: null, value: "0x0", input: "0x" };
    prove({ ...own, from: "0x00000000000000000000000000000000000A4B05" });
    expect(() => prove({ ...own, from: stranger })).toThrow(/was not sent by/);
  });

  it("of an account that says who it is can be no other", () => {
    const smart = { type: "0x79", hash: hash("5"), to: null, sender: account.address };
    prove({ ...smart, from: account.address });
    expect(() => prove({ ...smart, from: stranger })).toThrow(/was not sent by/);
  });
});

describe("the senders of many transactions, found ahead in another thread", () => {
  /**
   * Signed ones, one whose signature nobody can have made, and one whose signature nobody can read.
   */
  async function many() {
    const signed = await Promise.all(Object.values(signable).map((one) => answered(one)));
    const [first] = signed;
    return [...signed, ...signed, ...signed, { ...first, r: hash("f") }, { ...first, s: "0x1ff" }];
  }

  it("are those that are found one by one", async () => {
    const asked: boolean[] = [];
    const counting: Cryptography = {
      ...cryptography,
      signersOf: async (signed) => {
        const ahead = await cryptography.signersOf(signed);
        asked.push(...signed.map((one, index) => cryptography.signerOf(one) === ahead[index]));
        return ahead;
      },
    };
    const transactions = await many();
    await findSigners(counting, blockOf(transactions).transactions);
    expect(asked).toEqual(transactions.map(() => true));
  });

  it("are held against what the transactions name, without being looked for again", async () => {
    const right = (await many()).slice(0, -2);
    const block = blockOf([...right, ...right.map((one) => ({ ...one, from: stranger }))]);
    await findSigners(cryptography, block.transactions);
    const blind = { ...cryptography, signerOf: () => null };
    const refusals = block.transactions.map((one) => {
      try {
        return proveSender(blind, block, one);
      } catch (error) {
        return String(error);
      }
    });
    expect(refusals.slice(0, right.length)).toEqual(right.map(() => undefined));
    for (const refusal of refusals.slice(right.length)) expect(refusal).toMatch(/was not sent by/);
  });

  it("are found one by one after all where that thread has ended", async () => {
    const block = blockOf(await many());
    const signersOf = () => Promise.reject(new Error("The thread ended with status 1."));
    await findSigners({ ...cryptography, signersOf }, block.transactions);
    const [right, , , , , , , ...others] = block.transactions;
    const wrong = others.at(-2);
    const proving = (one: typeof right) => () => one && proveSender(cryptography, block, one);
    expect(proving(right)).not.toThrow();
    expect(proving(wrong)).toThrow(/was not sent by/);
  });
});
