// @ts-check
// Recovers public keys in a thread of its own (see recover-keys.ts, which starts it and says what is in a message).
// JavaScript, because a thread is started from a file: Node 20 runs no TypeScript, and tests run without a build.
import { parentPort } from "node:worker_threads";
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";

const signatureBytes = 97;
const keyBytes = 65;

const secp256k1 = await instantiateSecp256k1();

parentPort?.on("message", (/** @type {{ id: number, signatures: Uint8Array }} */ asked) => {
  const { id, signatures } = asked;
  const count = signatures.length / signatureBytes;
  const keys = new Uint8Array(count * keyBytes);
  for (let index = 0; index < count; index += 1) {
    const one = signatures.subarray(index * signatureBytes, (index + 1) * signatureBytes);
    const parity = one[96] === 0 ? 0 : 1;
    const key = secp256k1.recoverPublicKeyUncompressed(
      one.subarray(32, 96),
      parity,
      one.subarray(0, 32),
    );
    if (typeof key !== "string") keys.set(key, index * keyBytes);
  }
  parentPort?.postMessage({ id, keys }, [keys.buffer]);
});
