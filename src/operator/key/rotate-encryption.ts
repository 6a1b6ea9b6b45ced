import type { Audited } from "../../domain/business/audit.ts";
import { defineCommand } from "../define-command.ts";
import type { ShowProgress } from "../verb-bindings.ts";

/** Rows that were looked at, encrypted anew, and that no key reads. */
type Counts = { read: number; written: number; unreadable: number };

export type ReencryptPorts = {
  reencrypt: {
    /** The operators' name of the first key. */
    keyId: string;
    count: () => Promise<number>;
    /** Everything once, in batches; safe to repeat, and to interrupt. */
    run: (onProgress: (read: number) => void) => Promise<Counts>;
  };
};

type Ports = ReencryptPorts & { audited: Audited<object>; showProgress: ShowProgress };

/**
 * Encrypts everything that is stored with the first key of CHAINBELL_ENCRYPTION_KEY, beside running
 * daemons; afterwards the others may be taken out
 * (docs/operations.md#replacing-the-encryption-key). Status 3 where something is stored that no key
 * reads.
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
