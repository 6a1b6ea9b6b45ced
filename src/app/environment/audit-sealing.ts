import { auditKeyBoundTo } from "../../domain/evidence/audit-chain.ts";
import { decryptSecret, encryptSecret, type Keyring } from "../../domain/webhook/secret.ts";
import type { Sealing } from "../../ledger/businesses/open-audit-key.ts";

/** Encrypts and decrypts the key of the audit trail, with the keys of CHAINBELL_ENCRYPTION_KEY. */
export function auditSealing(keyring: Keyring): Sealing {
  return {
    seal: (plain) => encryptSecret(keyring, plain, auditKeyBoundTo),
    open: (stored) => decryptSecret(keyring, stored, auditKeyBoundTo),
  };
}
