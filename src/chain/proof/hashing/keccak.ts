import { createKeccak } from "hash-wasm";

/** keccak-256, 32 bytes. */
export type Keccak = (bytes: Uint8Array) => Uint8Array;

/** One for the whole process. It keeps nothing between two calls. */
let loading: Promise<Keccak> | null = null;

/**
 * Answers keccak-256 in WebAssembly. It is seven times as fast as in JavaScript, and hashing is
 * most of the work of proving a block.
 */
export function loadKeccak256(): Promise<Keccak> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Keccak> {
  const hasher = await createKeccak(256);
  return (bytes) => hasher.init().update(bytes).digest("binary");
}
