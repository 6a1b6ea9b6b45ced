import type { Audited } from "../../domain/business/audit.ts";
import { defineCommand } from "../define-command.ts";
import type { ShowProgress } from "../verb-bindings.ts";

/** The numbers of rows that were read, that were encrypted again, and that no key can decrypt. */
type Counts = { read: number; written: number; unreadable: number };

export type ReencryptPorts = {
  reencrypt: {
    /** The id by which operators know the first key. */
    keyId: string;
    count: () => Promise<number>;
    /** Encrypts all rows once, in batches. Safe to repeat, and to interrupt. */
    run: (onProgress: (read: number) => void) => Promise<Counts>;
  };
};

type Ports = ReencryptPorts & { audited: Audited<object>; showProgress: ShowProgress };

/**
 * Encrypts all stored secrets with the first key of CHAINBELL_ENCRYPTION_KEY, while daemons run.
 * Afterwards the other keys may be removed (docs/operations.md#replacing-the-encryption-key). Exits
 * with 3 if no key can decrypt something stored.
 */
export const keyRotateEncryption = defineCommand({
  noun: "key",
  name: "rotate-encryption",
  help: "Encrypt all stored secrets with the first key of CHAINBELL_ENCRYPTION_KEY. Give it to every process first. Status 3 where something cannot be read with any of the keys.",
  examples: ["key rotate-encryption"],
  takes: {},
  run: async ({ reencrypt, audited, showProgress }: Ports, _: object) => {
    const progress = showProgress("secrets", await reencrypt.count());
    try {
      const counts = await reencrypt.run(progress.update);
      const answer = { key: reencrypt.keyId, ...counts };
      await audited("key.rotate_encryption", async () => {
        const entry = { subject: reencrypt.keyId, details: counts };
        return { output: null, entry };
      });
      return answer;
    } finally {
      progress.end();
    }
  },
  hasFindings: ({ unreadable }) => unreadable > 0,
});
