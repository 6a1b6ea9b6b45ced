import { createPrivateKey, X509Certificate } from "node:crypto";
import { fieldProblems } from "../field-problem.ts";

/**
 * The facts that a business sees about a client certificate: the SHA-256 of its DER in hex, and its
 * expiry.
 */
export type ShownCertificate = { fingerprint: string; expiresAt: Date };

export type CheckedCertificate =
  | { kind: "usable"; pem: string; shown: ShownCertificate }
  | { kind: "refused"; reason: string };

/**
 * Checks a certificate, with or without its chain, and its private key, both PEM.
 * @param nowMs the time now, in ms since the epoch. An expired certificate is refused
 */
export function checkCertificate(
  { certificate, privateKey }: { certificate: string; privateKey: string },
  nowMs: number,
): CheckedCertificate {
  const refused = (reason: string) => ({ kind: "refused", reason }) as const;
  try {
    const read = new X509Certificate(certificate);
    if (!read.checkPrivateKey(createPrivateKey(privateKey)))
      return refused(fieldProblems.certificate_key.rule);
    const expiresAt = new Date(read.validTo);
    if (expiresAt.getTime() <= nowMs) return refused(fieldProblems.certificate_expired.rule);
    const fingerprint = read.fingerprint256.replaceAll(":", "").toLowerCase();
    const pem = `${certificate.trim()}\n${privateKey.trim()}\n`;
    return { kind: "usable", pem, shown: { fingerprint, expiresAt } };
  } catch {
    return refused(fieldProblems.certificate.rule);
  }
}
