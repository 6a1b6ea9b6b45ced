import type { Hash } from "../../domain/chain/block.ts";
import type { BlockProof } from "../../domain/chain/block-proof.ts";
import type { ChainProfile } from "../../domain/chain/profile.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { readHash } from "../rpc/rpc-value.ts";
import { absent, data, isThere, toBytes } from "./encoding/fields.ts";
import { unknownFields } from "./encoding/header-fields.ts";
import { encodeReceipt } from "./encoding/receipt.ts";
import { encodeRlp } from "./encoding/rlp.ts";
import { encodeLoose, encodeTransaction } from "./encoding/transaction.ts";
import type { Cryptography } from "./hashing/cryptography.ts";
import { headerHashes } from "./hashing/header-hash.ts";
import type { Keccak } from "./hashing/keccak.ts";
import { bloomHolds, bloomOf } from "./hashing/logs-bloom.ts";
import { indexedTrieRoot } from "./hashing/trie-root.ts";
import { proveCreated, proveGas, proveTypes } from "./prove-derived.ts";
import { findSigners, isUnsigned, proveSender } from "./prove-senders.ts";
import { proveWithdrawals } from "./prove-withdrawals.ts";
import { refusedBlock, unreadableBlock } from "./refuse-block.ts";
import { stateSyncHash } from "./state-sync.ts";

/** The proofs that a chain's blocks must have, and their encoding. */
export type ProofRules = {
  proof: BlockProof;
  profile: Pick<
    ChainProfile,
    "header" | "looseTypes" | "outsideRoots" | "rootsSince" | "withdrawals"
  >;
};

type Answered = { block: RpcBlock; receipts: readonly RpcReceipt[] };

/**
 * Proves a block by its own hash, as far as the rules ask. The hash must be the header's, and the
 * header's roots and bloom must fit the transactions and receipts. With a proved header and the
 * proof `root`, no log can have been invented, changed or left out.
 * @throws Fault `rpc_inconsistent`, which names the part, and the false log if it can be
 *   identified. `block_unreadable` if this version does not know a field or a type of the block
 */
export function proveBlock(
  cryptography: Cryptography,
  rules: ProofRules,
  answered: Answered,
): void {
  const { block } = answered;
  const { keccak } = cryptography;
  proveContents(cryptography, rules, block);
  const { transactions, receipts: proof } = proofAt(rules, block);
  if (transactions) proveCreated(keccak, answered);
  switch (proof) {
    case "root":
    case "root-op":
      proveReceipts(keccak, rooted(keccak, rules, answered), proof);
      proveGas(rooted(keccak, rules, answered));
      return;
    case "bloom":
      proveBloom(keccak, rooted(keccak, rules, answered));
      return;
    case "settled":
    case "none":
      return;
  }
}

/**
 * Proves what needs no receipts. The header must have the block's hash. Its roots must fit the
 * transactions and withdrawals. Each transaction must be from the sender that it names.
 * @throws Fault `rpc_inconsistent`, which names the part; `block_unreadable`
 */
export function proveContents(
  cryptography: Cryptography,
  rules: ProofRules,
  block: RpcBlock,
): void {
  const { keccak } = cryptography;
  if (rules.proof.header) proveHeader(keccak, rules, block);
  if (rules.proof.header && rules.profile.withdrawals !== "none") proveWithdrawals(keccak, block);
  proveTypes(block);
  if (proofAt(rules, block).transactions) proveTransactions(cryptography, rules, block);
}

/** The proofs that a block of that height must have. */
export function proofAt(
  { proof, profile }: ProofRules,
  { number }: { number: bigint },
): BlockProof {
  const isRoot = proof.receipts === "root" || proof.receipts === "root-op";
  if (number >= profile.rootsSince || !isRoot) return proof;
  return { ...proof, transactions: false, receipts: "bloom" };
}

/**
 * Transactions that no root is shown to cover, by hash. `outside`: the chain shows it beside its
 * roots; null: there is none. `open`: their bytes are not known. Then the root cannot be rebuilt,
 * so it shows none of the block's transactions.
 */
