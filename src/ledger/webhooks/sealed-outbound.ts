import { Prisma } from "../generated/client.ts";

/**
 * Selects of a webhook `w` what is added to its requests, as SealedOutbound has it. A pair that is
 * over signs no more.
 */
export const sealedOutbound = Prisma.sql`w.headers_ciphertext AS "headersCiphertext",
  w.certificate_ciphertext AS "certificateCiphertext", 
  CASE WHEN w.overlap_ends_at > statement_timestamp() THEN w.ed25519_ciphertext
    ELSE coalesce(w.next_ed25519_ciphertext, w.ed25519_ciphertext) END AS "ed25519Ciphertext",
  CASE WHEN w.overlap_ends_at > statement_timestamp() THEN w.next_ed25519_ciphertext END AS "nextEd25519Ciphertext"`;
