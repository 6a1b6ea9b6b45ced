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

/** The account that Nitro's own transactions are from (OffchainLabs/nitro, ArbosAddress). */
const arbos: Address = "0x00000000000000000000000000000000000a4b05";

/**
 * Holds the sender of a transaction whose bytes are proved against its signature. No root covers
 * the address: a sender changed to a stranger would hide a payment and its fee, one changed to a
 * wallet would invent them. Types that no key signs have the sender among those bytes.
 * @throws Fault `rpc_inconsistent` where another account has sent it
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
 * True if a transaction has no signature. A development node makes up such transactions for an
 * account that it plays, and some chains for their own actions. Nothing shows then that its sender
 * is the one it names.
 */
export function isUnsigned({ type, raw }: Pick<RpcTransaction, "type" | "raw">): boolean {
  return type <= 4 && raw["r"] === "0x0" && raw["s"] === "0x0";
}

/** True if a signature, or what stands in its place, shows who sent a transaction. */
export function showsSender(cryptography: Cryptography, transaction: RpcTransaction): boolean {
  return senderOf(cryptography, transaction) !== "open";
}

/** Types whose sender is found in another way than by `r` and `s` among their fields. */
const unsignedTypes: ReadonlySet<number> = new Set([
  txTypes.arbitrumInternal,
  txTypes.tempo,
  txTypes.accountAbstraction,
]);

/** Below so many signatures, asking another thread costs more than it spares. */
const fewSignatures = 16;

/**
 * Signers that were found ahead. A transaction is read-only, so what was found of it stays true.
 */
const found = new WeakMap<RpcTransaction, Address | null>();

/**
 * Finds the signers of many transactions in a thread beside this one, so that proveSender has them
 * already. A signature takes 0.14 ms. A block of a thousand would hold up everything else that the
 * process does. Only spares time: a signer that is not found here, for whatever reason, is found or
 * refused by proveSender. Safe to repeat.
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
    // The thread has ended, perhaps for want of memory: proveSender does the work itself.
  }
}

/**
 * Null: it has none by which its sender would be found, or none that can be read, which proveSender
 * refuses by name.
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

/** `open`: the bytes do not show it, or have it themselves. Null: no account can have sent it. */
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
      // Where it is left out, what it brings as its authorisation says who it is.
      const { sender = null } = accountAbstractionBody(raw);
      return sender === null ? "open" : readAddress(sender, "sender");
    }
    default: {
      const signer = found.get(transaction);
      return signer === undefined ? signerOf(cryptography, transaction, raw) : signer;
    }
  }
}

/** The fields of the signature are in `signature`. */
function signerOf(
  cryptography: Cryptography,
  transaction: RpcTransaction,
  signature: RpcObject,
): Sender {
  const signed = signedHash(cryptography, transaction, signature);
  return signed === null ? "open" : cryptography.signerOf(signed);
}

/** Null where its type is signed in another way. */
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
 * A legacy transaction has it in `v`: 27 or 28, and since EIP-155 35 or 36 more than twice the
 * chain's id.
 */
function parityOf(signature: RpcObject, type: number): 0 | 1 {
  const isLegacy = type === 0;
  const v = readQuantity(signature[isLegacy ? "v" : yParityKey(signature)], "v");
  const parity = isLegacy ? (v + 1n) % 2n : v;
  return parity === 0n ? 0 : 1;
}

/**
 * A key that acts for an account names it. The account of a P-256 key is that of its two
 * coordinates.
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
