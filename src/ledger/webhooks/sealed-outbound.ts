import { Prisma } from "../generated/client.ts";

/** Selects of a webhook `w` what is added to its requests, as SealedOutbound has it. */
export const sealedOutbound = Prisma.sql`w.headers_ciphertext AS "headersCiphertext",
  w.certificate_ciphertext AS "certificateCiphertext", w.ed25519_ciphertext AS "ed25519Ciphertext"`;
