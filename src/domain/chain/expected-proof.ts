import type { BlockProof, ReceiptsProof } from "./block-proof.ts";
import type { ChainProfile } from "./profile.ts";

/**
 * The proof that the blocks of a chain need. `receipts` null: as the profile says. If the profile
 * is only assumed, its receipts must agree with the bloom, and no more. More is asked only if the
 * operator says that there is a root.
 */
export function expectedProof(profile: ChainProfile, receipts: ReceiptsProof | null): BlockProof {
  const isAssumed = profile.evidence.level === "assumed";
  const usual = isAssumed && profile.receipts !== "none" ? "bloom" : profile.receipts;
  const proof = receipts ?? usual;
  const isRoot = proof === "root" || proof === "root-op";
  const isHashed = profile.header !== "own";
  return {
    // An operator who gives up the proof of a known chain may have met a fork that changed the
    // header.
    header: isHashed && proof !== "none" && (!isAssumed || isRoot),
    transactions: profile.hasTransactionsRoot && (isRoot || proof === "settled"),
    receipts: proof,
  };
}