export type Uncovered = { outside: Hash | null; open: readonly Hash[] };

/** Finds the transactions of a block that no root is shown to cover. */
export function uncoveredIn(keccak: Keccak, rules: ProofRules, block: RpcBlock): Uncovered {
  const open = proofAt(rules, block).transactions
    ? block.transactions.filter((one) => isOpen(keccak, rules, one))
    : [];
  return { outside: outsideOf(keccak, rules, block), open: open.map(({ hash }) => hash) };
}

/**
 * True if a transaction of the block is in no root. Then only the endpoint says what the block
 * moves.
 */
export function hasUncovered(keccak: Keccak, rules: ProofRules, block: RpcBlock): boolean {
  const { outside, open } = uncoveredIn(keccak, rules, block);
  return outside !== null || open.length > 0;
}

/**
 * Finds the senders that proveContents will need, in a worker thread. It only saves time (see
 * findSigners).
 */
export async function findSenders(
  cryptography: Cryptography,
  rules: ProofRules,
  blocks: readonly RpcBlock[],
): Promise<void> {
  const asked = blocks.filter((block) => proofAt(rules, block).transactions);
  await findSigners(
    cryptography,
    asked.flatMap(({ transactions }) => transactions),
  );
}

function proveHeader(keccak: Keccak, { profile }: ProofRules, block: RpcBlock): void {
  if (headerHashes(keccak, profile.header, block)) {
    if (profile.header === "avalanche") proveExtraData(keccak, block);
    return;
  }
  const unknown = unknownFields(profile.header, block.raw);
  if (unknown.length === 0) throw refusedBlock(block, "its header does not have that hash");
  const part = `its header does not have that hash, and has fields that this version does not know: ${unknown.join(", ")}`;
  throw unreadableBlock(block, "header", { part, unknown });
}

/**
 * Avalanche: the header covers the coin that moved to and from its other chains, and shows if none
 * did. The first headers have zeros instead.
 */
function proveExtraData(keccak: Keccak, { raw, ...block }: RpcBlock): void {
  const bytes = isThere(raw, "blockExtraData") ? data(raw, "blockExtraData") : absent;
  const hash = readHash(raw["extDataHash"], "extDataHash");
  const isUnsaid = bytes.length === 0 && BigInt(hash) === 0n;
  if (isUnsaid || toHex(keccak(encodeRlp(bytes))) === hash) return;
  throw refusedBlock(block, "its atomic transactions do not have the header's extDataHash");
}

function proveTransactions(cryptography: Cryptography, rules: ProofRules, block: RpcBlock): void {
  const { keccak } = cryptography;
  const { transactions } = rooted(keccak, rules, { block, receipts: [] }).block;
  const proved: RpcTransaction[] = [];
  const encoded: Uint8Array[] = [];
  for (const [index, transaction] of transactions.entries()) {
    const isLoose = isLooseType(rules, transaction);
    const bytes = isLoose ? encodeLoose(transaction) : encodeTransaction(transaction);
    if (bytes !== null && hasHash(keccak, transaction, bytes)) {
      encoded.push(bytes);
      proved.push(transaction);
    } else if (!isLoose) throw wrongTransaction(block, index, bytes !== null);
  }
  if (proved.length < transactions.length) proveSigned(block, proved);
  else proveRoot(keccak, block, encoded);
  for (const transaction of proved) proveSender(cryptography, block, transaction);
}

/** True if endpoints may answer transactions of this type incompletely. */
function isLooseType({ profile }: ProofRules, { type }: RpcTransaction): boolean {
  return profile.looseTypes.includes(type);
}

/**
 * True if the transaction's type may be answered incompletely, and its bytes do not have its hash.
 */
function isOpen(keccak: Keccak, rules: ProofRules, transaction: RpcTransaction): boolean {
  if (!isLooseType(rules, transaction)) return false;
  const bytes = encodeLoose(transaction);
  return bytes === null || !hasHash(keccak, transaction, bytes);
}

