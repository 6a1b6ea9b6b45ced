import { Prisma } from "../generated/client.ts";

/**
 * Selects what is added to the requests of a webhook `w`, as SealedOutbound has it. An expired pair
 * is left out.
 */
export const sealedOutbound = Prisma.sql`w.headers_ciphertext AS "headersCiphertext",
  w.certificate_ciphertext AS "certificateCiphertext", 
  CASE WHEN w.overlap_ends_at > statement_timestamp() THEN w.ed25519_ciphertext
    ELSE coalesce(w.next_ed25519_ciphertext, w.ed25519_ciphertext) END AS "ed25519Ciphertext",
  CASE WHEN w.overlap_ends_at > statement_timestamp() THEN w.next_ed25519_ciphertext END AS "nextEd25519Ciphertext"`;
