import type { BlockProof } from "../../domain/chain/block-proof.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { readHash } from "../rpc/rpc-value.ts";
import {
  depositType,
  encodeHeader,
  encodeReceipt,
  encodeTransaction,
  toBytes,
} from "./encode-block.ts";
import type { Keccak } from "./keccak.ts";
import { bloomHolds, bloomOf } from "./logs-bloom.ts";
import { refusedBlock } from "./refuse-block.ts";
import { indexedTrieRoot } from "./trie-root.ts";

/**
 * Holds a block against its own hash, as far as `proof` asks: the hash against the header, the header's roots and bloom
 * against transactions and receipts. After `root` and a proved header no log can have been invented, changed or left out.
 * @throws Fault `rpc_inconsistent`, naming the part, and the forged log where it can be told from the others
 */
export function proveBlock(
  keccak: Keccak,
  proof: BlockProof,
  answered: { block: RpcBlock; receipts: readonly RpcReceipt[] },
): void {
  const { block, receipts } = answered;
  proveContents(keccak, proof, block);
  switch (proof.receipts) {
    case "root":
    case "root-op":
      proveReceipts(keccak, { block, receipts, proof: proof.receipts });
      return;
    case "bloom":
      proveBloom(keccak, block, receipts);
      return;
    case "none":
      return;
  }
}

/**
 * The part of it that needs no receipts: the header has the block's hash, the transactions make up the header's root.
 * @throws Fault `rpc_inconsistent`, naming the part
 */
export function proveContents(keccak: Keccak, proof: BlockProof, block: RpcBlock): void {
  if (proof.header && toHex(keccak(encodeHeader(block))) !== block.hash) {
    throw refusedBlock(block, "its header does not have that hash");
  }
  if (proof.transactions) proveTransactions(keccak, block);
}

function proveTransactions(keccak: Keccak, block: RpcBlock): void {
  const encoded = block.transactions.map((transaction, index) => {
    const bytes = encodeTransaction(transaction);
    if (bytes === null) {
      const type = `0x${transaction.type.toString(16)}`;
      throw refusedBlock(block, `transaction ${index} is of the unknown type ${type}`);
    }
    // An unsigned transaction, which a development node makes up for an account it plays, has a hash of its own.
    if (isSigned(transaction) && toHex(keccak(bytes)) !== transaction.hash) {
      throw refusedBlock(block, `transaction ${index} does not have the hash ${transaction.hash}`);
    }
    return bytes;
  });
  const root = readHash(block.raw["transactionsRoot"], "transactionsRoot");
  if (toHex(indexedTrieRoot(keccak, encoded)) !== root) {
    throw refusedBlock(block, "its transactions do not make up its transactionsRoot");
  }
}

function isSigned({ type, raw }: RpcTransaction): boolean {
  return type === depositType || !(raw["r"] === "0x0" && raw["s"] === "0x0");
}

function proveReceipts(
  keccak: Keccak,
  answered: { block: RpcBlock; receipts: readonly RpcReceipt[]; proof: "root" | "root-op" },
): void {
  const { block, receipts, proof } = answered;
  const root = readHash(block.raw["receiptsRoot"], "receiptsRoot");
  if (toHex(indexedTrieRoot(keccak, receipts.map(encodeReceipt))) === root) return;
  const forged = strangerLog(keccak, block, receipts);
  const reason =
    forged === null
      ? `its receipts do not make up its receiptsRoot (receipts: ${proof})`
      : `${forged} is no part of it: the header's bloom does not hold it, and the receipts do not make up the receiptsRoot`;
  throw refusedBlock(block, reason);
}

function proveBloom(keccak: Keccak, block: RpcBlock, receipts: readonly RpcReceipt[]): void {
  const forged = strangerLog(keccak, block, receipts);
  if (forged !== null)
    throw refusedBlock(block, `${forged} is no part of it: the header's bloom does not hold it`);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  if (toHex(bloomOf(keccak, logs)) !== block.logsBloom.toLowerCase()) {
    throw refusedBlock(block, "its bloom promises logs that are not there");
  }
}

/** The first log that the header's bloom rules out, in words. */
function strangerLog(
  keccak: Keccak,
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
): string | null {
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
