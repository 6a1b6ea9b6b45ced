import { createChainSource } from "../../src/chain/chain-source.ts";
import type { Cryptography } from "../../src/chain/proof/hashing/cryptography.ts";
import { headerHashes } from "../../src/chain/proof/hashing/header-hash.ts";
import { proveBlock, proveContents } from "../../src/chain/proof/prove-block.ts";
import { parseBlock, parseReceipt } from "../../src/chain/rpc/rpc-block.ts";
import { readHash } from "../../src/chain/rpc/rpc-value.ts";
import { type BlockProof, nothingUnread } from "../../src/domain/chain/block-proof.ts";
import { usualWitness } from "../../src/domain/chain/confirmation.ts";
import { expectedProof } from "../../src/domain/chain/expected-proof.ts";
import { type HeaderEncoding, headerEncodings } from "../../src/domain/chain/header-encoding.ts";
import { profileOf } from "../../src/domain/chain/profiles/known-profiles.ts";
import { faultIn } from "../../src/domain/fault.ts";
import type { LoadedBlock } from "../../src/domain/money/movement.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import type { Sample } from "../support/chain/sample.ts";
import { keepsNothing } from "../support/chain/tracing-hosts.ts";
import { recordedNode } from "./recorded-node.ts";

/** What came of one sample. `-`: not recorded, or nothing of the kind is promised for its chain. */
export type Row = {
  sample: string;
  chain: string;
  /** The block's hash, rebuilt from its header, and in which encoding. */
  hash: string;
  /** The transactions against the header's transactionsRoot. */
  roots: string;
  /** What of the header its receipts make up: the receiptsRoot, else the logsBloom. */
  receipts: string;
  /**
   * The whole block through the chain source as the daemon uses it, and how many movements it has.
   */
  decode: string;
  traces: string;
  /** Whether the gas of the receipts is the gas of the header: what fees are reckoned from. */
  fee: string;
};

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

const nothing: BlockProof = { header: false, transactions: false, receipts: "none" };

export async function judge(cryptography: Cryptography, sample: Sample): Promise<Row> {
  const { name, chainId } = sample;
  const isFull = isWhole(sample);
  return {
    sample: name,
    chain: chainId === 0 ? "?" : profileOf(chainId).name,
    hash: judgeHash(cryptography, sample),
    roots: hasTransactions(sample) ? judgeRoots(cryptography, sample) : "-",
    receipts: isFull ? judgeReceipts(cryptography, sample) : "-",
    decode: isFull ? await decode(sample, "off") : "-",
    traces: await judgeTraces(sample, isFull),
    fee: isFull ? outcome(() => judgeFee(sample)) : "-",
  };
}

/**
 * A block may be recorded with the hashes of its transactions, or without any although its root
 * commits to some.
 */
function hasTransactions({ block }: Sample): boolean {
  const transactions = block["transactions"];
  if (!Array.isArray(transactions)) return false;
  if (transactions.length === 0) return block["transactionsRoot"] === emptyRoot;
  return transactions.every((one) => typeof one === "object");
}

/** keccak-256 of the RLP of nothing: the root of a trie with nothing in it. */
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

function isWhole(sample: Sample): boolean {
  if (!hasTransactions(sample)) return false;
  const { transactions } = sample.block as { transactions: unknown[] };
  return (sample.receipts?.length ?? 0) === transactions.length;
}

/** Of a chain that is not known every encoding is tried, as the daemon does. */
function judgeHash({ keccak }: Cryptography, { block, chainId }: Sample): string {
  const { header, family } = profileOf(chainId);
  if (header === "own") return "-";
  const answered = { raw: block, hash: readHash(block["hash"], "hash") };
  const inEncoding = (encoding: HeaderEncoding) =>
    outcome(() => (headerHashes(keccak, encoding, answered) ? `ok ${encoding}` : "differs"));
  if (family !== "unknown") return inEncoding(header);
  const tried = headerEncodings.map(inEncoding);
  return tried.find((text) => text.startsWith("ok")) ?? tried[0] ?? "differs";
}

function judgeRoots(cryptography: Cryptography, { block, chainId }: Sample): string {
  const profile = profileOf(chainId);
  if (!profile.hasTransactionsRoot && profile.family !== "unknown") return "-";
  const proof = { ...nothing, transactions: true };
  return outcome(() => {
    proveContents(cryptography, { proof, profile }, parseBlock(block));
    return "ok";
  });
}

function judgeReceipts(cryptography: Cryptography, sample: Sample): string {
  const profile = profileOf(sample.chainId);
  if (profile.receipts === "none") return "-";
  const asked = ["root", "bloom"] as const;
  const found = asked.find((receipts) => {
    const answered = outcome(() => {
      const block = parseBlock(sample.block);
      const parsed = (sample.receipts ?? []).map(parseReceipt);
      const proof = { ...nothing, receipts };
      proveBlock(cryptography, { proof, profile }, { block, receipts: parsed });
      return "ok";
    });
    return answered === "ok";
  });
  return found ?? "differs";
}

function judgeFee(sample: Sample): string {
  const receipts = (sample.receipts ?? []).map(parseReceipt);
  const gas = receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  return gas === BigInt(String(sample.block["gasUsed"])) ? "ok" : "differs";
}

async function judgeTraces(sample: Sample, isFull: boolean): Promise<string> {
  if (!isFull) return "-";
  if (sample.debugTraces !== null) return decode(sample, "debug");
  if (sample.parityTraces !== null) return decode(sample, "parity");
  return "-";
}

/** `ok` with the number of movements, or why the block is refused. */
async function decode(sample: Sample, tracing: "off" | "debug" | "parity"): Promise<string> {
  try {
    const { movements } = await loadSample(sample, tracing);
    return `ok ${movements.length}`;
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * The block through the chain source as the daemon uses it.
 * @throws Fault where it is refused
 */
export async function loadSample(
  sample: Sample,
  tracing: "off" | "debug" | "parity",
): Promise<LoadedBlock> {
  const { chainId, number } = sample;
  const profile = profileOf(chainId);
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
      tracing,
      balanceCheck: true,
      reading: "full",
      unreadable: nothingUnread,
      witness: usualWitness,

      proof: expectedProof(profile, null),
      profile,
      nativeAliases: profile.nativeAliases,
    },
  );
  try {
    return await source.loadBlock(number);
  } finally {
    source.close();
  }
}

function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return reasonOf(error);
  }
}

/** Anything but a Fault is a defect of ours. */
function reasonOf(error: unknown): string {
  const fault = faultIn(error);
  if (fault === undefined) throw error;
  const part = fault.facts["part"];
  return typeof part === "string" ? `refused: ${part}` : `refused: ${fault.message}`;
}
