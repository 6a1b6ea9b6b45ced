import { Worker } from "node:worker_threads";

/** The bytes of r and s, 32 each. A pair of another length is no signature. */
export const pairBytes = 64;

/** A secp256k1 signature: r and s, and which of the two points with that r is meant. */
type Signature = { pair: Uint8Array; parity: 0 | 1 };

/** The hash that was signed, and its signature. */
export type SignedHash = { hash: Uint8Array; signature: Signature };

/** The two coordinates of a public key, 64 bytes; null: no key can have signed. */
type Point = Uint8Array | null;

type Waiting = { resolve: (keys: Uint8Array) => void; reject: (error: Error) => void };

type RecoveryThread = { recover: (signatures: Uint8Array) => Promise<Uint8Array> };

/**
 * The bytes of a signature in a message: hash, r, s and parity. A key has the byte 4 and its
 * coordinates, or zeros if there is none.
 */
const signatureBytes = 97;
const keyBytes = 65;

/** One thread for the whole process and all chains. It keeps nothing between two messages. */
let thread: RecoveryThread | null = null;

/**
 * Finds the keys behind many signatures, in their order. A worker thread does it, so the process
 * goes on with other work.
 * @throws Error if the thread ends; the next call starts another one
 */
export async function recoverKeys(signed: readonly SignedHash[]): Promise<Point[]> {
  const signatures = new Uint8Array(signed.length * signatureBytes);
  for (const [index, { hash, signature }] of signed.entries()) {
    // It stays zeros, which no key has signed.
    if (signature.pair.length !== pairBytes) continue;
    signatures.set(hash, index * signatureBytes);
    signatures.set(signature.pair, index * signatureBytes + 32);
    signatures[index * signatureBytes + 96] = signature.parity;
  }
  thread ??= startThread();
  const keys = await thread.recover(signatures);
  return signed.map((_, index) => {
    const key = keys.subarray(index * keyBytes, (index + 1) * keyBytes);
    return key[0] === 4 ? key.subarray(1) : null;
  });
}

function startThread(): RecoveryThread {
  const worker = new Worker(new URL("./recovery-thread.js", import.meta.url));
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const end = (error: Error) => {
    thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on("message", ({ id, keys }: { id: number; keys: Uint8Array }) => {
    waiting.get(id)?.resolve(keys);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
  });
  worker.on("error", end);
  worker.on("exit", (status) => end(new Error(`The thread ended with status ${status}.`)));
  // The thread keeps the process alive only while somebody waits for it.
  worker.unref();
  return {
    recover: (signatures) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        worker.ref();
        worker.postMessage({ id: lastId, signatures }, [signatures.buffer as ArrayBuffer]);
      }),
  };
}
