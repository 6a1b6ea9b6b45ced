import { createPrivateKey, X509Certificate } from "node:crypto";

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
      return refused("the private key is not that of the certificate");
    const expiresAt = new Date(read.validTo);
    if (expiresAt.getTime() <= nowMs) return refused("the certificate has expired");
    const fingerprint = read.fingerprint256.replaceAll(":", "").toLowerCase();
    const pem = `${certificate.trim()}\n${privateKey.trim()}\n`;
    return { kind: "usable", pem, shown: { fingerprint, expiresAt } };
  } catch {
    return refused("expected a certificate and its private key without a passphrase, both PEM");
  }
}
