import { type RpcObject, readObject } from "../../rpc/rpc-value.ts";
import { data, isThere, word } from "./fields.ts";

// Tempo's signatures as bytes (tempoxyz/tempo, tt_signature.rs). Every kind except secp256k1 begins
// with a byte that names it.

const p256 = 0x01;
const webAuthn = 0x02;
const keychainV1 = 0x03;
const keychainV2 = 0x04;

/** A key's own signature, or one of a key that acts for an account. */
export function tempoSignature(signature: RpcObject): Uint8Array {
  if (!isThere(signature, "userAddress")) return tempoPrimitiveSignature(signature);
  const kind = signature["version"] === "v2" ? keychainV2 : keychainV1;
  const inner = tempoPrimitiveSignature(readObject(signature["signature"], "inner signature"));
  return Buffer.concat([Uint8Array.of(kind), data(signature, "userAddress"), inner]);
}

/** A signature of a secp256k1, P-256 or WebAuthn key. */
export function tempoPrimitiveSignature(signature: RpcObject): Uint8Array {
  const pair = [word(signature, "r"), word(signature, "s")];
  const key = () => [data(signature, "pubKeyX"), data(signature, "pubKeyY")];
  switch (signature["type"]) {
    case "p256": {
      const isHashed = signature["preHash"] === true ? 1 : 0;
      return Buffer.concat([Uint8Array.of(p256), ...pair, ...key(), Uint8Array.of(isHashed)]);
    }
    case "webAuthn":
      return Buffer.concat([
        ...[Uint8Array.of(webAuthn), data(signature, "webauthnData")],
        ...[...pair, ...key()],
      ]);
    default: {
      const parity = word(signature, isThere(signature, "yParity") ? "yParity" : "v", 1);
      return Buffer.concat([...pair, Uint8Array.of(27 + (parity[0] ?? 0))]);
    }
  }
}
