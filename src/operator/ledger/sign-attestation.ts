import { z } from "zod";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import { count, idText, timeText } from "../../schema/answers.ts";
import { signDocument, signedFields } from "../signed-document.ts";
import { shownChain } from "./present-attestation.ts";

const content = z.object({
  attestation: z.literal(2),
  made_at: timeText,
  business_id: idText.nullable(),
  chains: z.array(shownChain),
});

const totals = z.object({
  chains: count,
  balances: count,
  proved: count,
  unproved: count,
  unknown: count,
  differing: count,
});

export const shownAttestation = content.extend({ totals }).extend(signedFields.shape);

/** The whole document: its totals, and the installation's signature of all of it. */
export function signAttestation(
  sign: Sign,
  document: z.output<typeof content>,
): Promise<z.output<typeof shownAttestation>> {
  return signDocument(sign, "attestation", { ...document, totals: totalsOf(document) });
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
