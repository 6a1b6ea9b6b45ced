import { Worker } from "node:worker_threads";

/** r and s, in 32 bytes each. A pair of another length is no signature. */
export const pairBytes = 64;

/** A signature of secp256k1: r and s, and which of the two points with that r it means. */
type Signature = { pair: Uint8Array; parity: 0 | 1 };

/** The hash that was signed, and its signature. */
export type SignedHash = { hash: Uint8Array; signature: Signature };

/** The two coordinates of a public key, 64 bytes; null where no key can have signed. */
type Point = Uint8Array | null;

type Waiting = { resolve: (keys: Uint8Array) => void; reject: (error: Error) => void };

type RecoveryThread = { recover: (signatures: Uint8Array) => Promise<Uint8Array> };

/**
 * In a message a signature is its hash, r, s and parity. A key is 4 and its coordinates. Zeros
 * stand for no key.
 */
const signatureBytes = 97;
const keyBytes = 65;

/**
 * One for the whole process, whatever the number of chains: it keeps nothing between two messages.
 */
let thread: RecoveryThread | null = null;

/**
 * The keys behind many signatures, in their order, found in a thread beside this one, which goes on
 * with other work meanwhile. @throws Error where the thread ends; the next call starts another one
 */
export async function recoverKeys(signed: readonly SignedHash[]): Promise<Point[]> {
  const signatures = new Uint8Array(signed.length * signatureBytes);
  for (const [index, { hash, signature }] of signed.entries()) {
    // Left as zeros, which no key has signed.
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
  // It keeps the process alive only while somebody waits for it.
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
