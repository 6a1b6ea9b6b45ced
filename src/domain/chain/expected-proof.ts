import type { BlockProof, ReceiptsProof } from "./block-proof.ts";
import type { ChainProfile } from "./profile.ts";

/**
 * The proof that the blocks of a chain need. `receipts` null: as in the profile. With an assumed
 * profile, only the receipts must agree with the bloom. It asks for more only if the operator
 * configures a root.
 */
export function expectedProof(profile: ChainProfile, receipts: ReceiptsProof | null): BlockProof {
  const isAssumed = profile.evidence.level === "assumed";
  const usual = isAssumed && profile.receipts !== "none" ? "bloom" : profile.receipts;
  const proof = receipts ?? usual;
  const isRoot = proof === "root" || proof === "root-op";
  const isHashed = profile.header !== "own";
  return {
    // An operator who gives up the proof of a known chain may have met a fork that changed its
    // header.
    header: isHashed && proof !== "none" && (!isAssumed || isRoot),
    transactions: profile.hasTransactionsRoot && (isRoot || proof === "settled"),
    receipts: proof,
  };
}
