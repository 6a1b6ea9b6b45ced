import { nothingUnread, type ReceiptsProof } from "../../domain/chain/block-proof.ts";
import { expectedProof } from "../../domain/chain/expected-proof.ts";
import { type HeaderEncoding, headerEncodings } from "../../domain/chain/header-encoding.ts";
import type { ChainProfile } from "../../domain/chain/profile.ts";
import { profileOf } from "../../domain/chain/profiles/known-profiles.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { PartFinding, RecordedBlockFinding } from "../../domain/setup/recorded-block.ts";
import { assemble } from "../blocks/asking/assemble.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { headerHashes } from "../proof/hashing/header-hash.ts";
import {
  proofAt,
  proveBlock,
  proveContents,
  type Uncovered,
  uncoveredIn,
} from "../proof/prove-block.ts";
import { isUnsigned, showsSender } from "../proof/prove-senders.ts";
import { parseBlock, parseReceipt, type RpcTransaction } from "../rpc/rpc-block.ts";
import { readHash, readQuantity } from "../rpc/rpc-value.ts";
import { judgeState } from "./judge-state.ts";
import { type Attempt, attempt, finding } from "./part-finding.ts";
import type { Recording } from "./recording.ts";

/** A recording, and the tools that judge it. */
type Judged = { cryptography: Cryptography; recording: Recording; profile: ChainProfile };

/**
 * Judges a recorded block part by part, with the daemon's own code for proofs. On a chain without a
 * profile it tries everything.
 */
export function verifyRecording(
  cryptography: Cryptography,
  recording: Recording,
  profile: ChainProfile = profileOf(recording.chainId),
): RecordedBlockFinding[] {
  const judged = { cryptography, recording, profile };
  const header = judgeHeader(judged);
  const plain = decodeRecording(judged, "off");
  const traced = recording.traces === null ? null : decodeRecording(judged, recording.traces.kind);
  return [
    { what: "header", ...header },
    { what: "transactions", ...judgeTransactions(judged, header) },
    { what: "senders", ...judgeSenders(judged, header) },
    { what: "logs", ...judgeLogs(judged, header) },
    { what: "movements", ...judgeMovements(plain) },
    { what: "traces", ...judgeMovements(traced) },
    { what: "fees", ...judgeFees(recording) },
    { what: "state", ...judgeState(judged, header, { traced, plain }) },
  ];
}

/** All movements of a recorded block, as the daemon decodes them. Null: a part was not recorded. */
export function decodeRecording(
  { cryptography, recording, profile }: Judged,
  tracing: "off" | "debug" | "parity",
): Attempt<LoadedBlock> | null {
  const { receipts, traces } = recording;
  if (receipts === null || !hasContents(recording)) return null;
  const proof = expectedProof(profile, null);
  const aliases = new Map(profile.nativeAliases.map((alias) => [alias.address, alias]));
  return attempt(() => {
    const block = parseBlock(recording.block);
    const parts = {
      block,
      host: "recording",
      receipts: receipts.map(parseReceipt),
      tracing,
      traces: tracing === "off" || traces === null ? null : traces.answer,
    };
    const rules = { proof, tracing, aliases, profile, unreadable: nothingUnread };
    return assemble(parts, { cryptography, rules });
  });
}

function judgeHeader({ cryptography, recording, profile }: Judged): PartFinding {
  const { block } = recording;
  if (profile.header === "own")
    return finding("open", "the headers of this chain do not give its hashes");
  const hashes = (encoding: HeaderEncoding) =>
    attempt(() => {
      const answered = { raw: block, hash: readHash(block["hash"], "hash") };
      return headerHashes(cryptography.keccak, encoding, answered);
    });
  const tried = profile.family === "unknown" ? headerEncodings : [profile.header];
  const found = tried.find((encoding) => {
    const outcome = hashes(encoding);
    return outcome.kind === "done" && outcome.value;
  });
  if (found !== undefined) return finding("proved", `its hash, encoded as on ${found}`);
  const outcome = hashes(tried[0] ?? "ethereum");
  return finding("refused", outcome.kind === "refused" ? outcome.reason : "it has another hash");
}

/**
 * Checks the transactions by the header's transactionsRoot, and their senders. Null: they were not
 * recorded.
 */
function tryContents({ cryptography, recording, profile }: Judged): Attempt<Contents> | null {
  if (!hasContents(recording)) return null;
  if (!profile.hasTransactionsRoot && profile.family !== "unknown") return null;
  const rules = { proof: { ...nothing, transactions: true }, profile };
  return attempt(() => {
    const block = parseBlock(recording.block);
    proveContents(cryptography, rules, block);
    const uncovered = uncoveredIn(cryptography.keccak, rules, block);
    const { outside, open } = uncovered;
    const left = new Set([...open, ...(outside === null ? [] : [outside])]);
    return { ...uncovered, shown: block.transactions.filter(({ hash }) => !left.has(hash)) };
  });
}

/** `shown`: the transactions with the hash of their bytes, in the root as far as that is shown. */
type Contents = Uncovered & { shown: readonly RpcTransaction[] };

function judgeTransactions(judged: Judged, header: PartFinding): PartFinding {
  const outcome = tryContents(judged);
  if (outcome === null) return finding("open", whyNoContents(judged));
  if (outcome.kind === "refused") return finding("refused", outcome.reason);
  const { shown, ...uncovered } = outcome.value;
  const isRooted = uncovered.open.length === 0;
  const says = isRooted ? "make up the transactionsRoot" : "have the hash of their bytes";
  return covered(header, `${shown.length} ${says}`, leftOut(uncovered));
}

