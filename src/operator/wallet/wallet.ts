import { z } from "zod";
import type { AuditSubject } from "../../domain/business/audit.ts";
import { toChecksum } from "../../domain/chain/checksum.ts";
import type { Wallet } from "../../domain/watch/wallet.ts";
import { addressText, height, heightOf, idText, timeText } from "../../schema/answers.ts";

/** A wallet as an operator sees it. */
export const shownWallet = z
  .object({
    wallet_id: idText,
    business_id: idText,
    blockchain: z.string(),
    address: addressText,
    currencies: z.array(z.string()),
    label: z.string().nullable(),
    reference: z.string().nullable(),
    purpose: z.enum(["deposit", "payment"]),
    status: z.enum(["syncing", "watched"]),
    from_block: height,
    history: z.enum(["filling", "agrees", "differs", "unknown"]).nullable(),
    created_at: timeText,
  })
  .meta({ id: "AdminWallet" });

export function presentWallet(wallet: Wallet): z.output<typeof shownWallet> {
  return {
    wallet_id: wallet.id,
    business_id: wallet.businessId,
    blockchain: wallet.chainName,
    address: toChecksum(wallet.address),
    currencies: wallet.currencies,
    label: wallet.label,
    reference: wallet.reference,
    purpose: wallet.purpose,
    status: wallet.status,
    from_block: heightOf(wallet.fromBlock),
    history: wallet.history,
    created_at: wallet.createdAt.toISOString(),
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