function proveRoot(keccak: Keccak, block: RpcBlock, encoded: readonly Uint8Array[]): void {
  const root = readHash(block.raw["transactionsRoot"], "transactionsRoot");
  if (toHex(indexedTrieRoot(keccak, encoded)) === root) return;
  throw refusedBlock(block, "its transactions do not make up its transactionsRoot");
}

/**
 * Refuses unsigned transactions if no root covers them: then only signatures prove transactions.
 */
function proveSigned(block: RpcBlock, proved: readonly RpcTransaction[]): void {
  const unsigned = proved.find(isUnsigned);
  if (unsigned !== undefined)
    throw refusedBlock(block, `transaction ${unsigned.hash} is in no root and has no signature`);
}

function wrongTransaction(block: RpcBlock, index: number, isKnown: boolean) {
  const { type, hash } = block.transactions[index] ?? { type: 0, hash: "" };
  if (isKnown) return refusedBlock(block, `transaction ${index} does not have the hash ${hash}`);
  const named = `0x${type.toString(16)}`;
  const part = `transaction ${index} is of the type ${named}, which this version does not know`;
  return unreadableBlock(block, "contents", { part, unknown: [named] });
}

/**
 * True if a transaction has the hash of its bytes. A development node makes unsigned ones for an
 * account. They have a hash of their own and are not tested.
 */
function hasHash(keccak: Keccak, transaction: RpcTransaction, bytes: Uint8Array): boolean {
  return isUnsigned(transaction) || toHex(keccak(bytes)) === transaction.hash;
}

/** The last transaction's hash, if the block's roots and bloom do not cover it; else null. */
function outsideOf(keccak: Keccak, { profile }: ProofRules, block: RpcBlock): Hash | null {
  if (profile.outsideRoots === null) return null;
  const hash = stateSyncHash(keccak, block);
  return block.transactions.at(-1)?.hash === hash ? hash : null;
}

/** The block without transactions that its roots and bloom do not cover. */
function rooted(keccak: Keccak, rules: ProofRules, answered: Answered): Answered {
  const { block, receipts } = answered;
  const outside = outsideOf(keccak, rules, block);
  if (outside === null) return answered;
  return {
    block: { ...block, transactions: block.transactions.slice(0, -1) },
    receipts: receipts.filter(({ transactionHash }) => transactionHash !== outside),
  };
}

function proveReceipts(keccak: Keccak, answered: Answered, proof: "root" | "root-op"): void {
  const { block, receipts } = answered;
  const root = readHash(block.raw["receiptsRoot"], "receiptsRoot");
  if (toHex(indexedTrieRoot(keccak, receipts.map(encodeReceipt))) === root) return;
  const forged = strangerLog(keccak, answered);
  const reason =
    forged === null
      ? `its receipts do not make up its receiptsRoot (receipts: ${proof})`
      : `${forged} is no part of it: the header's bloom does not hold it, and the receipts do not make up the receiptsRoot`;
  throw refusedBlock(block, reason);
}

function proveBloom(keccak: Keccak, answered: Answered): void {
  const { block, receipts } = answered;
  const forged = strangerLog(keccak, answered);
  if (forged !== null)
    throw refusedBlock(block, `${forged} is no part of it: the header's bloom does not hold it`);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  if (toHex(bloomOf(keccak, logs)) !== block.logsBloom.toLowerCase()) {
    throw refusedBlock(block, "its bloom promises logs that are not there");
  }
}

/** Describes the first log that the header's bloom excludes; null: there is none. */
function strangerLog(keccak: Keccak, { block, receipts }: Answered): string | null {
  const bloom = toBytes(block.logsBloom);
  for (const { logs } of receipts) {
    const stranger = logs.find((log) => !bloomHolds(bloom, bloomOf(keccak, [log])));
    if (stranger === undefined) continue;
    const { logIndex, address, transactionHash } = stranger;
    return `log ${logIndex} of contract ${address} in transaction ${transactionHash}`;
  }
  return null;
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