/** Names the transactions that no root is shown to cover; null: there are none. */
function leftOut({ outside, open }: Uncovered): string | null {
  if (outside !== null) return `no root covers ${outside}`;
  const [first, ...others] = open;
  if (first === undefined) return null;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `the root is not rebuilt without the bytes of ${first}${more}`;
}

const nothingProved = { state: "fits" } as const;

/** Proved if the header is, and covers all. `except`: what it does not cover; null: nothing. */
function covered(
  header: Pick<PartFinding, "state">,
  says: string,
  except: string | null,
): PartFinding {
  if (except !== null) return finding("fits", `${says}; ${except}`);
  return finding(header.state === "proved" ? "proved" : "fits", says);
}

/** Judges the senders by the signatures of proved transactions. */
function judgeSenders(judged: Judged, header: PartFinding): PartFinding {
  const outcome = tryContents(judged);
  if (outcome === null) return finding("open", whyNoContents(judged));
  if (outcome.kind === "refused") return finding("open", "its transactions are not proved");
  const { shown, ...uncovered } = outcome.value;
  const signed = shown.filter((one) => showsSender(judged.cryptography, one)).length;
  const unsigned = shown.filter(isUnsigned).length;
  const named = shown.length - signed - unsigned;
  const says = `${signed} signed, ${named} named by the root`;
  if (unsigned > 0) return finding("fits", `${says}, ${unsigned} neither`);
  return covered(header, says, leftOut(uncovered));
}

function whyNoContents({ recording }: Judged): string {
  return hasContents(recording)
    ? "the header of this chain has no root of them"
    : "its transactions were not recorded";
}

/** Judges the logs by the header's receiptsRoot, else by its logsBloom. */
function judgeLogs(judged: Judged, header: PartFinding): PartFinding {
  const { cryptography, recording, profile } = judged;
  const { receipts } = recording;
  if (receipts === null || !hasContents(recording))
    return finding("open", "its receipts were not recorded");
  if (profile.receipts === "none") return finding("open", "no header of this chain shows them");
  const outcomes = (["root", "bloom"] as const).map((shown: ReceiptsProof) => {
    const proof = { ...nothing, receipts: shown };
    return attempt(() => {
      const block = parseBlock(recording.block);
      const parsed = receipts.map(parseReceipt);
      const rules = { proof, profile };
      proveBlock(cryptography, rules, { block, receipts: parsed });
      const { outside } = uncoveredIn(cryptography.keccak, rules, block);
      const logs = parsed.flatMap((receipt) => receipt.logs);
      const shown = logs.filter(({ transactionHash }) => transactionHash !== outside).length;
      return { shown, except: outside === null ? null : `no root covers those of ${outside}` };
    });
  });
  const [root, bloom] = outcomes;
  if (root?.kind === "done")
    return covered(header, `${root.value.shown} in receipts of the root`, root.value.except);
  if (root?.kind === "refused" && mustBeRooted(judged)) return finding("refused", root.reason);
  if (bloom?.kind === "done")
    return covered(nothingProved, `${bloom.value.shown} make up the bloom`, bloom.value.except);
  return finding("refused", bloom?.reason ?? "they do not make up the bloom");
}

/** True if the receipts must make up the block's root, by what is known of the chain. */
function mustBeRooted({ recording, profile }: Judged): boolean {
  if (profile.family === "unknown") return false;
  const number = readQuantity(recording.block["number"], "number");
  const { receipts } = proofAt({ proof: expectedProof(profile, null), profile }, { number });
  return receipts === "root" || receipts === "root-op";
}

function judgeMovements(outcome: Attempt<LoadedBlock> | null): PartFinding {
  if (outcome === null) return finding("open", "not recorded");
  if (outcome.kind === "refused") return finding("refused", outcome.reason);
  return finding("fits", `${outcome.value.movements.length} decoded`);
}

/**
 * Judges the fees. They follow from the gas in the receipts, whose sum must be the header's gas.
 */
function judgeFees(recording: Recording): PartFinding {
  const { receipts, block } = recording;
  if (receipts === null || !hasContents(recording))
    return finding("open", "its receipts were not recorded");
  const outcome = attempt(() => {
    const gas = receipts.map(parseReceipt).reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
    return gas === readQuantity(block["gasUsed"], "gasUsed");
  });
  if (outcome.kind === "refused") return finding("refused", outcome.reason);
  return outcome.value
    ? finding("fits", "the receipts have the gas of the header")
    : finding("refused", "the receipts have another gas than the header");
}

const nothing = { header: false, transactions: false, receipts: "none" } as const;

/** keccak-256 of the RLP of the empty string: the root of an empty trie. */
const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

/**
 * True if the recording has the block's transactions. It may have only their hashes, or none
 * although the root commits to some. Then nothing of them can be judged.
 */
function hasContents({ block, receipts }: Recording): boolean {
  const transactions = block["transactions"];
  if (!Array.isArray(transactions)) return false;
  if (transactions.length === 0) return block["transactionsRoot"] === emptyRoot;
  const isWhole = receipts === null || receipts.length === transactions.length;
  return isWhole && transactions.every((one) => typeof one === "object");
}
