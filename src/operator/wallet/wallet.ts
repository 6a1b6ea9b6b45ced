import { z } from "zod";
import type { AuditSubject } from "../../domain/business/audit.ts";
import type { Wallet } from "../../domain/watch/wallet.ts";
import { height, heightOf, idText } from "../../schema/answers.ts";
import { presentWalletFields, walletFields } from "../../schema/wallet.ts";

/** A wallet as an operator sees it. */
export const shownWallet = z
  .object({
    ...walletFields,
    business_id: idText,
    from_block: height,
    history: z.enum(["filling", "agrees", "differs", "unknown"]).nullable(),
  })
  .meta({ id: "AdminWallet" });

export function presentWallet(wallet: Wallet): z.output<typeof shownWallet> {
  const { wallet_id, created_at, ...fields } = presentWalletFields(wallet);
  return {
    wallet_id,
    business_id: wallet.businessId,
    ...fields,
    from_block: heightOf(wallet.fromBlock),
    history: wallet.history,
    created_at,
  };
}

/** Wallets of which an entry of the audit trail says which they are; of more it says how many. */
const maxAuditedWallets = 10;

export function auditOfAdded(added: readonly Wallet[], businessId: string): AuditSubject {
  const wallets = added
    .slice(0, maxAuditedWallets)
    .map(({ id, chainName, address }) => ({ id, blockchain: chainName, address }));
  return { subject: businessId, details: { count: added.length, wallets } };
}
