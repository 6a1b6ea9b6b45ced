import { z } from "zod";
import type { AuditSubject } from "../../domain/business/audit.ts";
import type { Wallet } from "../../domain/watch/wallet.ts";
import { idText } from "../../schema/answers.ts";
import { presentWalletFields, walletFields } from "../../schema/wallet.ts";

/** A wallet as an operator sees it: whose it is, too. */
export const shownWallet = z
  .object({ ...walletFields, business_id: idText })
  .meta({ id: "AdminWallet" });

export function presentWallet(wallet: Wallet): z.output<typeof shownWallet> {
  const { wallet_id, ...fields } = presentWalletFields(wallet);
  return { wallet_id, business_id: wallet.businessId, ...fields };
}

/** Wallets of which an entry of the audit trail says which they are; of more it says how many. */
const maxAuditedWallets = 10;

export function auditOfAdded(added: readonly Wallet[], businessId: string): AuditSubject {
  const wallets = added
    .slice(0, maxAuditedWallets)
    .map(({ id, chainName, address }) => ({ id, blockchain: chainName, address }));
  return { subject: businessId, details: { count: added.length, wallets } };
}
