import {
  newSigningKey,
  type SealedSigningKey,
  type Sign,
  signatureOf,
  signingKeyBoundTo,
} from "../../domain/evidence/signing-key.ts";
import { decryptSecret, encryptSecret } from "../../domain/webhook/secret.ts";
import { openSigningKey } from "../../ledger/installation/signing-keys.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { CompleteConfig } from "./environment.ts";

/** Signs with the installation's key. The first use makes the key. */
export function createSigning({
  db,
  config,
}: {
  db: Database;
  config: Pick<CompleteConfig, "encryptionKeys">;
}): { newSigningKey: () => SealedSigningKey; sign: Sign } {
  const keyring = config.encryptionKeys;
  const make = () => newSigningKey((plain) => encryptSecret(keyring, plain, signingKeyBoundTo));
  return {
    newSigningKey: make,
    async sign(text) {
      const { ciphertext } = await openSigningKey(db, make);
      return signatureOf(decryptSecret(keyring, ciphertext, signingKeyBoundTo), text);
    },
  };
}
