import type { Wallet } from "../watch/wallet.ts";
import type { AuditSubject } from "./audit.ts";

/** An entry of the audit trail names at most this many wallets. Of more it has the number. */
const maxAuditedWallets = 10;

/** The entry of the audit trail about wallets that were added. */
export function auditOfAdded(added: readonly Wallet[], businessId: string): AuditSubject {
  const wallets = added
    .slice(0, maxAuditedWallets)
    .map(({ id, chainName, address }) => ({ id, blockchain: chainName, address }));
  return { subject: businessId, details: { count: added.length, wallets } };
}
