import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import type { Address } from "../../../domain/chain/address.ts";
import { type Keccak, loadKeccak256 } from "./keccak.ts";
import { pairBytes, recoverKeys, type SignedHash } from "./recover-keys.ts";

/** The hash and the signatures by which a block is proved. */
export type Cryptography = {
  keccak: Keccak;
  /** The account whose key signed the hash; null: no key can have signed it. */
  signerOf: (signed: SignedHash) => Address | null;
  /**
   * The same for many signatures, in a worker thread.
   * @throws Error if the thread ends; the next call starts another one
   */
  signersOf: (signed: readonly SignedHash[]) => Promise<(Address | null)[]>;
};

/** One for the whole process and all chains. It keeps nothing between two calls. */
let loading: Promise<Cryptography> | null = null;

/**
 * Answers both, in WebAssembly. Finding a signer takes 0.14 ms, and in JavaScript nine times as
 * long.
 */
export function loadCryptography(): Promise<Cryptography> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Cryptography> {
  const [keccak, secp256k1] = await Promise.all([loadKeccak256(), instantiateSecp256k1()]);
  return {
    keccak,
    signerOf({ hash, signature: { pair, parity } }) {
      if (pair.length !== pairBytes) return null;
      const key = secp256k1.recoverPublicKeyUncompressed(pair, parity, hash);
      return typeof key === "string" ? null : addressOfKey(keccak, key.subarray(1));
    },
    async signersOf(signed) {
      const points = await recoverKeys(signed);
      return points.map((point) => (point === null ? null : addressOfKey(keccak, point)));
    },
  };
}

/**
 * The account of a public key, which is given as its two coordinates (yellow paper, appendix F).
 */
export function addressOfKey(keccak: Keccak, point: Uint8Array): Address {
  return `0x${Buffer.from(keccak(point).subarray(12)).toString("hex")}`;
}
