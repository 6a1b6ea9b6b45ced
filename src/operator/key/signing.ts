import { z } from "zod";
import type { SealedSigningKey, SigningKey } from "../../domain/evidence/signing-key.ts";
import { timeText } from "../../schema/answers.ts";
import { defineChange, defineReading } from "../define-verb.ts";

export type SigningPorts = { newSigningKey: () => SealedSigningKey };

const shownSigningKey = z.object({
  id: z.string(),
  algorithm: z.literal("ed25519"),
  /** The base64 of its 32 bytes. */
  public_key: z.string(),
  made_at: timeText,
  /** Null: this key signs now. */
  retired_at: timeText.nullable(),
});

function presentSigningKey(key: SigningKey): z.output<typeof shownSigningKey> {
  return {
    id: key.id,
    algorithm: "ed25519",
    public_key: key.publicKey,
    made_at: key.madeAt.toISOString(),
    retired_at: key.retiredAt?.toISOString() ?? null,
  };
}

/**
 * Lists the public keys of the installation, newest first. Give them to those who verify
 * attestations, by another way than the attestations themselves.
 */
export const keySigning = defineReading({
  noun: "key",
  http: null,
  cli: {
    name: "signing",
    help: "Show the public keys that verify attestations, the newest first. The first attestation makes the first key.",
    examples: ["key signing", "key signing --json"],
    takes: {},
  },
  check: (input: object) => input,
  call: ({ ledger }: { ledger: { listSigningKeys: () => Promise<SigningKey[]> } }) =>
    ledger.listSigningKeys(),
  answer: z.array(shownSigningKey),
  present: (keys) => keys.map(presentSigningKey),
});

const rotation = defineChange({
  noun: "key",
  http: null,
  cli: {
    name: "rotate-signing",
    help: "Make a new key for signing attestations. The one before it signs nothing more; its public key stays listed.",
    examples: ["key rotate-signing"],
    takes: {},
  },
  check: (_: object, { newSigningKey }: SigningPorts) => newSigningKey(),
  call: (
    ledger: { addSigningKey: (key: SealedSigningKey) => Promise<SigningKey> },
    key: SealedSigningKey,
  ) => ledger.addSigningKey(key),
  audit: {
    action: "key.rotate_signing",
    describe: ({ id, publicKey }) => ({ subject: id, details: { publicKey } }),
  },
  answer: shownSigningKey,
  present: presentSigningKey,
});

/** Makes a new key that signs from now on. The old public keys stay, to verify what they signed. */
export const keyRotateSigning = { ...rotation, http: null };
