import { hash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../../domain/evidence/canonical-json.ts";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import { count, idText, timeText } from "../../schema/answers.ts";
import { shownChain } from "./present-attestation.ts";

const content = z.object({
  attestation: z.literal(2),
  made_at: timeText,
  business_id: idText.nullable(),
  chains: z.array(shownChain),
});

export const shownAttestation = content.extend({
  totals: z.object({
    chains: count,
    balances: count,
    proved: count,
    unproved: count,
    unknown: count,
    differing: count,
  }),
  /** SHA-256 of everything above as canonical JSON (RFC 8785), hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.object({ key_id: z.string(), algorithm: z.literal("ed25519"), value: z.string() }),
});

/**
 * The whole document: its totals, a digest that covers every part of it, and the installation's
 * signature of that digest.
 */
export async function signAttestation(
  sign: Sign,
  document: z.output<typeof content>,
): Promise<z.output<typeof shownAttestation>> {
  const covered = { ...document, totals: totalsOf(document) };
  const digest = hash("sha256", canonicalJson(covered));
  const { keyId, value } = await sign(signedText(digest));
  return { ...covered, digest, signature: { key_id: keyId, algorithm: "ed25519", value } };
}

/** The key may sign other statements too, so that the text says what this is. */
function signedText(digest: string): string {
  return `chainbell attestation sha256:${digest}`;
}

function totalsOf({ chains }: z.output<typeof content>) {
  const balances = chains.flatMap((chain) => chain.balances);
  const proved = balances.filter(({ proof }) => proof !== null).length;
  return {
    chains: chains.length,
    balances: balances.length,
    proved,
    unproved: balances.length - proved,
    unknown: chains.reduce((sum, { unknown }) => sum + unknown, 0),
    differing: chains.reduce((sum, { differing }) => sum + differing, 0),
  };
}
