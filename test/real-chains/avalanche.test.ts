import { RLP } from "@ethereumjs/rlp";
import { describe, expect, it } from "vitest";
import { createChainSource } from "../../src/chain/chain-source.ts";
import { layoutOf } from "../../src/chain/proof/encoding/header-fields.ts";
import { nothingUnread } from "../../src/domain/chain/block-proof.ts";
import { usualWitness } from "../../src/domain/chain/confirmation.ts";
import { profileOf } from "../../src/domain/chain/profiles/known-profiles.ts";
import { nativeAddress } from "../../src/domain/money/movement.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { type Answer, hasSamples, readShared, type Sample } from "../support/chain/sample.ts";
import { keepsNothing } from "../support/chain/tracing-hosts.ts";
import { recordedNode } from "./recorded-node.ts";

// A test chain of Avalanche's makers over every fork to Granite, with what their node answered of
// it: blocks as RLP, transactions, receipts, traces, and the balances of five accounts after each
// block. Imports and exports between Avalanche's chains are among them.

const path = "raw/avalanche-synchronous-fixture.json";
const chainId = 43_110;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** The id of AVAX there: what the first import brought, by the fixture's own words. */
const atomicCoin = "4a177205df5c29929d06db9d941f83d5ea985de302015e99252d16469a6610db";

type Fixture = {
  blocks: { number: number; fork: string; description: string; hash: string; rlp: string }[];
  rpcCalls: { method: string; params: unknown[]; result: unknown }[];
};

type Decoded = Uint8Array | Decoded[];

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

const numbers = new Set(
  ["difficulty", "number", "gasLimit", "gasUsed", "timestamp", "baseFeePerGas"].concat(
    ["extDataGasUsed", "blockGasCost", "blobGasUsed", "excessBlobGas"],
    ["timestampMilliseconds", "minDelayExcess"],
  ),
);

/** A header as JSON-RPC would say it. */
function headerOf(fields: Decoded[]): Answer {
  const layout = layoutOf("avalanche", {});
  const names = [...(layout?.required ?? []), ...(layout?.later ?? [])].map(([name]) => name);
  const entries = fields.map((field, index) => {
    const name = names[index] ?? "";
    const bytes = field as Uint8Array;
    const text = numbers.has(name)
      ? `0x${BigInt(hex(bytes) === "0x" ? 0 : hex(bytes)).toString(16)}`
      : hex(bytes);
    return [name, text];
  });
  return Object.fromEntries(entries);
}

function sampleOf(fixture: Fixture, block: Fixture["blocks"][number]): Sample {
  const [header, , , , extra] = RLP.decode(block.rlp as `0x${string}`) as Decoded[];
  const asked = (method: string, first: string) =>
    fixture.rpcCalls.find((call) => call.method === method && call.params[0] === first)?.result;
  const height = `0x${block.number.toString(16)}`;
  const receipts = asked("eth_getBlockReceipts", height) as Answer[];
  const transactions = receipts.map(({ transactionHash }) =>
    asked("eth_getTransactionByHash", String(transactionHash)),
  );
  return {
    name: block.fork,
    chainId,
    number: BigInt(block.number),
    edited: null,
    block: {
      ...headerOf(header as Decoded[]),

      hash: block.hash,
      transactions,
      blockExtraData: hex((extra ?? new Uint8Array(0)) as Uint8Array),
    },

    receipts,
    parityTraces: null,
    debugTraces: asked("debug_traceBlockByHash", block.hash) as unknown[],
  };
}

describe.runIf(hasSamples)("a chain of Avalanche over all its forks", () => {
  const fixture = hasSamples ? (readShared(path) as Fixture) : { blocks: [], rpcCalls: [] };
  const balances = new Map(
    fixture.rpcCalls
      .filter(({ method }) => method === "eth_getBalance")
      .map(({ params, result }) => [`${params[0]}/${params[1]}`, BigInt(String(result))]),
  );
  const accounts = [...new Set([...balances.keys()].map((key) => key.split("/")[0] ?? ""))];
  const samples = fixture.blocks.map((block) => sampleOf(fixture, block));

  it.each(samples.slice(1).map((sample) => [Number(sample.number), sample.name, sample] as const))(
    "block %i (%s) is proved, and moves what the balances say",
    async (number, _, sample) => {
      const profile = { ...profileOf(43_114), atomicCoin };
      const source = createChainSource(
        {
          clock: systemClock,
          log: quiet,
          tracingHosts: keepsNothing,
          connect: () => recordedNode(sample),
        },
        {
          chainId,
          urls: ["http://recorded"],
          timeoutMs: 1_000,
          balanceCheck: true,
          reading: "full",

          tracing: "debug",
          profile,
          nativeAliases: profile.nativeAliases,
          // Before Helicon a header's receipts are its own.
          proof: { header: true, transactions: true, receipts: "root" },
          unreadable: nothingUnread,
          witness: usualWitness,
        },
      );
      const { movements } = await source.loadBlock(BigInt(number));
      source.close();
      const at = (account: string, height: number) =>
        balances.get(`${account}/0x${height.toString(16)}`) ?? 0n;
      // Fees go to the account that burns them, which is none of these.
      for (const account of accounts.filter((one) => !one.startsWith("0x0100"))) {
        const moved = movements
          .filter(({ asset }) => asset === nativeAddress)
          .reduce((sum, { kind, from, to, amountAtomic }) => {
            const out = kind !== "income" && from === account ? amountAtomic : 0n;
            return sum - out + (kind !== "fee" && to === account ? amountAtomic : 0n);
          }, 0n);
        expect(moved, account).toBe(at(account, number) - at(account, number - 1));
      }
    },
  );
});
