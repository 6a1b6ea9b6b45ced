import { keyCheckOf, resealSecret } from "../../domain/webhook/secret.ts";
import { forgetKeys, useKey } from "../../ledger/installation/key-check.ts";
import {
  countEncrypted,
  type Reencrypted,
  reencryptAnswers,
  reencryptAuditKey,
  reencryptSigningKeys,
  reencryptWebhooks,
} from "../../ledger/installation/reencrypt.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { CompleteConfig } from "./environment.ts";

/** Rows in one transaction. Few enough that other work waits for some ten milliseconds at most. */
const batch = 100;

/**
 * Encrypts all stored secrets with the first key, in batches. Then removes the record of the keys
 * that were in use at its beginning. A key that a daemon began to use since stays recorded.
 */
export function createReencrypt({
  db,
  config,
}: {
  db: Database;
  config: Pick<CompleteConfig, "encryptionKeys">;
}) {
  const keyring = config.encryptionKeys;
  const reseal = (stored: string, boundTo: string) => resealSecret(keyring, stored, boundTo);
  return {
    keyId: keyring[0].id,
    count: () => countEncrypted(db),
    async run(onProgress: (read: number) => void) {
      const others = await useKey(db, keyCheckOf(keyring[0]));
      const total = { read: 0, written: 0, unreadable: 0 };
      for (const step of [
        reencryptWebhooks,
        reencryptAnswers,
        reencryptAuditKey,
        reencryptSigningKeys,
      ]) {
        let done: Reencrypted | null = null;
        do {
          done = await step(db, { after: done?.last ?? null, limit: batch, reseal });
          total.read += done.read;
          total.written += done.written;
          total.unreadable += done.unreadable;
          onProgress(total.read);
        } while (done.last !== null);
      }
      if (total.unreadable === 0) await forgetKeys(db, others);
      return total;
    },
  };
}
