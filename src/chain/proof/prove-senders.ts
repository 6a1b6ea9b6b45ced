import type { Address } from "../../domain/chain/address.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import { faultIn } from "../../domain/fault.ts";
import { accountAbstractionBody, type RpcBlock, type RpcTransaction } from "../rpc/rpc-block.ts";
import { type RpcObject, readAddress, readObject, readQuantity } from "../rpc/rpc-value.ts";
import { yParityKey } from "./encoding/call-fields.ts";
import { data, isThere, word } from "./encoding/fields.ts";
import { encodeSigned } from "./encoding/transaction.ts";
import { addressOfKey, type Cryptography } from "./hashing/cryptography.ts";
import type { SignedHash } from "./hashing/recover-keys.ts";
import { refusedBlock } from "./refuse-block.ts";

/** The account from which Nitro's own transactions come (OffchainLabs/nitro, ArbosAddress). */
const arbos: Address = "0x00000000000000000000000000000000000a4b05";

/**
 * Checks a transaction's sender by its signature. The bytes must be proved. No root covers the
 * address itself. A false sender would hide a payment and its fee, or invent them for a wallet.
 * Types without a key's signature have the sender among their bytes.
 * @throws Fault `rpc_inconsistent` if another account sent it
 */
export function proveSender(
  cryptography: Cryptography,
  block: RpcBlock,
  transaction: RpcTransaction,
): void {
  const sender = senderOf(cryptography, transaction);
  if (sender === transaction.from || sender === "open") return;
  throw refusedBlock(
    block,
    `transaction ${transaction.hash} was not sent by ${transaction.from}, which it names`,
  );
}

/**
 * True if a transaction has no signature, so that nothing proves its sender. A development node
 * makes such transactions for an account, and some chains for their own actions.
 */
export function isUnsigned({ type, raw }: Pick<RpcTransaction, "type" | "raw">): boolean {
  return type <= 4 && raw["r"] === "0x0" && raw["s"] === "0x0";
}

/** True if a signature, or what replaces it, proves who sent a transaction. */
export function showsSender(cryptography: Cryptography, transaction: RpcTransaction): boolean {
  return senderOf(cryptography, transaction) !== "open";
}

/** Types whose sender does not follow from the fields `r` and `s`. */
const unsignedTypes: ReadonlySet<number> = new Set([
  txTypes.arbitrumInternal,
  txTypes.tempo,
  txTypes.accountAbstraction,
]);

/** For fewer signatures, another thread costs more time than it saves. */
const fewSignatures = 16;

/** Signers that findSigners found. Transactions are read-only, so they stay valid. */
const found = new WeakMap<RpcTransaction, Address | null>();

/**
 * Finds the signers of many transactions in a worker thread, for proveSender. A signature takes
 * 0.14 ms, so a block of a thousand would delay all other work of the process. It only saves time:
 * proveSender finds or refuses whatever signer is missing. Safe to repeat.
 */
export async function findSigners(
  cryptography: Cryptography,
  transactions: readonly RpcTransaction[],
): Promise<void> {
  if (transactions.length < fewSignatures) return;
  const readable = transactions.flatMap((transaction) => {
    const signed = readSigned(cryptography, transaction);
    return signed === null || found.has(transaction) ? [] : [{ transaction, signed }];
  });
  try {
    const signers = await cryptography.signersOf(readable.map(({ signed }) => signed));
    for (const [index, { transaction }] of readable.entries())
      found.set(transaction, signers[index] ?? null);
  } catch {
    // The thread has ended, perhaps for lack of memory. proveSender does the work itself.
  }
}

/**
 * The signed hash of a transaction. Null: its sender does not follow from a signature, or the
 * signature is malformed, which proveSender refuses with a name.
 */
function readSigned(cryptography: Cryptography, transaction: RpcTransaction): SignedHash | null {
  if (isUnsigned(transaction) || unsignedTypes.has(transaction.type)) return null;
  try {
    return signedHash(cryptography, transaction, transaction.raw);
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}

/**
 * `open`: no signature shows the sender, or the bytes themselves contain it. Null: no account can
 * have sent it.
 */
type Sender = Address | "open" | null;

function senderOf(cryptography: Cryptography, transaction: RpcTransaction): Sender {
  const { type, raw } = transaction;
  if (isUnsigned(transaction)) return "open";
  switch (type) {
    case txTypes.arbitrumInternal:
      return arbos;
    case txTypes.tempo:
      return tempoSender(cryptography, transaction);
    case txTypes.accountAbstraction: {
      // If the sender is left out, the authorisation in the transaction determines it.
      const { sender = null } = accountAbstractionBody(raw);
      return sender === null ? "open" : readAddress(sender, "sender");
    }
    default: {
      const signer = found.get(transaction);
      return signer === undefined ? signerOf(cryptography, transaction, raw) : signer;
    }
  }
}

/** `signature` has the fields of the signature. */
function signerOf(
  cryptography: Cryptography,
  transaction: RpcTransaction,
  signature: RpcObject,
): Sender {
  const signed = signedHash(cryptography, transaction, signature);
  return signed === null ? "open" : cryptography.signerOf(signed);
}

/** Null: the type is signed in another way. */
function signedHash(
  cryptography: Cryptography,
  transaction: RpcTransaction,
  signature: RpcObject,
): SignedHash | null {
  const signed = encodeSigned(transaction);
  if (signed === null) return null;
  const pair = Buffer.concat([word(signature, "r"), word(signature, "s")]);
  const parity = parityOf(signature, transaction.type);
  return { hash: cryptography.keccak(signed), signature: { pair, parity } };
}

/**
 * The parity of a signature. A legacy transaction has it in `v`: 27 or 28, and since EIP-155 twice
 * the chain id plus 35 or 36.
 */
function parityOf(signature: RpcObject, type: number): 0 | 1 {
  const isLegacy = type === 0;
  const v = readQuantity(signature[isLegacy ? "v" : yParityKey(signature)], "v");
  const parity = isLegacy ? (v + 1n) % 2n : v;
  return parity === 0n ? 0 : 1;
}

/**
 * A key that acts for an account names that account. The account of a P-256 key follows from its
 * two coordinates.
 */
function tempoSender(cryptography: Cryptography, transaction: RpcTransaction): Sender {
  const signature = readObject(transaction.raw["signature"], "signature");
  if (isThere(signature, "userAddress"))
    return readAddress(signature["userAddress"], "userAddress");
  if (signature["type"] === "p256" || signature["type"] === "webAuthn") {
    const point = Buffer.concat([data(signature, "pubKeyX"), data(signature, "pubKeyY")]);
    return addressOfKey(cryptography.keccak, point);
  }
  return signerOf(cryptography, transaction, signature);
}
